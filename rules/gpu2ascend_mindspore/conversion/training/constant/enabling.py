"""Regions that switch gradients on or off: ``with torch.set_grad_enabled(phase == 'train')``.

``backward`` raises an error of what such a region computed while they were off. So a step whose losses a
region computes has them on, and the region has nothing to do for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.syntax import ancestors, arguments_of, field, parts_of, text_of

from ...evidence import Evidence
from ...lines import unwrapped

ENABLING = frozenset({"torch.set_grad_enabled", "torch.autograd.set_grad_enabled"})
ALWAYS = frozenset({"torch.enable_grad", "torch.autograd.enable_grad"})


def mode_given(evidence: Evidence, call: Node) -> str:
    """The text of the mode that a call switches gradients to; empty for another call."""
    name = evidence.source.names.called_in(call)
    if name in ALWAYS:
        return "True"
    first = arguments_of(call).get("mode", 0) if name in ENABLING else None
    return text_of(first.value) if first is not None else ""


def switches_gradients(evidence: Evidence, statement: Node) -> bool:
    """Whether a ``with`` is of nothing but such a region, where gradients may be on, and can go."""
    if statement.type != "with_statement":
        return False
    return evidence.source.once((_switches, statement.id), lambda: _switches(evidence, statement))


def _switches(evidence: Evidence, statement: Node) -> bool:
    clause = next((one for one in statement.named_children if one.type == "with_clause"), None)
    if clause is None or len(clause.named_children) != 1:
        return False
    mode = mode_given(evidence, clause.named_children[0].named_children[0])
    body = field(statement, "body") if mode not in ("", "False") else None
    return body is not None and unwrapped(evidence.source.data, statement, body) is not None


def flattened(evidence: Evidence, statements: Sequence[Node]) -> Iterator[Node]:
    """Statements with those of such regions in the place of these."""
    for one in statements:
        if switches_gradients(evidence, one):
            yield from flattened(evidence, _body_of(one))
        else:
            yield one


def _body_of(region: Node) -> list[Node]:
    body = field(region, "body")
    return parts_of(body) if body is not None else []


def may_be_off(evidence: Evidence, node: Node, until: Node) -> tuple[int, ...]:
    """The regions around a node in its function that end before another and may have gradients off."""
    return tuple(
        one.id
        for one in _around(evidence, node)
        if one.end_byte <= until.start_byte and not _is_always_on(evidence, one)
    )


def _is_always_on(evidence: Evidence, region: Node) -> bool:
    item = next(one for one in nodes_in(region) if one.type == "with_item")
    return mode_given(evidence, item.named_children[0]) == "True"


def region_around(evidence: Evidence, node: Node) -> Node | None:
    """The innermost such region around a node in its function."""
    return next(_around(evidence, node), None)


def _around(evidence: Evidence, node: Node) -> Iterator[Node]:
    for one in ancestors(node):
        if one.type in ("function_definition", "class_definition"):
            return
        if switches_gradients(evidence, one):
            yield one
