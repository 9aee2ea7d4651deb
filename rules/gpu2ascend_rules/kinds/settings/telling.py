"""Whether a configuration can hold a value that any rule asks for, before it is parsed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from .places import Unread


def _whole(words: bytes) -> re.Pattern[bytes]:
    """Matches one of these words where it is a whole value, with what may stand behind it."""
    before, behind = rb"""(?<![^\s:=\[\{,"'])""", rb"""[ \t]*(?:["',\]\}#\r\n]|$)"""
    return re.compile(before + rb"(?P<value>" + words + rb")" + behind, re.M)


_DEVICE = _whole(rb"cuda(?::\d+)?|nccl|multi_gpu|gpu")
_IMAGE = re.compile(rb"""image\w*["']?[ \t]*:[^\r\n]{0,300}cu(?:da|\d\d)""")
_FEATURE = _whole(rb"nvme|onebit\w{1,60}|zerooneadam|lamb|lion|inductor|fp8")
_KEY = re.compile(rb"""\b(?:amp|gres|gpus|tf32|gpus_per_\w{4})["']?[ \t]*[:=]""")
_TRAINER = re.compile(
    rb"""_target_["']?[ \t]*[:=][ \t]*["']?(?:pytorch_)?lightning[\w.]{0,80}(?:trainer|fabric|lite)\b"""
)
_CHOSEN = re.compile(rb"""accelerator["']?[ \t]*[:=][ \t]*["']?auto\b""")
_WORDS = (
    *((word, _DEVICE) for word in (b"cuda", b"nccl", b"multi_gpu", b"gpu")),
    # What container and cluster files ask for GPUs by.
    (b"nvidia", None),
    (b"--gpus", None),
    (b"capabilities", re.compile(rb"""capabilities["']?[ \t]*:""")),
    (b"modelarts.", re.compile(rb"modelarts\.\w{1,60}\.gpu")),
    (b"image", _IMAGE),
    # Where Lightning chooses what it trains on.
    (b"_target_", _TRAINER),
    (b"accelerator", _CHOSEN),
    # What libraries and launchers take from configurations that the NPU lacks; see setting_needs.tsv.
    *(
        (word, _FEATURE)
        for word in (b"nvme", b"onebit", b"zerooneadam", b"lamb", b"lion", b"inductor", b"fp8")
    ),
    *((word, None) for word in (b"sparse_attention", b"zero_quantized_", b"hostrequirements")),
    *((word, _KEY) for word in (b"amp", b"gres", b"gpus", b"tf32")),
)
"""Words, in small letters, and what must match where one begins: searching for a word takes far less time
than searching for a pattern."""

_OF_TEMPLATES = re.compile(
    rb"\{\{|\{%|\$\{|<%|@\w{1,60}@|%\(\w{1,60}\)s|^[ \t]*//|/\*|,[ \t\r\n]{0,200}[}\]]", re.M
)
"""What fills a template in; and in JSON, comments and last commas, which its dialects allow."""


def _tellings(data: bytes) -> Iterator[int]:
    """Where something begins that a rule asks for, word by word."""
    lowered = data.lower()
    for word, pattern in _WORDS:
        at = lowered.find(word)
        while at >= 0:
            if pattern is None or pattern.match(lowered, at):
                yield at
            at = lowered.find(word, at + 1)


class Tellings:
    """Where a text has what some rule asks for: a part without any need not be looked at."""

    def __init__(self, data: bytes) -> None:
        self._starts = sorted(_tellings(data))

    def __bool__(self) -> bool:
        return bool(self._starts)

    def are_in(self, start: int, end: int) -> bool:
        """Whether one begins in a part of the text."""
        at = bisect_left(self._starts, start)
        return at < len(self._starts) and self._starts[at] < end


def is_telling(data: bytes) -> bool:
    """Whether one of the values stands there as a whole, or what asks for GPUs or what the NPU lacks."""
    return any(True for _ in _tellings(data))


def is_broken_text(data: bytes) -> bool:
    """Whether a file that could not be parsed names a device or back end, and is no template or dialect."""
    return any(True for _ in unread(data)) and not is_template(data)


def is_template(data: bytes) -> bool:
    """Whether something fills the text in before it is read, or it is of a dialect."""
    return _OF_TEMPLATES.search(data) is not None


def unread(data: bytes) -> Iterator[Unread]:
    """The first device or back end of a file that could not be parsed."""
    for match in _DEVICE.finditer(data.lower()):
        value = match["value"].decode()
        if value != "gpu":
            yield Unread(match.start("value"), match.end("value"), value)
            return
