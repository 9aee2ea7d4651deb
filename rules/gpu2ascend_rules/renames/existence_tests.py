"""Tests of whether torch.cuda has a name, and names that a project gives it: ``hasattr(torch.cuda, 'X')``."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..flow.templates import plain_text
from ..limits.parents import parent_of
from ..text.guards import conditions_over
from ..text.syntax import arguments_of, chain_of, field, is_field, last_name, passed_to, text_of

CUDA = "torch.cuda"
_DOES_NOTHING = frozenset({"lambda", "none", "true", "false"})
_SETS = frozenset({"setattr", "delattr"})
_SET_HERE = re.compile(rb"\bcuda\.(\w+)[ \t]*=(?!=)")


class Asked(NamedTuple):
    """A name that an expression asks an object for."""

    name: str
    literal: Node
    """The text that names it."""
    has_default: bool
    """Whether it gives something else where the object has no such name, rather than False."""


class Fate(enum.Enum):
    """What becomes of a test on the NPU."""

    MOVES = "moves"
    """The NPU's module is asked: it has the name, or lacks what CUDA has."""
    STAYS = "stays"
    """It is of a name that neither has, or that does not depend on a device."""


def asked_of(owner: Node) -> Asked | None:
    """What ``hasattr(owner, 'name')`` or ``getattr(owner, 'name', default)`` asks for."""
    passed = passed_to(owner)
    if passed is None or passed.argument.position != 0:
        return None
    given = arguments_of(passed.call).positional
    needed = {"hasattr": 2, "getattr": 3}.get(last_name(passed.call))
    if needed != len(given):
        return None
    name = plain_text(given[1].value)
    if not name or not name.isidentifier():
        return None
    return Asked(name, given[1].value, has_default=needed == 3)


def fate_of(name: str, ctx: Context) -> Fate:
    """What becomes of a test for a name below torch.cuda."""
    is_known = ctx.facts.is_known_cuda_name(name) or ctx.facts.npu_name_exists(
        "torch_npu.npu" + name.removeprefix(CUDA)
    )
    return Fate.MOVES if is_known and not is_own(name, ctx) else Fate.STAYS


def is_set(node: Node) -> bool:
    """Whether a name is given a value, or deleted: a patch of CUDA's module is no use of it."""
    parent = parent_of(node)
    if parent is None:
        return False
    if parent.type in ("assignment", "augmented_assignment"):
        return is_field(node, "left")
    if parent.type in ("delete_statement", "pattern_list", "tuple_pattern"):
        return True
    passed = passed_to(node)
    return passed is not None and last_name(passed.call) in _SETS and passed.argument.position == 0


def replaced_by(node: Node, ctx: Context) -> str | None:
    """The name below torch.cuda that a file gives a function of its own; None where it is none that the NPU
    would run: of another device, or with nothing to do."""
    parent, passed = parent_of(node), passed_to(node)
    name = ctx.source.names.name_of(node) or CUDA
    value = field(parent, "right")
    if parent is not None and passed is not None and last_name(passed.call) == "setattr":
        given = arguments_of(passed.call)
        last, new = given.at(1), given.at(2)
        text = plain_text(last.value) if last is not None else None
        value, name = (new.value, f"{name}.{text}") if new is not None and text else (None, CUDA)
    if value is None or value.type in _DOES_NOTHING or _is_of_another_device(value) or name == CUDA:
        return None
    return None if _is_for_others(node) else name


def _is_for_others(node: Node) -> bool:
    """Whether a place is behind a test that torch.cuda has no device."""
    texts = ((text_of(condition), holds) for condition, holds in conditions_over(node))
    return any("is_available" in text and holds is text.startswith("not ") for text, holds in texts)


def is_own(name: str, ctx: Context) -> bool:
    """Whether the project gives torch.cuda a name that is not torch's, or a file replaces one for itself."""
    last = name.rpartition(".")[2]
    if f"={last}" in ctx.project.imported_names and not ctx.facts.is_known_cuda_name(name):
        return True
    return name in ctx.once("names set on torch.cuda", lambda: _set_here(ctx))


def _set_here(ctx: Context) -> frozenset[str]:
    """The names below torch.cuda that the file gives values of its own, not those of another device."""
    found: set[str] = set()
    for match in _SET_HERE.finditer(ctx.source.data):
        name = ctx.source.node_at(match.start(1), match.end(1))
        target = parent_of(name)
        statement = parent_of(target)
        value = field(statement, "right")
        if target is None or value is None or not is_field(target, "left"):
            continue
        qualified = ctx.source.names.name_of(target)
        if qualified and not _is_of_another_device(value):
            found.add(qualified)
    return frozenset(found)


def _is_of_another_device(value: Node) -> bool:
    """``torch.xpu.empty_cache``: in a program for another accelerator, which is not run on the NPU."""
    chain = chain_of(value)
    words = (text_of(chain.root), *chain.attributes) if chain is not None else ()
    return any(word in ("xpu", "ipex", "mps", "hpu", "mlu", "musa") for word in words)
