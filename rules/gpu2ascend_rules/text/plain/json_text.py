"""JSON with places. Python's own reader gives values without saying where in the text they were.

Offsets are those of characters, end exclusive. Depth costs no recursion.
"""

from __future__ import annotations

import bisect
import enum
import json
import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

_TOKEN = re.compile(
    r"[ \t\r\n]*("
    r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
    r"|[\[\]{}:,]"
    r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
    r"|-?[A-Za-z]+"
    r")?"
)
_NEWLINE = re.compile(r"\r\n|\n|\r")
_INTEGER = re.compile(r"-?[0-9]{1,399}")
"""More digits are a float's: infinity, and no work that grows with their square."""
_WORDS = {"true": True, "false": False, "null": None}
_NO_JSON = frozenset({"NaN", "Infinity", "-Infinity"})
"""What Python's writer writes for floats that JSON does not have; notebooks hold it."""


class Fault(enum.Enum):
    """Why a text is no JSON."""

    EXTRA = "extra"
    """Something follows the value."""
    DEEP = "deep"
    VALUE = "value"
    """A value is missing."""
    STRING = "string"
    """A string does not end, or holds a line end or an escape that JSON does not have."""
    KEY = "key"
    """A key is missing."""
    TWICE = "twice"
    """An object has the key twice."""
    COLON = "colon"
    COMMA = "comma"
    """A comma is missing, or the closing bracket."""


class JsonError(Exception):
    """The text is no JSON.

    Attributes:
        at: The character at which that shows.
        fault: What is wrong.
        about: The key that is there twice, or the bracket that may be missing; else nothing.
    """

    def __init__(self, at: int, fault: Fault, about: str = "") -> None:
        self.at = at
        self.fault = fault
        self.about = about
        super().__init__(at, fault, about)


class String(NamedTuple):
    """A string, with the offsets of its quotes."""

    start: int
    end: int
    raw: str
    """As written, quotes and escapes included."""

    @property
    def value(self) -> str:
        """What it says."""
        return str(json.loads(self.raw)) if "\\" in self.raw else self.raw[1:-1]


class Scalar(NamedTuple):
    """A number, ``true``, ``false`` or ``null``."""

    start: int
    end: int
    raw: str

    @property
    def value(self) -> float | bool | None:
        """What it says; a number is an ``int`` if it is written as one."""
        if self.raw in _WORDS:
            return _WORDS[self.raw]
        return int(self.raw) if _INTEGER.fullmatch(self.raw) else float(self.raw)


class Array(NamedTuple):
    """An array, with the offsets of its brackets."""

    start: int
    end: int
    items: list[Value]


class Object(NamedTuple):
    """An object, with the offsets of its brackets."""

    start: int
    end: int
    members: dict[str, Member]


class Member(NamedTuple):
    """A key of an object and its value."""

    key: String
    value: Value


Value = String | Scalar | Array | Object


class CharacterPlaces:
    """From characters of a text to lines and columns."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def of(self, at: int) -> tuple[int, int]:
        """Line and column, both from 1, of the character with that index."""
        line = bisect.bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


def parse_json(text: str, *, max_depth: int | None = None, as_python: bool = False) -> Value:
    """The value that a text holds.

    Args:
        text: JSON (RFC 8259).
        max_depth: Levels of nesting that are allowed.
        as_python: Read what Python's own reader reads: ``NaN`` and the infinities too, and of the members of
            one name the last.

    Raises:
        JsonError: it is no JSON, nests too deeply, or an object has a key twice.
    """
    return _JsonReader(text, max_depth, as_python=as_python).read()


class _Open:
    """An array or object of which the end has not been reached."""

    def __init__(self, start: int, closing: str) -> None:
        self.start = start
        self.closing = closing
        self.items: list[Value] = []
        self.members: dict[str, Member] = {}
        self.key: tuple[str, String] | None = None

    def add(self, value: Value) -> None:
        if self.key is None:
            self.items.append(value)
        else:
            self.members[self.key[0]] = Member(self.key[1], value)

    def closed(self, end: int) -> Value:
        if self.closing == "]":
            return Array(self.start, end, self.items)
        return Object(self.start, end, self.members)


class _JsonReader:
    """Takes token after token; the state is the method that says what the next one must be."""

    def __init__(self, text: str, max_depth: int | None, *, as_python: bool) -> None:
        self._text = text
        self._max_depth = max_depth
        self._as_python = as_python
        self._open: list[_Open] = []
        self._result: Value | None = None
        self._expect: Callable[[str, int], None] = self._value

    def read(self) -> Value:
        at = 0
        while True:
            token = _TOKEN.match(self._text, at)
            raw = token[1] if token is not None else None
            end = token.end() if token is not None else at
            start = end - len(raw or "")
            if self._result is not None:
                if start != len(self._text):
                    raise JsonError(start, Fault.EXTRA)
                return self._result
            self._expect(raw or "", start)
            at = end

    def _value(self, raw: str, at: int) -> None:
        if self._max_depth is not None and len(self._open) > self._max_depth:
            raise JsonError(at, Fault.DEEP)
        if raw == "{":
            self._open.append(_Open(at, "}"))
            self._expect = self._first_key
        elif raw == "[":
            self._open.append(_Open(at, "]"))
            self._expect = self._first_item
        elif raw.startswith('"'):
            self._put(String(at, at + len(raw), raw))
        elif raw in _WORDS or raw[-1:].isdigit() or (self._as_python and raw in _NO_JSON):
            self._put(Scalar(at, at + len(raw), raw))
        else:
            raise JsonError(*self._missing(at, Fault.VALUE))

    def _first_item(self, raw: str, at: int) -> None:
        if raw == "]":
            self._close(at)
        else:
            self._value(raw, at)

    def _first_key(self, raw: str, at: int) -> None:
        if raw == "}":
            self._close(at)
        else:
            self._key(raw, at)

    def _key(self, raw: str, at: int) -> None:
        if not raw.startswith('"'):
            raise JsonError(*self._missing(at, Fault.KEY))
        key = String(at, at + len(raw), raw)
        name = key.value
        if name in self._open[-1].members and not self._as_python:
            raise JsonError(at, Fault.TWICE, name)
        self._open[-1].key = name, key
        self._expect = self._colon

    def _colon(self, raw: str, at: int) -> None:
        if raw != ":":
            raise JsonError(at, Fault.COLON)
        self._expect = self._value

    def _comma(self, raw: str, at: int) -> None:
        closing = self._open[-1].closing
        if raw == closing:
            self._close(at)
        elif raw == ",":
            self._expect = self._value if closing == "]" else self._key
        else:
            raise JsonError(at, Fault.COMMA, closing)

    def _close(self, at: int) -> None:
        self._put(self._open.pop().closed(at + 1))

    def _put(self, value: Value) -> None:
        if self._open:
            self._open[-1].add(value)
            self._expect = self._comma
        else:
            self._result = value

    def _missing(self, at: int, fault: Fault) -> tuple[int, Fault]:
        """Where and why there is no value or key: a string that never ends shows further on."""
        if self._text[at : at + 1] == '"':
            try:
                scanstring(self._text, at + 1, True)
            except json.JSONDecodeError as error:
                return min(error.pos, len(self._text)), Fault.STRING
            return at, Fault.STRING
        return at, fault
