"""``nn.MultiheadAttention`` without weights gives a tuple of one there, and always two values in torch."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.edits.removal import argument_removals
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, call_of, enclosing, field, is_field, text_of

from ..evidence import Evidence
from ..use import Use, changed

_LAYER = "torch.nn.MultiheadAttention"
_FLAG = "need_weights"
_PAIRS = frozenset({"pattern_list", "tuple_pattern"})


def uses_of_attention(evidence: Evidence) -> Iterator[Use]:
    """The calls that ask for no weights: they get both where none are read, and else None for them."""
    if not evidence.source.identifiers(_LAYER.rpartition(".")[2]):
        return
    for name in evidence.source.identifiers(_FLAG):
        call = enclosing(name, "call") if is_field(name, "name") else None
        function = field(call, "function")
        if call is None or function is None or call_of(function) is None:
            continue
        given = arguments_of(call).keyword(_FLAG)
        outer = parent_of(call)
        is_picked = outer is not None and outer.type == "subscript" and is_field(call, "value")
        if (
            given is None
            or text_of(given.value) == "True"
            or is_picked
            or not _is_attention(evidence, function)
        ):
            continue
        if _may_be_read(evidence, call):
            before, after = ("(", "[0], None)") if text_of(given.value) == "False" else ("(*", ", None)[:2]")
            edits = [
                Edit(call.start_byte, call.start_byte, before),
                Edit(call.end_byte, call.end_byte, after),
            ]
            yield changed(_LAYER, call, edits)
        else:
            yield changed(_LAYER, call, argument_removals(call, [given]))


def _is_attention(evidence: Evidence, function: Node) -> bool:
    found = evidence.instance(function)
    return found is not None and found.class_name == _LAYER


def _may_be_read(evidence: Evidence, call: Node) -> bool:
    """Whether the weights that a call gives may be looked at, and None be expected."""
    outer = parent_of(call)
    target = field(outer, "left") if outer is not None and outer.type == "assignment" else None
    if target is None:
        return outer is None or outer.type != "expression_statement"
    is_pair = target.type in _PAIRS and len(target.named_children) == 2
    name = target.named_children[1] if is_pair else target
    if name.type != "identifier":
        return True
    scope = enclosing(call, "function_definition", "lambda") or evidence.source.root
    uses = evidence.source.identifiers_in(text_of(name), scope)
    return any(not _is_target(use) and (is_pair or not _is_first_picked(use)) for use in uses)


def _is_target(name: Node) -> bool:
    outer = parent_of(name)
    return outer is not None and (
        outer.type in _PAIRS or (outer.type == "assignment" and is_field(name, "left"))
    )


def _is_first_picked(name: Node) -> bool:
    """``pair[0]``"""
    outer = parent_of(name)
    is_value = outer is not None and outer.type == "subscript" and is_field(name, "value")
    return is_value and text_of(field(outer, "subscript")) == "0"
