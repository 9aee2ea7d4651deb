"""Parameters that are registered under a written name: ``self.register_parameter("bias", None)``.

They are attributes, which a cell registers when they are assigned.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.limits.parents import parent_type
from gpu2ascend_rules.text.syntax import arguments_of, call_of, text_of

from ....correspondences.call_edits import edits_of
from ....correspondences.rendering import Slot
from ....correspondences.values import Refused
from ...evidence import Evidence
from ...use import Use, changed

_METHOD = "register_parameter"


def uses_of_registered(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each parameter with a written name; others are refused by the table."""
    for ref in scan_members(evidence.source, [_METHOD]):
        call = call_of(ref.node)
        named = _named(call) if call is not None and ref.receiver_name is None else None
        if call is None or named is None or not evidence.is_module(ref.receiver):
            continue
        try:
            edits = edits_of(call, [Slot(ref.receiver), f".{named[0]} = ", Slot(named[1])])
        except Refused:
            continue
        evidence.take_care_of(ref.node, but=ref.receiver)
        yield changed(f"torch.nn.Module.{_METHOD}", call, edits)


def _named(call: Node) -> tuple[str, Node] | None:
    """The written name and the parameter that a statement registers."""
    given = arguments_of(call)
    name, value = given.get("name", 0), given.get("param", 1)
    if name is None or value is None or given.unpacked or parent_type(call) != "expression_statement":
        return None
    written = text_of(name.value).strip("\"'")
    is_written = name.value.type == "string" and written.isidentifier()
    return (written, value.value) if is_written else None
