"""Which supported version a user means: a release, a requirement on torch, or torch alone."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..model.finding import Message
from ..model.versions import SUPPORTED_VERSIONS, UnknownVersionError, Version, VersionChoice, choose_version
from .specifiers import allowed_versions, parse_clauses

_CHANNEL = re.compile(r"[\w-]+::(?=(?:py)?torch)", re.I)
"""The channel of a requirement of conda: ``pytorch::pytorch=2.1``."""
_NAMED = re.compile(r"(?:py)?torch[\s-]+(?=v?\d)", re.I)
"""The name before a release as people and files have it: ``PyTorch 2.1``, ``torch-2.1.0``."""
_MAJOR = re.compile(r"v?(\d+)", re.I)
_PACKAGE = re.compile(r"(?:py)?torch\s*(?:\[[^\]]*\])?\s*(?=$|[(<>=!~^])", re.I)
_RELEASE = re.compile(r"(?:(?:py)?torch\s*={2,3}\s*)?v?(\d+)\.(\d+)(?:\.(\d+))?(?:\+\w+)?", re.I)
_CONDITION = re.compile(r"[<>=!~^,]")


class Neighbours(NamedTuple):
    """The supported versions around a release that has no tables; None beyond either end."""

    release: str
    before: Version | None
    after: Version | None


def version_meant(spelling: str) -> VersionChoice:
    """The supported version that a user means.

    ``2.8``, ``v2.8.0``, ``PyTorch 2.8`` and ``2.8.0+cu121`` name a release. A requirement such as
    ``torch>=1.7,<2.3`` means the newest supported version that satisfies it, ``2`` the newest that begins
    so, ``torch`` alone the newest of all.

    Raises:
        UnknownVersionError: none is meant.
    """
    text = _plain(spelling)
    major = _MAJOR.fullmatch(text)
    if major is not None:
        return _newest(int(major[1]), spelling)
    named = _PACKAGE.match(text)
    condition = text[named.end() :].strip().strip("()") if named is not None else text
    if named is None and not _CONDITION.search(text):
        return choose_version(text)
    clauses = parse_clauses(condition)
    if condition and len(clauses) != len(condition.split(",")):
        raise UnknownVersionError(spelling)
    allowed = allowed_versions(clauses)
    if not allowed:
        raise UnknownVersionError(spelling)
    return VersionChoice(allowed[-1], exact=False)


def _plain(spelling: str) -> str:
    """A spelling without what people put before it: the channel of conda, the library's name."""
    return _NAMED.sub("", _CHANNEL.sub("", spelling.strip(), count=1), count=1)


def _newest(major: int, spelling: str) -> VersionChoice:
    found = [version for version in SUPPORTED_VERSIONS if version.major == major]
    if not found:
        raise UnknownVersionError(spelling)
    return VersionChoice(found[-1], exact=False)


def neighbours(spelling: str) -> Neighbours | None:
    """The supported versions around an unsupported release; None for a text that is no release."""
    match = _RELEASE.fullmatch(_plain(spelling))
    if match is None:
        return None
    wanted = Version(int(match[1]), int(match[2]), int(match[3] or 0))
    before = [version for version in SUPPORTED_VERSIONS if version < wanted]
    after = [version for version in SUPPORTED_VERSIONS if version > wanted]
    release = ".".join(part for part in match.groups() if part is not None)
    return Neighbours(release, before[-1] if before else None, after[0] if after else None)


def why_unknown(spelling: str) -> Message:
    """What to tell a user whose spelling means no supported version."""
    around = neighbours(spelling)
    known = ", ".join(str(version) for version in SUPPORTED_VERSIONS)
    if around is None:
        is_condition = _PACKAGE.match(spelling.strip()) or _CONDITION.search(spelling)
        reason = "option.error.version_none" if is_condition else "option.error.version"
        return Message.of(reason, value=spelling, choices=known)
    if around.before is None or around.after is None:
        nearest = around.before or around.after
        parameters = {"value": around.release, "nearest": nearest, "choices": known}
        return Message.of("option.error.version_outside", **parameters)
    parameters = {"value": around.release, "before": around.before, "after": around.after}
    return Message.of("option.error.version_between", **parameters)
