"""The exact signatures of names of torch_npu: releases differ in the arguments that they take."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ...data import load_tsv
from ...model.versions import Version
from ..names.npu_names import exists
from .operators import operator_named

_OTHER_SPELLING = "torch.ops.npu."


def signature_of(name: str, version: Version) -> str | None:
    """The signature of a name of torch_npu in a release, or, of a CUDA operator, that of what replaces it.

    None where nothing publishes it: what native code defines below ``torch_npu.npu``.
    """
    schema = _schemas().get((name.replace(_OTHER_SPELLING, "torch_npu.", 1), str(version)))
    if schema is not None:
        return schema
    inherited = _inherited().get(name)
    if inherited is not None and exists(name, version):
        return f"{name}{inherited['signature']}"
    operator = operator_named(name) if not name.startswith("torch") else None
    if operator is None or not operator.instead:
        return None
    of_release = _schemas().get((operator.instead, str(version)))
    if of_release is not None or not operator.signature:
        return of_release
    return f"{operator.instead}({operator.signature})"


def origin_of(name: str) -> str | None:
    """What a name of torch_npu inherits its signature from; None where it has one of its own, or none."""
    inherited = _inherited().get(name)
    return inherited["origin"] if inherited is not None else None


@cache
def _inherited() -> Mapping[str, Mapping[str, str]]:
    return {row["name"]: row for row in load_tsv("inherited_signatures")}


@cache
def _schemas() -> Mapping[tuple[str, str], str]:
    return {
        (row["name"], version): row["signature"]
        for row in load_tsv("npu_signatures")
        for version in row["versions"].split()
    }
