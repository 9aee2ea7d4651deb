"""JSON with places. Python's own reader gives values without saying where in the text they stood."""

from __future__ import annotations

import bisect
import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from ...model.custom_rule import RulePosition
from ...model.finding import Message

MAX_DEPTH = 50
"""Levels of nesting; a rule file has five."""

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}
_WORD = re.compile(r"[A-Za-z]+")


class JsonError(Exception):
    """The text is no JSON; ``at`` is the character at which that shows."""

    def __init__(self, at: int, reason: Message) -> None:
        self.at = at
        self.reason = reason
        super().__init__(at, reason)


class Member(NamedTuple):
    """A key of an object and its value."""

    key_at: int
    value: Json


class Json(NamedTuple):
    """A value, and the character in the text at which it begins.

    An object's value is a dict from key to :class:`Member`, an array's a list of :class:`Json`.
    """

    value: Any
    at: int


class RulePositions:
    """From characters of a text to lines and columns."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]

    def of(self, at: int) -> RulePosition:
        """The place of the character with that index."""
        line = bisect.bisect_right(self._starts, at)
        return RulePosition(line, at - self._starts[line - 1] + 1)


def parse_json(text: str) -> Json:
    """The value that a text holds.

    Raises:
        JsonError: it is no JSON (RFC 8259), nests too deeply, or an object has a key twice.
    """
    reader = _Reader(text)
    value = reader.value(0, 0)
    end = reader.space(reader.end)
    if end != len(text):
        raise JsonError(end, Message.of("custom.json.extra"))
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0
        """Where the value that was read last ends."""

    def space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> Json:
        at = self.space(at)
        if depth > MAX_DEPTH:
            raise JsonError(at, Message.of("custom.json.deep", limit=MAX_DEPTH))
        first = self.text[at : at + 1]
        if first == "{":
            return Json(self._object(at, depth), at)
        if first == "[":
            return Json(self._array(at, depth), at)
        if first == '"':
            return Json(self._string(at), at)
        return Json(self._scalar(at), at)

    def _scalar(self, at: int) -> object:
        number = _NUMBER.match(self.text, at)
        if number is not None:
            self.end = number.end()
            if number[1] is None and number[2] is None and len(number[0]) < 400:
                return int(number[0])
            return float(number[0])
        word = _WORD.match(self.text, at)
        if word is None or word[0] not in _WORDS:
            raise JsonError(at, Message.of("custom.json.value"))
        self.end = word.end()
        return _WORDS[word[0]]

    def _string(self, at: int) -> str:
        try:
            text, self.end = scanstring(self.text, at + 1, True)
        except json.JSONDecodeError as error:
            raise JsonError(min(error.pos, len(self.text)), Message.of("custom.json.string")) from error
        return str(text)

    def _array(self, at: int, depth: int) -> list[Json]:
        items: list[Json] = []
        at = self.space(at + 1)
        if self.text[at : at + 1] == "]":
            self.end = at + 1
            return items
        while True:
            items.append(self.value(at, depth + 1))
            at = self._next(self.end, "]")
            if at < 0:
                return items

    def _object(self, at: int, depth: int) -> dict[str, Member]:
        members: dict[str, Member] = {}
        at = self.space(at + 1)
        if self.text[at : at + 1] == "}":
            self.end = at + 1
            return members
        while True:
            key_at = self.space(at)
            if self.text[key_at : key_at + 1] != '"':
                raise JsonError(key_at, Message.of("custom.json.key"))
            key = self._string(key_at)
            if key in members:
                raise JsonError(key_at, Message.of("custom.json.twice", key=key))
            colon = self.space(self.end)
            if self.text[colon : colon + 1] != ":":
                raise JsonError(colon, Message.of("custom.json.colon"))
            members[key] = Member(key_at, self.value(colon + 1, depth + 1))
            at = self._next(self.end, "}")
            if at < 0:
                return members

    def _next(self, at: int, closing: str) -> int:
        """Where the next item begins; -1 after the last one."""
        at = self.space(at)
        found = self.text[at : at + 1]
        if found == ",":
            return at + 1
        if found != closing:
            raise JsonError(at, Message.of("custom.json.comma", closing=closing))
        self.end = at + 1
        return -1
