"""Where a name below ``torch.cuda`` goes, and whether a whole binding can move there with its uses.

Shared by the rules on uses and on imports, so that both always agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from ..data import load_json
from ..engine.context import Context
from ..flow.guards.cuda_guards import QUESTIONS, guard_of
from ..limits.parents import parent_of
from ..model.versions import Version, choose_version
from ..similar import MODULE, PACKAGE
from ..text.names import Certainty
from ..text.scopes import Binding, BindingKind
from ..text.syntax import chain_from_root, parts_of, passed_to, same
from .existence_tests import Fate, asked_of, fate_of, is_set

CUDA = "torch.cuda"
_QUESTIONS = frozenset(f"{CUDA}.{name}" for name in QUESTIONS)
_SET_TYPE = "set_default_tensor_type"
PRIVATE_OF_CUDA = ("_cuda_", "_CudaStream", "_CudaEvent", "_CUDAGraph", "_CudaDevice")
"""How names of torch's extension module begin that only a build for CUDA has."""


class Move(NamedTuple):
    """A CUDA name's new name for the chosen version."""

    target: str
    is_safe: bool


def move_of(name: str, ctx: Context) -> Move | None:
    """The move of a name; ``None`` when the chosen version has nothing to move it to."""
    return ctx.once(("move", name), lambda: _move_of(name, ctx))


def _move_of(name: str, ctx: Context) -> Move | None:
    names = load_json("cuda_names")
    name = names["canonical"].get(name, name)
    moved = names["moved"].get(name)
    if moved is not None:
        return Move(moved["to"], True) if ctx.version >= _version(moved["from"]) else None
    counterpart = ctx.facts.npu_counterpart(name)
    if counterpart is None:
        same = "torch_npu.npu" + name.removeprefix(CUDA)
        return Move(same, True) if _exists_unlisted(name, same, ctx) else None
    if counterpart.relation == "similar":
        return None
    return Move(counterpart.name, not _asks_first(name))


def moves_from(name: str) -> Version | None:
    """The first release in which a name has a place of torch's own; None for one that has none."""
    moved = load_json("cuda_names")["moved"].get(name)
    return _version(moved["from"]) if moved is not None else None


def _version(text: str) -> Version:
    return choose_version(text).version


def _exists_unlisted(name: str, same: str, ctx: Context) -> bool:
    return not ctx.facts.is_known_cuda_name(name) and ctx.facts.npu_name_exists(same)


def _asks_first(name: str) -> bool:
    """Whether the counterpart is less than the original, so that a person should agree to the move."""
    return any(name == item or name.startswith(f"{item}.") for item in load_json("cuda_names")["ask_first"])


def length_of_api(parts: Sequence[str], least: int, ctx: Context) -> int | None:
    """How many parts of a qualified name are the API: of ``torch.cuda.Stream.x.y`` those up to ``Stream``.

    That is the longest beginning that a table knows. A name below a module that no table knows is an API of
    its own, which the NPU does not have; what is read of a class, a function or an instance does not count.

    Args:
        parts: The parts of the name.
        least: How many of them are the API at least.
        ctx: The file.

    Returns:
        ``None`` when no table knows a beginning of that length.
    """
    for count in range(len(parts), least - 1, -1):
        name = ".".join(parts[:count])
        if ctx.facts.is_known_cuda_name(name) or move_of(name, ctx) is not None:
            return count + _is_unknown_below_module(name, parts[count:], ctx)
    return None


def _is_unknown_below_module(name: str, rest: Sequence[str], ctx: Context) -> bool:
    """Whether a name is a module that the NPU has too, and ``rest`` is more than what every module has."""
    if not rest or (rest[0].startswith("__") and rest[0].endswith("__")):
        return False
    return ctx.facts.npu_kind("torch_npu.npu" + name.removeprefix(CUDA)) == "module"


def advice_for(name: str) -> str | None:
    """The key of the advice for a name that has no counterpart."""
    advice: dict[str, str] = load_json("cuda_names")["advice"]
    while name.startswith(CUDA):
        if name in advice:
            return advice[name]
        name = name.rpartition(".")[0]
    return None


class Uses(NamedTuple):
    """The references to one binding."""

    roots: tuple[Node, ...]
    """The identifiers that read it, for certain."""
    all_move: bool
    """Whether the binding's own move makes every use of it right, or right but for its first word."""


def uses_of(binding: Binding, ctx: Context) -> Uses:
    """How a file uses what an import, or a re-binding, of a CUDA name binds."""
    return ctx.once(("uses", binding.node.id), lambda: _uses_of(binding, ctx))


def _uses_of(binding: Binding, ctx: Context) -> Uses:
    own = move_of(binding_target(binding, ctx) or "", ctx)
    roots: list[Node] = []
    all_move = own is not None
    for identifier in ctx.source.identifiers(binding.name):
        names = ctx.source.names
        if not names.is_reference(identifier):
            continue
        resolution = names.resolve(identifier)
        if resolution is None or resolution.binding is None:
            continue
        if resolution.binding.node.id != binding.node.id:
            continue
        if resolution.certainty is Certainty.AMBIGUOUS:
            all_move = False
            continue
        roots.append(identifier)
        all_move = all_move and _moves_at(identifier, resolution.qualified_name, own, ctx)
    return Uses(tuple(roots), all_move)


def _moves_at(root: Node, qualified: str, own: Move | None, ctx: Context) -> bool:
    """Whether a use of a binding is right when the binding moves."""
    chain = chain_from_root(root)
    asked = asked_of(chain.node)
    if is_set(chain.node):
        return False
    if asked is not None:
        name = ".".join((qualified, *chain.attributes, asked.name))
        moved = move_of(name, ctx)
        if fate_of(name, ctx) is Fate.STAYS or moves_from(name) is not None:
            return False
        if moved is not None and not moved.target.startswith("torch_npu.npu."):
            return False
    if ".".join((qualified, *chain.attributes)) in _QUESTIONS and guard_of(chain.node, ctx) is not None:
        return False
    return _moves_along(qualified, chain.attributes, own, ctx)


def _moves_along(root: str, attributes: tuple[str, ...], own: Move | None, ctx: Context) -> bool:
    """Whether a use ``root.a.b`` is right once ``root`` means its own new name.

    Attributes that go beyond the API (``stream.priority.real``) are not in any table: the longest known
    part decides.
    """
    if own is None:
        return False
    for count in range(len(attributes), 0, -1):
        below = ".".join(attributes[:count])
        name = f"{root}.{below}"
        if not ctx.facts.is_known_cuda_name(name) and not name.startswith(f"{CUDA}."):
            continue
        move = move_of(name, ctx)
        if move is not None:
            is_unknown = _is_unknown_below_module(name, attributes[count:], ctx)
            return move.target == f"{own.target}.{below}" and not is_unknown
        if ctx.facts.is_known_cuda_name(name) or count == 1:
            return False
    return True


def binding_target(binding: Binding, ctx: Context) -> str | None:
    """The qualified name that a binding gives its name."""
    if binding.kind is BindingKind.IMPORT:
        return binding.target
    return ctx.source.names.name_of(binding.value) or None


def is_carried(binding: Binding | None, root_name: str, ctx: Context) -> bool:
    """Whether the change of what binds a chain's root makes the chain right without an edit of its own.

    After ``from torch_npu.npu import amp`` the text ``amp.autocast`` means the NPU's; after
    ``tc = torch_npu.npu`` so does ``tc.empty_cache``.
    """
    if binding is None or not root_name.startswith(CUDA):
        return False
    move = move_of(root_name, ctx)
    return move is not None and move.is_safe and uses_of(binding, ctx).all_move


def is_default_tensor_type(node: Node, ctx: Context) -> bool:
    """Whether a tensor type is given to ``torch.set_default_tensor_type``, which takes no NPU type."""
    return _taker_of(node, ctx) == f"torch.{_SET_TYPE}"


def is_taken_by_equivalent(node: Node, ctx: Context) -> bool:
    """Whether a tensor type is given to the equivalent of that in ``ascend_function``, which takes CUDA's."""
    return _taker_of(node, ctx) == f"{PACKAGE}.{MODULE}.{_SET_TYPE}"


def _taker_of(node: Node, ctx: Context) -> str:
    """The qualified name of the function that a value, or a choice with it, is given to."""
    parent = parent_of(node)
    while parent is not None and parent.type in ("conditional_expression", "parenthesized_expression"):
        if parent.type == "conditional_expression" and same(parts_of(parent)[1], node):
            return ""  # the condition is not given
        node, parent = parent, parent_of(parent)
    passed = passed_to(node)
    return ctx.source.names.called_in(passed.call) if passed is not None else ""
