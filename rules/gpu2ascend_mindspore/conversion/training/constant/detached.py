"""Regions without gradients in what a gradient is taken of: what they compute is a constant for it.

``with torch.no_grad():`` goes, and of the variables that its body assigns ``ops.stop_gradient`` is taken
behind it; of what it writes into tensors and attributes at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import OWN_SCOPES, ancestors, call_of, field, same, text_of

from ...evidence import Evidence
from ...lines import unwrapped
from ...values.parameters import is_parameter
from ..variables import assigned_in, is_read_outside
from .enabling import mode_given

NO_GRADIENTS = frozenset({"torch.no_grad", "torch.inference_mode"})
_STOP = "ops.stop_gradient("
_WITHOUT_GRAPH = frozenset({"data", "detach", "device", "dtype", "item", "shape", "size", "tolist"})
"""Members that give of a tensor nothing that gradients go through."""


def is_gradient_free(evidence: Evidence, statement: Node) -> bool:
    """Whether a statement is a ``with`` of nothing but a region without gradients."""
    clause = next((one for one in statement.named_children if one.type == "with_clause"), None)
    if statement.type != "with_statement" or clause is None or len(clause.named_children) != 1:
        return False
    value = clause.named_children[0].named_children[0]
    return evidence.source.names.called_in(value) in NO_GRADIENTS or mode_given(evidence, value) == "False"


def reads_graph(evidence: Evidence, variable: Node) -> bool:
    """Whether a variable is read with its graph: not for its numbers alone, without gradients, or for
    ``backward`` itself."""
    inner = variable
    for holder in ancestors(variable):
        if holder.type not in ("attribute", "call") or not same(holder.named_children[0], inner):
            break
        member = text_of(field(holder, "attribute"))
        if member in _WITHOUT_GRAPH or (member == "backward" and call_of(holder) is not None):
            return False
        inner = holder
    return not any(is_gradient_free(evidence, one) for one in ancestors(variable))


def is_detached(identifier: Node) -> bool:
    """Whether a variable is read without its graph: ``fake.detach()``."""
    return text_of(field(parent_of(identifier), "attribute")) == "detach"


def heads_of_regions(
    evidence: Evidence, statements: Sequence[Node], plain: Sequence[Node]
) -> list[tuple[int, int]]:
    """Where the lines stand that begin such regions in statements, and others of no effect: they go."""
    others = {one.id for one in plain}
    nodes = (one for statement in statements for one in nodes_in(statement))
    return [span_of_head(one) for one in nodes if one.id in others or is_gradient_free(evidence, one)]


def span_of_head(region: Node) -> tuple[int, int]:
    """Where the lines stand before the body of a region."""
    body = field(region, "body") or region
    return region.start_byte - region.start_point[1], body.start_byte - body.start_point[1]


def edits_of_region(evidence: Evidence, statement: Node, body: Node) -> list[Edit] | None:
    """The edits that leave of a region its body, with constants as results; None where it is not certain."""
    deeper = 4 if any(start <= statement.start_byte < end for start, end in evidence.moved) else 0
    left = unwrapped(evidence.source.data, statement, body, deeper)
    if left is None:
        return None
    evidence.unwrapped.append(left)
    names = [name for name in assigned_in([body]) if is_read_outside(name, [statement], evidence.source)]
    indent = " " * (body.start_point[1] + deeper)
    behind = "".join(f"\n{indent}{name} = {_STOP}{name})" for name in names)
    edits = [left.head, *written_constants(body)]
    end = statement.end_byte
    last = "".join(one.text for one in edits if (one.start, one.end) == (end, end))
    edits = [one for one in edits if (one.start, one.end) != (end, end)]
    return [*edits, Edit(end, end, last + behind)] if last or behind else edits


def written_constants(body: Node) -> Iterator[Edit]:
    """The edits that make a constant of what code returns, or writes into attributes and tensors."""
    for node in nodes_in(body, *OWN_SCOPES):
        value: Node | None = None
        if node.type in ("assignment", "augmented_assignment"):
            target = field(node, "left")
            is_place = target is not None and _is_place(target)
            value = field(node, "right") if is_place else None
        elif node.type == "return_statement" and node.named_children:
            value = node.named_children[0]
        if value is not None and not _is_plain(value):
            text = f"{_STOP}(" if value.type == "expression_list" else _STOP
            yield Edit(value.start_byte, value.start_byte, text)
            yield Edit(value.end_byte, value.end_byte, "))" if value.type == "expression_list" else ")")


def _is_place(target: Node) -> bool:
    """Whether it is an attribute or an item; parameters are changed in another way (``p.data = value``)."""
    owner = field(target, "object") if text_of(target).endswith(".data") else None
    if owner is not None and is_parameter(owner):
        return False
    parts: Sequence[Node] = [target, *target.named_children] if "pattern" in target.type else [target]
    return any(one.type in ("attribute", "subscript") for one in parts)


def _is_plain(value: Node) -> bool:
    return value.type in ("integer", "float", "none", "true", "false", "string")
