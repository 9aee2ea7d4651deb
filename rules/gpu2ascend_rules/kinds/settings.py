"""Settings in configurations: the places, the nodes of their trees, and what could not be parsed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..limits.checkpoints import checkpoint

_VARIABLE = re.compile(r"(?P<set>(?P<name>[A-Za-z_]\w*)=)(?P<value>.*)")
"""A variable in a list of those that a container gets."""


def text_of(node: Node) -> str:
    """The text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def has_error(node: Node) -> bool:
    """Whether something below a node could not be parsed."""
    return node.has_error or node.is_error or node.is_missing


def comment_over(root: Node, start: int, end: int) -> str | None:
    """The comment that holds a span."""
    checkpoint()
    node = root.descendant_for_byte_range(start, end)
    return text_of(node) if node is not None and node.type == "comment" else None


Near = Callable[[int, int], bool]
"""Whether a part of the text, from an offset to another, holds one of the words."""


def near(data: bytes, words: Iterable[bytes]) -> Near:
    """Finds the words, which are in lower case, in any case of letters."""
    lowered = data.lower()
    starts = sorted(start for word in words for start in _starts(lowered, word))

    def is_near(start: int, end: int) -> bool:
        at = bisect_left(starts, start)
        return at < len(starts) and starts[at] < end

    return is_near


def _starts(data: bytes, word: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + 1)


_VALUE = re.compile(
    rb"""(?<![^\s:=\[\{,"'])(?P<value>(?:cuda(?::\d+)?|nccl|multi_gpu)(?=[ \t]*(?:["',\]\}#\r\n]|$))"""
    rb"""|nvidia\.com/gpu(?=["']?[ \t]*:))""",
    re.M,
)
"""A device, back end or launcher that is a whole value, with what may follow it, or a resource of pods."""
_OF_TEMPLATES = re.compile(
    rb"\{\{|\{%|\$\{|<%|@\w{1,60}@|%\(\w{1,60}\)s|^[ \t]*//|/\*|,[ \t\r\n]{0,200}[}\]]", re.M
)
"""What fills a template in; and in JSON, comments and last commas, which its dialects allow."""


def is_broken_text(data: bytes) -> bool:
    """Whether a file that could not be parsed names a device or back end, and is no template or dialect."""
    return any(True for _ in unread(data)) and not is_template(data)


def is_template(data: bytes) -> bool:
    """Whether something fills the text in before it is read, or it is of a dialect."""
    return _OF_TEMPLATES.search(data) is not None


def unread(data: bytes) -> Iterator[Unread]:
    """The first device, back end or launcher of a file that could not be parsed."""
    match = _VALUE.search(data.lower())
    if match is not None:
        yield Unread(match.start("value"), match.end("value"), match["value"].decode())


class Setting(NamedTuple):
    """A value that is one text. The span is that of the text, without quotes."""

    start: int
    end: int
    keys: tuple[str, ...]
    """The way to it from the top of the file; the place in a list is written as ``[]``."""
    value: str

    @property
    def key(self) -> str:
        """The last key that is a name; empty for a value at the top."""
        return next((key for key in reversed(self.keys) if key != "[]"), "")

    @property
    def named(self) -> Setting:
        """What a container's list of variables sets, ``NAME=value``, by its name; else the setting itself."""
        match = _VARIABLE.fullmatch(self.value) if self.keys[-2:] == ("environment", "[]") else None
        if match is None:
            return self
        start = self.start + len(match["set"])
        return Setting(start, self.end, (*self.keys[:-1], match["name"]), match["value"])


class Unread(NamedTuple):
    """A value that may matter in a file that could not be parsed: broken, or a template."""

    start: int
    end: int
    value: str
