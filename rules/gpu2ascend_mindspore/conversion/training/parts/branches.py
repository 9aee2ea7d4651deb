"""Updates in an ``if``, of losses that are computed before it: ``if phase == 'train': loss.backward()``.

Where the condition means the same before the losses, they are computed with gradients if it holds, and
without else. Where it does not (``if loss.isfinite()``), the gradients are taken in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in, nodes_of
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import ancestors, field, is_field, same, text_of

from ...evidence import Evidence
from ..constant.enabling import flattened, switches_gradients
from ..variables import assigned_in, identifiers_in
from .calls import calls_within, statements_of

_MEMBERS = ("attribute", "subscript")
_SWITCHES = ("train", "eval")
_SHARING = ("global_statement", "nonlocal_statement")
_LEAVES = ("await", "yield", "named_expression", "lambda")


class Branch(NamedTuple):
    """The branch that an update is in."""

    statement: Node
    condition: Node

    def otherwise(self, call: str) -> Edit:
        """The edit that computes the losses where the branch is not taken."""
        indent = " " * self.statement.start_point[1]
        end = self.statement.end_byte
        return Edit(end, end, f"\n{indent}else:\n{indent}    {call}")

    def both(self, with_gradients: str, without: str, indent: str) -> str:
        """The lines that compute the losses in either way, before the branch."""
        return (
            f"if {text_of(self.condition)}:\n{indent}    {with_gradients}\n"
            f"{indent}else:\n{indent}    {without}"
        )


def blocks_of(evidence: Evidence, backward: Node) -> Iterator[list[Node]]:
    """The statements that may be a step: those of the block, then with those before the branch around it.

    They are all of these, or those behind another update.
    """
    block = parent_of(backward)
    own = [*flattened(evidence, statements_of(block))]
    yield [*_before(evidence, block), *own]
    branch = _branch_of(block)
    if branch is not None:
        outer = parent_of(branch)
        beside = [one for one in statements_of(outer) if one.end_byte <= branch.start_byte]
        every = [*_before(evidence, outer), *flattened(evidence, beside)]
        yield [*every, *own]
        updated = [index for index, one in enumerate(every, 1) if calls_within([one], "step")]
        if updated:
            yield [*every[updated[-1] :], *own]


def _before(evidence: Evidence, block: Node | None) -> list[Node]:
    """The statements before the region that switches gradients whose block it is; none for another."""
    region = parent_of(block)
    if region is None or not switches_gradients(evidence, region):
        return []
    outer = parent_of(region)
    beside = [one for one in statements_of(outer) if one.end_byte <= region.start_byte]
    return [*_before(evidence, outer), *flattened(evidence, beside)]


def _branch_of(block: Node | None) -> Node | None:
    """The ``if`` whose first block it is."""
    branch = parent_of(block)
    if block is None or branch is None or branch.type != "if_statement":
        return None
    is_first = is_field(block, "consequence")
    return branch if is_first and block.start_point[0] > branch.start_point[0] else None


def branch_between(forward: Sequence[Node], backward: Node) -> Branch | None:
    """The branch that a ``backward`` is in and the first statement of its losses is not."""
    branch = _branch_of(parent_of(backward))
    condition = field(branch, "condition")
    if branch is None or condition is None or not forward or forward[0].start_byte > branch.start_byte:
        return None
    return Branch(branch, condition)


def is_readable(branch: Branch) -> bool:
    """Whether a condition leaves nothing and assigns nothing."""
    return not any(one.type in _LEAVES for one in nodes_in(branch.condition))


def asks_for_none(branch: Branch) -> bool:
    """Whether a condition asks for what may be missing: ``if optimizer is not None``."""
    return any(one.type == "none" for one in nodes_in(branch.condition))


def means_the_same(branch: Branch, statements: Sequence[Node], *, twice: bool) -> bool:
    """Whether a condition has one value before and behind statements.

    Args:
        twice: Whether it is asked in both places, so that no attribute or item may change between them.
    """
    parts = [*nodes_in(branch.condition)]
    read = {*map(text_of, identifiers_in(branch.condition))}
    elsewhere = {*assigned_in(statements), *_shared_around(branch.statement)}
    if any(one.type == "call" for one in parts) or read & elsewhere:
        return False
    members = [one for one in parts if one.type in _MEMBERS]
    changing = [one for one in members if not text_of(one).endswith(".training")]
    is_switched = any(calls_within(statements, one) for one in _SWITCHES)
    if (changing and twice) or (members != changing and is_switched):
        return False
    return not _may_change(branch.condition, changing, statements)


def _may_change(condition: Node, members: Sequence[Node], statements: Sequence[Node]) -> bool:
    """Whether statements use what has the members of a condition, or fill a variable that it asks."""
    used = [one for statement in statements for one in identifiers_in(statement)]
    owners = {text_of(one) for member in members for one in identifiers_in(member)}
    filled = {text_of(one) for one in used if parent_type(one) in _MEMBERS}
    read = identifiers_in(condition)
    asked = {text_of(one) for one in read if parent_type(one) not in (*_MEMBERS, "comparison_operator")}
    return bool(owners & {*map(text_of, used)} or asked & filled)


def _shared_around(statement: Node) -> set[str]:
    """The variables of the module, or of a function around others, that any function of the file assigns."""
    module = [*ancestors(statement)][-1]
    return {
        text_of(one) for kind in _SHARING for each in nodes_of(module, kind) for one in each.named_children
    }


def has_no_end(branch: Branch, gone: Sequence[Node]) -> bool:
    """Whether nothing can be written behind a branch: another arm is there, or its last statement goes."""
    inner = statements_of(field(branch.statement, "consequence"))
    return field(branch.statement, "alternative") is not None or any(same(one, inner[-1]) for one in gone)
