"""Parts of tensors that several numbers pick, of which a tensor may be one: ``scores[tags[i], tags[i - 1]]``.

MindSpore takes no gradient of such a part where the tensors have no dimension; that of one number after the
other it takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import field, is_assigned, last_name, text_of

from ..differentiated import is_differentiated
from ..evidence import Evidence
from ..use import Use, changed

_ITEM = "torch.Tensor.__getitem__"
_PART = "picked"
_SIZES = (".shape", ".size()")
_NUMBERS = frozenset({"integer", "identifier", "subscript", "unary_operator", "binary_operator", "call"})
"""What may be a number, or a tensor that picks."""


def uses_of_picked(evidence: Evidence) -> Iterator[Use]:
    """The parts where gradients may be taken, as calls that look at the dimensions of the tensors."""
    for node in nodes_in(evidence.source.root) if evidence.imports else ():
        value = field(node, "value") if node.type == "subscript" else None
        indices = node.children_by_field_name("subscript")
        if value is None or len(indices) < 2 or is_assigned(node):
            continue
        are_numbers = all(one.type in _NUMBERS and last_name(one) != "slice" for one in indices)
        is_picked = are_numbers and any(_may_be_number(evidence, one) for one in indices)
        if is_picked and evidence.is_of_kind(value, "tensor") and is_differentiated(evidence, node):
            edits = [
                Edit(node.start_byte, node.start_byte, f"like_torch.{_PART}("),
                Edit(value.end_byte, indices[0].start_byte, ", "),
                Edit(indices[-1].end_byte, node.end_byte, ")"),
            ]
            use = changed(_ITEM, node, edits)
            yield use._replace(needs=frozenset({"like_torch"}), parts=frozenset({_PART}))


def _may_be_number(evidence: Evidence, index: Node) -> bool:
    """Whether an index may be a tensor without a dimension: an element of something, or a turn of a loop."""
    if index.type == "subscript":
        owner = text_of(field(index, "value"))
        inner = index.children_by_field_name("subscript")
        return not owner.endswith(_SIZES) and not any(one.type in ("slice", "list", "none") for one in inner)
    if index.type != "identifier" or not evidence.is_of_kind(index, "tensor"):
        return False
    values = [one.value for one in evidence.reaching(index)]
    return all(one is None or (one.type == "subscript" and _may_be_number(evidence, one)) for one in values)
