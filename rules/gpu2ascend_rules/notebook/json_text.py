"""A JSON text as values that know where they stand in it."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')


class String(NamedTuple):
    """A string. The offsets are those of its quotes, in characters, end exclusive."""

    start: int
    end: int
    raw: str
    """As written, quotes and escapes included."""

    @property
    def value(self) -> str:
        """What it says."""
        return str(json.loads(self.raw))


class Array(NamedTuple):
    """An array, with the offsets of its brackets."""

    start: int
    end: int
    items: list[Value]


class Object(NamedTuple):
    """An object. Of members of one name the last counts, as for ``json``."""

    start: int
    end: int
    members: dict[str, Value]


class Scalar(NamedTuple):
    """A number, ``true``, ``false`` or ``null``."""

    start: int
    end: int
    raw: str


Value = String | Array | Object | Scalar


def parse(text: str) -> Value:
    """The value of a JSON text.

    Raises:
        json.JSONDecodeError: the text is not JSON.
        RecursionError: it nests deeper than ``json`` can follow.
    """
    json.loads(text)  # checks everything, in C; below it only remains to look where things stand
    return _Builder(text).value


class _Open(NamedTuple):
    """An array or object of which the end has not been reached."""

    start: int
    is_object: bool
    items: list[Value]
    """An object's keys and values, in turn."""

    def closed(self, end: int) -> Value:
        if not self.is_object:
            return Array(self.start, end, self.items)
        keys = (item.value for item in self.items[::2] if isinstance(item, String))
        return Object(self.start, end, dict(zip(keys, self.items[1::2], strict=True)))


class _Builder:
    """Builds the values of a text that is known to be JSON. Depth costs no recursion."""

    def __init__(self, text: str) -> None:
        self._open = [_Open(0, is_object=False, items=[])]
        for token in _TOKEN.finditer(text):
            self._take(token)
        self.value = self._open[0].items[0]

    def _take(self, token: re.Match[str]) -> None:
        raw = token[0]
        if raw in ",:":
            return
        if raw in "[{":
            self._open.append(_Open(token.start(), raw == "{", []))
        elif raw in "]}":
            closed = self._open.pop().closed(token.end())
            self._open[-1].items.append(closed)
        elif raw[0] == '"':
            self._open[-1].items.append(String(*token.span(), raw))
        else:
            self._open[-1].items.append(Scalar(*token.span(), raw))
