"""Learning rates: parameters of MindSpore, which are set in place and read as numbers.

``group['lr'] = rate`` would leave a number there that not every optimizer and no scheduler looks at, and
``group['lr']`` is what it will be, not what it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, call_of, field, is_assigned, text_of

from ....correspondences.rendering import Piece, Slot
from ...evidence import Evidence
from ...places.rates import GROUPS, is_rate
from ...use import Reason, Use, changed, refused, written

RATE = "torch.optim.Optimizer.param_groups"
LAST = "torch.optim.lr_scheduler.LRScheduler.get_last_lr"
_UPDATES = {"+=": "+", "-=": "-", "*=": "*", "/=": "/"}
_SIMPLE = frozenset(
    {"identifier", "attribute", "call", "integer", "float", "subscript", "parenthesized_expression"}
)


def uses_of_rates(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each learning rate of a group of parameters, and of those that schedulers give."""
    if GROUPS.encode() in evidence.source.data:
        for node in _subscripts(evidence.source.root):
            if is_rate(node):
                yield _rate(evidence, node)
    for ref in scan_members(evidence.source, ["get_last_lr"]):
        call = call_of(ref.node)
        if call is not None and not arguments_of(call).items and ref.receiver_name is None:
            yield _last_rates(call)


def _last_rates(call: Node) -> Use:
    """``scheduler.get_last_lr()`` as numbers, or one of them: ``scheduler.get_last_lr()[0].item()``."""
    one = parent_of(call)
    if one is not None and one.type == "subscript" and text_of(field(one, "subscript")).lstrip("-").isdigit():
        return changed(LAST, call, [Edit(one.end_byte, one.end_byte, ".item()")])
    start, end = call.start_byte, call.end_byte
    return changed(LAST, call, [Edit(start, start, "[one.item() for one in "), Edit(end, end, "]")])


def _subscripts(root: Node) -> Iterator[Node]:
    return (node for node in nodes_in(root) if node.type == "subscript")


def _rate(evidence: Evidence, node: Node) -> Use:
    parent = parent_of(node)
    if parent is not None and parent.type == "pattern_list":
        return refused(RATE, node, Reason.ARGUMENTS)
    if parent is None or not is_assigned(node):
        return changed(RATE, node, [Edit(node.end_byte, node.end_byte, ".item()")])
    value, operator = field(parent, "right"), field(parent, "operator")
    statement = parent_of(parent)
    single = statement is not None and statement.type == "expression_statement"
    if value is None or not single or value.type in ("assignment", "expression_list"):
        return refused(RATE, node, Reason.ARGUMENTS)
    if operator is not None and text_of(operator) not in _UPDATES:
        return refused(RATE, node, Reason.ARGUMENTS)
    given: list[Piece] = [", ", Slot(value)]
    if operator is not None:
        simple = value.type in _SIMPLE
        head = f", {text_of(node)} {_UPDATES[text_of(operator)]} "
        given = [head, Slot(value)] if simple else [f"{head}(", Slot(value), ")"]
    return written(RATE, node, ["ops.assign(", Slot(node), *given, ")"], {"ops"}, parent)
