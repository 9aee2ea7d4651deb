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
    enclosing,
    field,
    last_name,
    passed_to,
    same,
    text_of,
)
from gpu2ascend_rules.text.uses import uses_of_variable

from ..evidence import Evidence
from ..use import Use, changed

_MODULE = "torch.nn.utils.rnn."
_PACK, _PAD = "pack_padded_sequence", "pad_packed_sequence"
_LAYERS = frozenset({"torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN"})
_KNOWN = frozenset({"batch_first", "enforce_sorted"})


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
    given, assignment = arguments_of(call), parent_of(call)
    target = field(assignment, "left") if assignment is not None and assignment.type == "assignment" else None
    lengths = given.get("lengths", 1)
    if target is None or target.type != "identifier" or given.at(0) is None or lengths is None:
        return None
    if given.unpacked or any(one.keyword not in _KNOWN for one in given.items[2:]):
        return None
    uses = [one for one in uses_of_variable(target, evidence.source) if not same(one, target)]
    passed = passed_to(uses[0]) if len(uses) == 1 else None
    function = field(passed.call, "function") if passed is not None else None
    layer = evidence.instance(function) if function is not None else None
    name = _name_of(lengths.value)
    if passed is None or passed.argument.position != 0 or layer is None or layer.class_name not in _LAYERS:
        return None
    pad = _pad_of(evidence, passed.call)
    return _Packed(call, passed.call, pad[0] if pad else None, name) if name and pad is not None else None


def _name_of(lengths: Node) -> str:
    """The variable of the lengths, that may be on the CPU already or as a list."""
    while lengths.type == "call" and last_name(lengths) in ("cpu", "to", "tolist", "int", "long"):
        owner = field(field(lengths, "function"), "object")
        if owner is None:
            return ""
        lengths = owner
    return text_of(lengths) if lengths.type == "identifier" else ""


def _pad_of(evidence: Evidence, layer: Node) -> tuple[Node, ...] | None:
    """The statement that unpacks the output of a layer, if one does; None where it is used otherwise."""
    assignment = parent_of(layer)
    targets = (
        field(assignment, "left") if assignment is not None and assignment.type == "assignment" else None
    )
    if targets is None or targets.type != "pattern_list":
        return None
    output = targets.named_children[0]
    scope = enclosing(layer, "function_definition", "module")
    calls = [
        node
        for node in nodes_in(scope)
        if node.type == "call" and last_name(node) == _PAD and node.start_byte > layer.end_byte
    ] if scope is not None else []  # fmt: skip
    end = calls[0].end_byte if calls else scope.end_byte if scope is not None else 0
    reads = [
        one
        for one in evidence.source.identifiers(text_of(output))
        if layer.end_byte < one.start_byte < end and enclosing(one, "function_definition", "module") == scope
    ]
    if not calls:
        return () if not reads else None
    given, statement = arguments_of(calls[0]), parent_of(calls[0])
    first = given.at(0)
    own = [one for one in reads if statement is None or one.start_byte >= calls[0].start_byte]
    is_plain = len(calls) == 1 and first is not None and len(own) == 1 and same(own[0], first.value)
    named = field(statement, "left") if statement is not None and statement.type == "assignment" else None
    before = [one for one in reads if one.start_byte < (named or calls[0]).start_byte]
    is_known = named is not None and named.type == "pattern_list" and len(named.named_children) == 2
    if not is_plain or before or not is_known or {one.keyword for one in given.items[1:]} - {"batch_first"}:
        return None
    return (calls[0],)


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
