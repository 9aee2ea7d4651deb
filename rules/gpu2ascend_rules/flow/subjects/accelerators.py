"""Accelerators of Lightning: ``'gpu'`` and ``'cuda'``, which a trainer runs on.

They are no devices of torch: Lightning looks them up in a table of its own, which has nothing for Ascend.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import product

from tree_sitter import Node

from ...engine.context import Context
from ..subject import PlaceKind, Sink, Subject
from ..verdicts import Role, Verdict
from ..word_flow import flow_of

LIGHTNING = ("pytorch_lightning.", "lightning.", "lightning_fabric.", "lightning_lite.")
"""The beginnings of qualified names that are Lightning's."""
_TRAINERS = ("Trainer", "Trainer.from_argparse_args", "Fabric", "LightningLite")
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
