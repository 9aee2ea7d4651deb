"""Casts to a class of tensors: ``x.type(torch.FloatTensor)`` as ``x.astype(ms.float32)``."""

from __future__ import annotations

from collections.abc import Iterator

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, call_of, field

from ..evidence import Evidence
from ..use import Use, changed
from ..values.legacy_types import DTYPES, cast_to

_TYPE = "torch.Tensor.type"


def uses_of_casts(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each cast: nothing but a tensor is given such a class."""
    if not evidence.imports:
        return
    for ref in scan_members(evidence.source, ["type"]):
        call, name = call_of(ref.node), field(ref.node, "attribute")
        kind = cast_to(evidence.source, call) if call is not None else ""
        if call is None or name is None or not kind:
            continue
        given = arguments_of(call).items[0].value
        evidence.take_care_of(call, but=ref.receiver)
        edits = [
            Edit(name.start_byte, name.end_byte, "astype"),
            Edit(given.start_byte, given.end_byte, f"ms.{DTYPES[kind]}"),
        ]
        yield changed(_TYPE, call, edits, {"ms"})
