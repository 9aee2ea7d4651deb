"""A set of supported versions as a number: bit n means ``SUPPORTED_VERSIONS[n]``."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.versions import SUPPORTED_VERSIONS, Version

_BITS = {version: 1 << place for place, version in enumerate(SUPPORTED_VERSIONS)}


def bit_of(version: Version) -> int:
    """The set that holds one version. Raises KeyError: the version is not a supported one."""
    return _BITS[version]


def set_of(versions: Iterable[Version]) -> int:
    """The set that holds some versions."""
    bits = 0
    for version in versions:
        bits |= _BITS[version]
    return bits


def versions_in(bits: int) -> tuple[Version, ...]:
    """The versions of a set, oldest first."""
    return tuple(version for version, bit in _BITS.items() if bits & bit)


def written(bits: int) -> str:
    """The set as the tables write it."""
    return f"{bits:x}"


def read(text: str) -> int:
    """The set that :func:`written` wrote."""
    return int(text, 16)
