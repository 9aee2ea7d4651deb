"""Packed sequences: a layer of MindSpore takes the lengths beside the padded batch, as ``seq_length``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    call_of,
    called_on,
    enclosing,
    field,
    last_name,
    passed_to,
    same,
    target_of,
    text_of,
)
from gpu2ascend_rules.text.uses import uses_of_variable

from ..evidence import Evidence
from ..use import Use, changed

_MODULE = "torch.nn.utils.rnn."
_PACK, _PAD = "pack_padded_sequence", "pad_packed_sequence"
_LAYERS = frozenset({"torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN"})
_SCOPES = ("function_definition", "module")
_KNOWN = frozenset({"batch_first", "enforce_sorted"})
_BINDING = ("assignment", "augmented_assignment", "for_statement", "named_expression")


class _Packed(NamedTuple):
    """A packed batch, the only call that takes it, and what unpacks its output."""

    pack: Node
    layer: Node
    pad: Node | None
    lengths: str


def uses_of_packed(evidence: Evidence) -> Iterator[Use]:
    """What becomes of batches that are packed for one layer, and of its output."""
    for identifier in evidence.source.identifiers(_PACK):
        parent = parent_of(identifier)
        function = parent if parent is not None and parent.type == "attribute" else identifier
        call = call_of(function)
        if call is None or evidence.source.names.name_of(function) != f"{_MODULE}{_PACK}":
            continue
        packed = _packed(evidence, call)
        if packed is not None:
            yield from _written(evidence, packed)


def _packed(evidence: Evidence, call: Node) -> _Packed | None:
    given = arguments_of(call)
    batch, lengths = given.at(0), given.get("lengths", 1)
    if batch is None or lengths is None or given.unpacked:
        return None
    layer, name = _only_layer(evidence, call), _name_of(lengths.value)
    if layer is None or not name or {one.keyword for one in given.items[2:]} - _KNOWN:
        return None
    output = _output_of(layer)
    pads = _pads(layer, output) if output is not None else None
    last = pads[0] if pads else layer
    if pads is None or _changes(name, call, last):
        return None
    return _Packed(call, layer, pads[0] if pads else None, name)


def _changes(lengths: str, pack: Node, last: Node) -> bool:
    """Whether the lengths may be other ones where the layer, or what unpacks its output, reads them."""
    for node in _behind(pack):
        if node.start_byte >= last.start_byte:
            continue
        target = field(node, "left") or (field(node, "name") if node.type == "named_expression" else None)
        bound = nodes_in(target) if target is not None and node.type in _BINDING else ()
        if any(text_of(one) == lengths for one in bound):
            return True
        function = field(node, "function") if node.type == "call" else None
        is_in_place = function is not None and last_name(node).endswith("_")
        if function is not None and is_in_place and text_of(function).startswith(f"{lengths}."):
            return True
    return False


def _only_layer(evidence: Evidence, call: Node) -> Node | None:
    """The call of a recurrent layer that takes what is packed, if nothing else does."""
    target = target_of(call)
    passed = passed_to(call)
    if target is not None and target.type == "identifier":
        uses = [one for one in uses_of_variable(target, evidence.source) if not same(one, target)]
        passed = passed_to(uses[0]) if len(uses) == 1 else None
    if passed is None or passed.argument.position != 0:
        return None
    function = field(passed.call, "function")
    layer = evidence.instance(function) if function is not None else None
    return passed.call if layer is not None and layer.class_name in _LAYERS else None


def _name_of(lengths: Node) -> str:
    """The variable of the lengths, that may be on the CPU already or as a list."""
    while lengths.type == "call" and last_name(lengths) in ("cpu", "to", "tolist", "int", "long"):
        owner = called_on(lengths)
        if owner is None:
            return ""
        lengths = owner
    return text_of(lengths) if lengths.type == "identifier" else ""


def _output_of(layer: Node) -> Node | None:
    """The variable of a layer's output: ``output, (h, c) = lstm(packed)``."""
    targets = target_of(layer)
    return targets.named_children[0] if targets is not None and targets.type == "pattern_list" else None


def _pads(layer: Node, output: Node) -> list[Node] | None:
    """The call that unpacks the output of a layer, or none; None where it is used otherwise."""
    behind = _behind(layer)
    pads = [node for node in behind if node.type == "call" and last_name(node) == _PAD]
    names = [node for node in behind if node.type == "identifier" and text_of(node) == text_of(output)]
    if not pads:
        return None if names else []
    statement = parent_of(pads[0])
    if len(pads) > 1 or statement is None or not _gives_two(statement) or not _takes(pads[0], output):
        return None
    return None if any(one.start_byte < statement.start_byte for one in names) else pads


def _behind(node: Node) -> list[Node]:
    """What stands behind a node in its function."""
    scope = enclosing(node, *_SCOPES)
    return [one for one in nodes_in(scope) if one.start_byte > node.end_byte] if scope is not None else []


def _gives_two(statement: Node) -> bool:
    targets = field(statement, "left") if statement.type == "assignment" else None
    return targets is not None and targets.type == "pattern_list" and len(targets.named_children) == 2


def _takes(pad: Node, output: Node) -> bool:
    """Whether a call unpacks an output as it is."""
    given = arguments_of(pad)
    first = given.at(0)
    is_plain = first is not None and text_of(first.value) == text_of(output)
    return is_plain and {one.keyword for one in given.items[1:]} <= {"batch_first"}


def _written(evidence: Evidence, packed: _Packed) -> Iterator[Use]:
    pack, layer, lengths = packed.pack, packed.layer, packed.lengths
    batch = arguments_of(pack).items[0].value
    evidence.take_care_of(pack, but=batch)
    edits = [Edit(pack.start_byte, batch.start_byte, ""), Edit(batch.end_byte, pack.end_byte, "")]
    yield changed(f"{_MODULE}{_PACK}", pack, edits)
    end = layer.end_byte - 1
    more = f", seq_length=Tensor({lengths}, ms.int32)"
    yield changed(f"{_MODULE}{_PACK}", layer, [Edit(end, end, more)], {"Tensor", "ms"})
    if packed.pad is None:
        return
    given = arguments_of(packed.pad)
    first, batch_first = given.items[0].value, given.keyword("batch_first")
    targets = field(parent_of(packed.pad), "left")
    assert targets is not None
    evidence.take_care_of(packed.pad)
    is_first = batch_first is not None and text_of(batch_first.value) == "True"
    part = f"{text_of(first)}[{':, ' if is_first else ''}:int(max({lengths}))]"
    name, size = targets.named_children
    taken = [Edit(packed.pad.start_byte, packed.pad.end_byte, f"{part}, {lengths}")]
    if text_of(size).startswith("_"):
        taken = [
            Edit(name.end_byte, targets.end_byte, ""),
            Edit(packed.pad.start_byte, packed.pad.end_byte, part),
        ]
    yield changed(f"{_MODULE}{_PAD}", packed.pad, taken)
