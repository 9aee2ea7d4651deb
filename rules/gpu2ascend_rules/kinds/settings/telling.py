"""Whether a configuration can hold a value that any rule asks for, before it is parsed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from .places import Unread

_TELLING = re.compile(
    rb"""(?:^|[\s:=\[\{,"'])(?P<value>cuda(?::\d+)?|nccl|multi_gpu|gpu)[ \t]*(?:["',\]\}#\r\n]|$)""",
    re.I | re.M,
)
_OF_CONTAINERS = re.compile(
    rb"""nvidia|--gpus|capabilities["']?[ \t]*:|modelarts\.\w+\.gpu"""
    rb"""|image\w*["']?[ \t]*:[^\r\n]*cu(?:da|\d\d)""",
    re.I,
)
"""What container and cluster files ask for GPUs by."""
_OF_LIBRARIES = re.compile(
    rb"""(?:^|[\s:=\[\{,"'])(?:nvme|onebit\w+|zerooneadam|lamb|lion|inductor|fp8)[ \t]*(?:["',\]\}#\r\n]|$)"""
    rb"""|sparse_attention|zero_quantized_|hostrequirements"""
    rb"""|\b(?:amp|gres|gpus|gpus_per_\w{4})["']?[ \t]*[:=]""",
    re.I | re.M,
)
"""What libraries and launchers take from configurations that the NPU lacks; see setting_needs.tsv."""

_OF_TEMPLATES = re.compile(
    rb"\{\{|\{%|\$\{|<%|@\w{1,60}@|%\(\w{1,60}\)s|^[ \t]*//|/\*|,[ \t\r\n]{0,200}[}\]]", re.M
)
"""What fills a template in; and in JSON, comments and last commas, which its dialects allow."""


_BEFORE = b" \t\r\n\f\v:=[{,\"'"
"""What the patterns take of what stands before a value."""


class Tellings:
    """Where a text has what some rule asks for: a part without any need not be looked at."""

    def __init__(self, data: bytes) -> None:
        patterns = (_TELLING, _OF_CONTAINERS, _OF_LIBRARIES)
        self._starts = sorted(
            match.end() - len(match[0].lstrip(_BEFORE))
            for pattern in patterns
            for match in pattern.finditer(data)
        )

    def __bool__(self) -> bool:
        return bool(self._starts)

    def are_in(self, start: int, end: int) -> bool:
        """Whether one begins in a part of the text."""
        at = bisect_left(self._starts, start)
        return at < len(self._starts) and self._starts[at] < end


def is_telling(data: bytes) -> bool:
    """Whether one of the values stands there as a whole, or what asks for GPUs or what the NPU lacks."""
    return any(pattern.search(data) for pattern in (_TELLING, _OF_CONTAINERS, _OF_LIBRARIES))


def is_broken_text(data: bytes) -> bool:
    """Whether a file that could not be parsed names a device or back end, and is no template or dialect."""
    return any(True for _ in unread(data)) and not is_template(data)


def is_template(data: bytes) -> bool:
    """Whether something fills the text in before it is read, or it is of a dialect."""
    return _OF_TEMPLATES.search(data) is not None


def unread(data: bytes) -> Iterator[Unread]:
    """The first device or back end of a file that could not be parsed."""
    for match in _TELLING.finditer(data):
        value = match["value"].decode().lower()
        if value != "gpu":
            yield Unread(match.start("value"), match.end("value"), value)
            return
