"""``nn.MultiheadAttention`` without weights gives a tuple of one there, and always two values in torch."""

from __future__ import annotations

from collections.abc import Iterator

from gpu2ascend_rules.edits.removal import argument_removals
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import arguments_of, call_of, enclosing, field, is_field, text_of

from ..evidence import Evidence
from ..use import Use, changed

_LAYER = "torch.nn.MultiheadAttention"
_FLAG = "need_weights"


def uses_of_attention(evidence: Evidence) -> Iterator[Use]:
    """The calls that ask for no weights: they get both, where not the first of them is picked at once."""
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
        if given is None or text_of(given.value) == "True" or is_picked or not evidence.is_module(function):
            continue
        yield changed(_LAYER, call, argument_removals(call, [given]))
