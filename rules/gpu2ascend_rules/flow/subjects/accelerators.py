"""Accelerators of Lightning: ``'gpu'`` and ``'cuda'`` of trainers, and GPUs that Ray and Slurm are asked for.

They are no devices of torch: Lightning looks them up in a table of its own, which has nothing for Ascend.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from itertools import product

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef
from ...limits.parents import parent_of
from ...text.syntax import field, is_field, last_name, same, text_of
from ..subject import PlaceKind, Sink, Subject
from ..templates import template_of
from ..verdicts import Role, Verdict
from ..word_flow import flow_of

LIGHTNING = ("pytorch_lightning.", "lightning.", "lightning_fabric.", "lightning_lite.")
"""The beginnings of qualified names that are Lightning's."""
_TRAINERS = ("Trainer", "Trainer.from_argparse_args", "Fabric", "LightningLite")
GPUS_OF_RAY = ("num_gpus", "use_gpu")
NUMBERS_OF_SLURM = ("gpus_per_node", "gpus_per_task", "slurm_gpus_per_node", "slurm_gpus_per_task")
_RESOURCES_OF_SLURM = ("gres", "slurm_gres")
GPUS_OF_SLURM = (*NUMBERS_OF_SLURM, *_RESOURCES_OF_SLURM)
_NO_GPUS = frozenset({"0", "0.0", "None", "[]", "False"})
_MODULES = ("", "pytorch.", "pytorch.trainer.", "trainer.", "trainer.trainer.", "fabric.", "lite.")


def is_accelerator(text: str) -> bool:
    """Whether a text is what Lightning calls a GPU."""
    return text in ("gpu", "cuda")


def _names_accelerator(name: str) -> bool:
    return name.lower() == "accelerator"


TRAINERS = frozenset(
    "".join(parts) for parts in product(LIGHTNING, _MODULES, ("Trainer", "Fabric", "LightningLite"))
)
"""The qualified names by which Lightning's trainers are known."""


def takes_first(trainer: str) -> bool:
    """Whether the accelerator is the first argument of a trainer; else it is passed by name."""
    return not trainer.endswith(("Trainer", "Trainer.from_argparse_args"))


@lru_cache(maxsize=1)
def _sinks() -> Mapping[str, Sink]:
    names = ("".join(parts) for parts in product(LIGHTNING, _MODULES, _TRAINERS))
    return {name: Sink(0 if takes_first(name) else None, parameters=("accelerator",)) for name in names}


ACCELERATORS = Subject(
    name="accelerators of Lightning",
    is_text=is_accelerator,
    names=_names_accelerator,
    sample="gpu",
    sinks=_sinks,
    of_torch=False,
    named=Role.NAMED,
    named_list=Role.NAMED,
    otherwise={PlaceKind.NAMED_ENTRY: Role.NAMED},
)


@lru_cache(maxsize=1)
def _gpu_sinks() -> Mapping[str, Sink]:
    return {name: Sink(parameters=("gpus",)) for name in _sinks()}


GPUS = Subject(
    name="GPUs of Lightning",
    is_text=lambda text: bool(text),
    part_counts=True,
    sample="1",
    sinks=_gpu_sinks,
    of_torch=False,
)
"""How many GPUs a trainer uses: what becomes of the value of ``gpus``."""


def accelerator_role(string: Node, ctx: Context) -> Verdict:
    """What a string literal is used as that may be an accelerator: :attr:`Role.CONSUMED` where it reaches a
    trainer, :attr:`Role.NAMED` where only a name says what it is."""
    return flow_of(ACCELERATORS, ctx).role_of_string(string)


def place_of_accelerator(string: Node) -> Node:
    """What a text is given to directly: its keyword, its key or its item of a dictionary; else itself."""
    holder = parent_of(string)
    if holder is None:
        return string
    target = field(holder, "left")
    is_item = holder.type == "assignment" and target is not None and target.type == "subscript"
    return holder if is_item or holder.type in ("keyword_argument", "pair") else string


def is_of_own_trainer(given: Node, ctx: Context) -> bool:
    """Whether an argument is given to a class of the file that derives from a trainer of Lightning."""
    call = parent_of(parent_of(given)) if given.type == "keyword_argument" else None
    name = field(call, "function")
    if call is None or name is None or name.type != "identifier":
        return False
    classes = ctx.instances.classes
    definition = classes.definition_named(text_of(name), name)
    named = (field(one, "superclasses") for one in (classes.family(definition) if definition else ()))
    bases = (base for listed in named if listed is not None for base in listed.named_children)
    found = map(ctx.source.names.qualified_name, bases)
    return any(base is not None and base.qualified_name in TRAINERS for base in found)


def asks_for_gpus(value: Node) -> bool:
    """Whether the ``gpus`` of a trainer are any."""
    return text_of(value).strip("'\"") not in _NO_GPUS


def asks_ray_for_gpus(ref: KeywordRef, ctx: Context) -> bool:
    """Whether an argument called as in :data:`GPUS_OF_RAY` is one of Ray's, and asks for any."""
    return ctx.imports_module("ray") and asks_for_gpus(ref.value) and not _is_of_other_library(ref, ctx)


def _is_of_other_library(ref: KeywordRef, ctx: Context) -> bool:
    """Whether what is called is imported from a library that is neither Ray's nor built on it.

    ``options`` is what Ray gives every class and function; the standard library hands arguments on.
    """
    module, _, name = (ref.callee_name or "").rpartition(".")
    root = module.partition(".")[0]
    if not root or name == "options" or "ray" in root or root in sys.stdlib_module_names:
        return False
    return not ctx.project.has_module(ctx.source.path, root)


def names_gpus(value: Node) -> bool:
    """Whether the value of Slurm's ``gres`` is of GPUs: ``'gpu:8'``, ``f'gpu:{n}'``."""
    return template_of(value).startswith("gpu")


def asks_slurm_for_gpus(ref: KeywordRef, ctx: Context) -> bool:
    """Whether an argument called as in :data:`GPUS_OF_SLURM` is one of submitit's, and asks for any."""
    if last_name(ref.call) != "update_parameters" or not ctx.imports_module("submitit"):
        return False
    given = (ref.value, *ctx.origins(ref.value))
    is_gpu = ref.name not in _RESOURCES_OF_SLURM or any(map(names_gpus, given))
    return is_gpu and asks_for_gpus(ref.value)


def gpus_of_trial(key: Node, ctx: Context) -> Node | None:
    """The entry ``gpu`` of the resources that Ray Tune gives each trial, by its key, if it asks for any."""
    entry = parent_of(key)
    value, resources = field(entry, "value"), parent_of(entry) if entry is not None else None
    is_asked = value is not None and same(field(entry, "key"), key) and asks_for_gpus(value)
    if not is_asked or resources is None or not ctx.imports_module("ray"):
        return None
    return entry if "resources" in _given_to(resources) else None


def _given_to(value: Node) -> str:
    """The name that a value is given to, or the call that it is an argument of."""
    holder = parent_of(value)
    call = parent_of(holder)
    if call is not None and call.type == "call":
        return last_name(call)
    names = (field(holder, name) for name in ("name", "key", "left"))
    return "".join(text_of(name) for name in names if name is not None)


def is_gpus_of_trainer(ref: KeywordRef, ctx: Context) -> bool:
    """Whether ``gpus=`` asks a trainer for GPUs, in its call or in a dictionary that comes to it."""
    if not asks_for_gpus(ref.value):
        return False
    is_direct = (ref.callee_name or "").startswith(LIGHTNING)
    return is_direct or (last_name(ref.call) == "dict" and _reaches_trainer(ref.value, ctx))


def gpus_entry(key: Node, ctx: Context) -> Node | None:
    """What gives a dictionary, which comes to a trainer, its entry ``gpus``: the entry, or an assignment."""
    entry = asking_entry(key)
    return entry[0] if entry is not None and _reaches_trainer(entry[1], ctx) else None


def asking_entry(key: Node) -> tuple[Node, Node] | None:
    """The entry or assignment that gives a key a value, and that, if it is any: ``limits['gpu'] = n``."""
    holder = parent_of(key)
    if holder is None:
        return None
    whole, value = holder, field(holder, "value") if is_field(key, "key") else None
    if holder.type == "subscript" and is_field(holder, "left"):
        whole = parent_of(holder) or holder
        value = field(whole, "right") if whole.type == "assignment" else None  # += counts what was found
    return (whole, value) if value is not None and asks_for_gpus(value) else None


def _reaches_trainer(value: Node, ctx: Context) -> bool:
    return flow_of(GPUS, ctx).role_of_value(value).role is Role.CONSUMED
