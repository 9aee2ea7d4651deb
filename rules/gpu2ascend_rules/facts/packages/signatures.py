"""The exact signatures of names of torch_npu: releases differ in the arguments that they take."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ...data import load_tsv
from ...model.versions import Version
from .operators import operator_named

_OTHER_SPELLING = "torch.ops.npu."


def signature_of(name: str, version: Version) -> str | None:
    """The signature of a name of torch_npu in a release, or, of a CUDA operator, that of what replaces it.

    None where no wheel shows it: what native code defines below ``torch_npu.npu``, and what is inherited from
    torch, is called as that of ``torch.cuda``.
    """
    schema = _schemas().get((name.replace(_OTHER_SPELLING, "torch_npu.", 1), str(version)))
    if schema is not None:
        return schema
    operator = operator_named(name) if not name.startswith("torch") else None
    if operator is None or not operator.instead:
        return None
    of_release = _schemas().get((operator.instead, str(version)))
    if of_release is not None or not operator.signature:
        return of_release
    return f"{operator.instead}({operator.signature})"


@cache
def _schemas() -> Mapping[tuple[str, str], str]:
    return {
        (row["name"], version): row["signature"]
        for row in load_tsv("npu_signatures")
        for version in row["versions"].split()
    }
