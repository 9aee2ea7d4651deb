"""The version that the files of an installation name."""

from __future__ import annotations

import re
from collections.abc import Iterable

_VERSION = re.compile(r"^\s*version\s*=\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_CONFIGURED = re.compile(r"=\[[^:\]]*:([^\]\s]+)\]")


def installed_version(text: str | None) -> str | None:
    """What the line ``version=`` of a ``version.info`` or an ``ascend_*_install.info`` says."""
    match = _VERSION.search(text or "")
    return match[1] if match is not None else None


def configured_version(text: str | None) -> str | None:
    """The version of CANN that a ``version.cfg`` names: ``toolkit_running_version=[7.6.0.1.220:8.2.RC1]``."""
    match = _CONFIGURED.search(text or "")
    return match[1] if match is not None else None


def first_version(texts: Iterable[str]) -> str | None:
    """The first version that one of several files names."""
    return next((found for text in texts if (found := installed_version(text))), None)
