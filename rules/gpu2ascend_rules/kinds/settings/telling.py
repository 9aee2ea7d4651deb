"""Whether a configuration can hold a value that any rule asks for, before it is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .places import Unread

_TELLING = re.compile(
    rb"""(?:^|[\s:=\[\{,"'])(?P<value>cuda(?::\d+)?|nccl|multi_gpu|gpu)[ \t]*(?:["',\]\}#\r\n]|$)""",
    re.I | re.M,
)


def is_telling(data: bytes) -> bool:
    """Whether one of the values stands there as a whole."""
    return _TELLING.search(data) is not None


def unread(data: bytes) -> Iterator[Unread]:
    """The first device or back end of a file that could not be parsed."""
    for match in _TELLING.finditer(data):
        value = match["value"].decode().lower()
        if value != "gpu":
            yield Unread(match.start("value"), match.end("value"), value)
            return
