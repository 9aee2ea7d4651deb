"""Which API an equivalent stands in for, in which versions, and the fix that puts it there.

The table is ``data/replacements.tsv``; its column ``versions`` lists versions in which an API is replaced
whatever the support list says, ``unsupported`` for where the list says so, ``all``, or ``with:`` a name of
torch_npu for where that exists. The column ``option`` says what applies the fix: ``similar``, or ``unsafe``
for adapters to other kernels, whose numerics differ.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from tree_sitter import Node

from ..data import load_tsv
from ..engine.context import Context
from ..facts import SupportStatus
from ..limits.parents import parent_of
from ..model.finding import REPLACEMENT, Applicability, Edit, Fix, Message, Plan, Requirement
from ..text.syntax import (
    call_of,
    enclosing,
    enclosing_statement,
    field,
    outside_parentheses,
    parts_of,
    text_of,
)
from . import MODULE, PACKAGE
from .scripting import is_scripted

_REQUIREMENT = Requirement(PACKAGE, name=MODULE)
_ALWAYS, _UNSUPPORTED, _WITH = "all", "unsupported", "with:"


class Replacement(NamedTuple):
    """An equivalent and where it is used."""

    api: str
    name: str
    """What it is called in the module."""
    part: str
    """The source that defines it."""
    versions: frozenset[str]
    kind: str
    """Of the fix: see :class:`..model.finding.Fix`."""

    @property
    def operators(self) -> tuple[str, ...]:
        """The names of torch_npu that it is made of, when it holds where they exist."""
        return tuple(item.removeprefix(_WITH) for item in self.versions if item.startswith(_WITH))


class Formula(NamedTuple):
    """An adapter that means arithmetic rather than an API."""

    name: str
    written_out: str


FORMULAS = {
    "rms_norm": Formula("rms_norm", "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)"),
    "swiglu": Formula("swiglu", "F.silu(a) * b of a, b = x.chunk(2, -1)"),
    "geglu": Formula("geglu", "a * F.gelu(b) of a, b = x.chunk(2, -1)"),
    "masked_softmax": Formula("masked_softmax", "torch.softmax(x.masked_fill(mask, fill), -1)"),
    "group_norm_silu": Formula("group_norm_silu", "F.silu(F.group_norm(x, groups, weight, bias, eps))"),
    "attention": Formula("attention", "torch.softmax(q @ k.transpose(-2, -1) * scale, -1) @ v"),
    "cross_entropy": Formula("cross_entropy", "F.cross_entropy(input, target)"),
    "rotary": Formula("rotary_mul", "x * cos + rotate_half(x) * sin"),
}
"""The formulas by the part that defines their adapter."""


@cache
def replacements() -> dict[str, tuple[Replacement, ...]]:
    """Every replacement by the API that it stands in for."""
    table: dict[str, tuple[Replacement, ...]] = {}
    for row in load_tsv("replacements"):
        kind = REPLACEMENT if row["option"] == "similar" else ""
        new = Replacement(row["api"], row["name"], row["part"], frozenset(row["versions"].split()), kind)
        table[new.api] = (*table.get(new.api, ()), new)
    return table


def replacement_for(api: str, ctx: Context) -> Replacement | None:
    """What stands in for an API in the chosen version on the chosen hardware."""
    for candidate in replacements().get(api, ()):
        if candidate.versions & {_ALWAYS, str(ctx.version)}:
            return candidate
        if any(ctx.facts.npu_name_exists(name) for name in candidate.operators):
            return candidate
        if _UNSUPPORTED in candidate.versions and ctx.facts.status(api) is SupportStatus.UNSUPPORTED:
            return candidate
    return None


def replacement_fix(api: str, node: Node, ctx: Context) -> Fix | None:
    """The fix that writes the equivalent of an API in a node's place.

    None where there is no equivalent, where TorchScript compiles the place, or where that asks for the class
    itself: a type hint, and ``isinstance``, which a subclass answers.
    """
    found = replacement_for(api, ctx)
    if found is None or not _is_replaceable(node, found) or _is_name_taken(ctx) or is_scripted(node, ctx):
        return None
    return _fix(found, [Edit(node.start_byte, node.end_byte, f"{MODULE}.{found.name}")])


def method_fix(api: str, receiver: Node, call: Node, ctx: Context) -> Fix | None:
    """The fix that calls the equivalent of a method with the receiver as its first argument.

    None where there is no equivalent, and where TorchScript compiles the place.
    """
    found = replacement_for(api, ctx)
    holder = field(call, "arguments")
    given = parts_of(holder) if holder is not None else []
    if found is None or holder is None or not given or _is_name_taken(ctx) or is_scripted(call, ctx):
        return None
    start, end = receiver.end_byte, given[0].start_byte
    if b"#" in ctx.source.data[start:end]:  # comments stay where they are
        start, end = ctx.source.data.rindex(b".", start, holder.start_byte), holder.start_byte + 1
    before = Edit(receiver.start_byte, receiver.start_byte, f"{MODULE}.{found.name}(")
    return _fix(found, [before, Edit(start, end, ", ")])


def is_kept_for_scripting(api: str, node: Node, ctx: Context) -> bool:
    """Whether an API that has an equivalent stays because TorchScript compiles the place."""
    found = replacement_for(api, ctx)
    if found is None or not is_scripted(node, ctx):
        return False
    return _is_replaceable(node, found) and not _is_name_taken(ctx)


def _fix(found: Replacement, edits: list[Edit]) -> Fix:
    plan = Plan(tuple(edits), (), frozenset({_REQUIREMENT}), frozenset({found.part}))
    title = Message.of("fix.similar", text=f"{MODULE}.{found.name}")
    return Fix(title, Applicability.UNSAFE, plan, found.kind)


def formula_fix(part: str, node: Node, arguments: str, ctx: Context) -> Fix | None:
    """The unsafe fix that writes a call of an adapter in the place of a formula that it computes.

    None where TorchScript compiles the formula: it refuses what the adapter does.
    """
    return steps_fix(part, node, node, arguments, ctx)


def steps_fix(part: str, first: Node, last: Node, arguments: str, ctx: Context) -> Fix | None:
    """Likewise for a formula that is computed in steps, of which all before the last are taken out.

    Args:
        first: The first step: a statement, or the formula where there is one step.
        last: The expression that gives the result.
    """
    if _is_name_taken(ctx) or is_scripted(last, ctx):
        return None
    found = Replacement("", FORMULAS[part].name, part, frozenset(), "")
    edits = [Edit(last.start_byte, last.end_byte, f"{MODULE}.{found.name}({arguments})")]
    if first.start_byte < last.start_byte:
        edits.insert(0, Edit(first.start_byte, enclosing_statement(last).start_byte, ""))
    return _fix(found, edits)


def _is_replaceable(node: Node, found: Replacement) -> bool:
    outer = outside_parentheses(node)
    parent = parent_of(outer)
    while parent is not None and parent.type in ("tuple", "list", "parenthesized_expression"):
        outer, parent = parent, parent_of(parent)
    if parent is None or enclosing(node, "type") is not None:
        return False
    if parent.type != "argument_list" or call_of(node) is not None:
        return True
    function = field(parent_of(parent), "function")
    is_test = text_of(function) in ("isinstance", "issubclass")
    return not is_test or found.name == "SyncBatchNorm"  # which is no subclass of torch's


def _is_name_taken(ctx: Context) -> bool:
    """Whether the file calls something else by the module's name."""
    ours = f"{PACKAGE}.{MODULE}"
    return any(binding.target != ours for binding in ctx.source.names.bindings(MODULE))
