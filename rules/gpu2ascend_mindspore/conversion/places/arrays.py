"""Arrays of NumPy that are changed while a tensor made of them is still read.

``torch.from_numpy`` shares the memory of the array, so that the tensor changes with it; ``Tensor`` copies it,
without an error. Such a file is refused: ``torch.from_numpy(a.copy())`` says that a copy is meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import (
    LOOPS,
    ancestors,
    arguments_of,
    call_of,
    encloses,
    field,
    is_field,
    same,
    text_of,
)
from gpu2ascend_rules.text.uses import uses_of_variable

from ..evidence import Evidence
from ..use import Reason, Use, refused

_TORCH = frozenset({"torch"})
_SHARE = frozenset({"torch.from_numpy", "torch.as_tensor"})
_CHANGE = frozenset({"fill", "itemset", "partition", "put", "resize", "sort"})
"""Methods of arrays that change them."""
_ASSIGNMENTS = frozenset({"assignment", "augmented_assignment"})


def uses_of_arrays(evidence: Evidence) -> Iterator[Use]:
    """The calls that make such a tensor."""
    if not any(name.rpartition(".")[2].encode() in evidence.source.data for name in _SHARE):
        return
    for ref in scan_names(evidence.source, _TORCH):
        call = call_of(ref.node) if ref.name in _SHARE else None
        array = arguments_of(call).at(0) if call is not None else None
        if call is None or array is None or array.value.type != "identifier":
            continue
        tensor = _kept_as(call)
        if tensor is not None and _is_changed_while_read(evidence, array.value, call, tensor):
            yield refused(ref.name, call, Reason.ARRAY, text_of(array.value))


def _kept_as(call: Node) -> Node | None:
    """What a tensor is assigned to, through methods that may share its memory; None where it is used up."""
    node = call
    while (method := parent_of(node)) is not None and method.type == "attribute":
        called = call_of(method)
        if called is None:
            return None
        node = called
    statement = parent_of(node)
    is_kept = statement is not None and statement.type == "assignment" and is_field(node, "right")
    return field(statement, "left") if is_kept else None


def _is_changed_while_read(evidence: Evidence, array: Node, call: Node, tensor: Node) -> bool:
    made = {binding.node.id for binding in evidence.reaching(array)}
    for use in uses_of_variable(array, evidence.source):
        change = _change(use)
        if change is None:
            continue
        loop = next((one for one in ancestors(call) if one.type in LOOPS and encloses(one, change)), None)
        if change.start_byte < call.end_byte and (loop is None or _is_given_in(evidence, loop, array)):
            continue  # it is done before, and each turn of the loop has an array of its own
        is_same = bool(made & {binding.node.id for binding in evidence.reaching(use)})
        if is_same and _is_read(evidence, tensor, call, change):
            return True
    return False


def _change(use: Node) -> Node | None:
    """The statement, or the call, by which a use of an array changes it."""
    node, parent = use, parent_of(use)
    if parent is not None and parent.type == "attribute" and is_field(node, "object"):
        name = field(parent, "attribute")
        return call_of(parent) if text_of(name) in _CHANGE else None
    while parent is not None and parent.type == "subscript" and is_field(node, "value"):
        node, parent = parent, parent_of(parent)
    is_target = parent is not None and parent.type in _ASSIGNMENTS and is_field(node, "left")
    return parent if is_target and not same(node, use) else None


def _is_read(evidence: Evidence, tensor: Node, call: Node, change: Node) -> bool:
    """Whether a tensor is read between a change of its array and its next making; an attribute may be."""
    if tensor.type != "identifier":
        return True
    is_before = change.start_byte < call.start_byte  # in an earlier turn the tensor was made
    for read in uses_of_variable(tensor, evidence.source):
        if change.end_byte <= read.start_byte and (not is_before or read.start_byte < call.start_byte):
            return True
        around = (one for one in ancestors(change) if one.type in LOOPS and encloses(one, read))
        for loop in () if is_before else around:
            if not encloses(loop, call) or read.start_byte < call.start_byte:
                return True
    return False


def _is_given_in(evidence: Evidence, loop: Node, array: Node) -> bool:
    """Whether a loop gives a variable its value."""
    return any(encloses(loop, binding.node) for binding in evidence.reaching(array))
