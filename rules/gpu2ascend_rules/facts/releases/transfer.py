"""What ``transfer_to_npu`` of a release of torch_npu replaces, and what it does not."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ...data import load_tsv
from ...model.versions import Version

_FIRST = Version(2, 1, 0)
"""Older releases are taken for this one."""
_ARGUMENTS = frozenset({"device", "backend", "both"})


class Unreached(NamedTuple):
    """A name that is not reached in a release, or not as one expects."""

    pattern: str
    key: str
    """Of the message."""
    severity: str


@cache
def patched_functions(version: Version) -> frozenset[str]:
    """The functions whose positional texts are rewritten, wherever ``cuda`` or ``nccl`` is in them."""
    return frozenset(row["name"] for row in _patched(version) if row["how"] in _ARGUMENTS)


@cache
def patched_names(version: Version) -> frozenset[str]:
    """Everything that is replaced: who imported it by name before has the old one."""
    return frozenset(row["name"].removesuffix(".__init__") for row in _patched(version))


@cache
def unreached(version: Version) -> dict[str, Unreached]:
    """What is not reached in a release, by the pattern of its names."""
    return {
        row["name"]: Unreached(row["name"], row["key"], row["severity"])
        for row in load_tsv("transfer_reach")
        if not is_in(version, row["reached"] or "")
    }


def unreached_patterns() -> tuple[str, ...]:
    """The patterns of all names that some release does not reach."""
    return tuple(row["name"] for row in load_tsv("transfer_reach"))


def _patched(version: Version) -> list[dict[str, str]]:
    return [row for row in load_tsv("transfer_patched") if is_in(version, row["releases"])]


def is_in(version: Version, spans: str) -> bool:
    """Whether a release is in spans such as ``2.1.0,2.5.1-`` or ``2.3.1-2.4.0``."""
    wanted = max(version, _FIRST)
    return any(_is_within(wanted, span) for span in spans.split(",") if span)


def _is_within(version: Version, span: str) -> bool:
    first, dash, last = span.partition("-")
    if not dash:
        return version == _version(first)
    return _version(first) <= version and (not last or version <= _version(last))


def _version(text: str) -> Version:
    major, minor, patch = (int(part) for part in text.split("."))
    return Version(major, minor, patch)
