"""Versions of the driver, the firmware and CANN, which do not follow Python's rules, and how they compare."""

from __future__ import annotations

import re

_PART = re.compile(r"(rc|alpha|beta|t)?(\d+)", re.IGNORECASE)


def order(version: str) -> tuple[tuple[int, int], ...]:
    """What sorts versions: a release candidate such as ``24.1.rc2`` lies before ``24.1.0``."""
    return tuple((0 if part[1] else 1, int(part[2])) for part in _PART.finditer(version))


def at_least(version: str, minimum: str) -> bool:
    """Whether a version is a minimum or newer."""
    return order(version) >= order(minimum)


def same_release(version: str, release: str) -> bool:
    """Whether a version is of a release: ``8.2.RC1.alpha003`` is of ``8.2.RC1``, ``8.5.0`` of ``8.5``."""
    ours, its = version.upper().split("."), release.upper().split(".")
    return ours[: len(its)] == its
