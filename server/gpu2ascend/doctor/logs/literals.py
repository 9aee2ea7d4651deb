"""Which of many patterns a line can match at all, by the plain texts that each of them needs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

_parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_SHORTEST = 3
"""Characters of a text that tells lines apart."""


def required(pattern: str) -> frozenset[str] | None:
    """Texts of which a line holds at least one if it matches; None where the pattern needs none."""
    found = _of_items(_parser.parse(pattern))
    return found if found and _worth(found) >= _SHORTEST else None


def _of_items(items: Iterable[tuple[Any, Any]]) -> frozenset[str]:
    """Of several that each must match, the texts that tell most."""
    choices, run = [], ""
    for kind, value in items:
        if kind is _parser.LITERAL:
            run += chr(value)
            continue
        choices += [frozenset({run}), _of_item(kind, value)]
        run = ""
    return max((*choices, frozenset({run})), key=_worth)


def _of_item(kind: Any, value: Any) -> frozenset[str]:
    if kind is _parser.SUBPATTERN and not value[1] & re.IGNORECASE:
        return _of_items(value[3])
    if kind is _parser.BRANCH:
        ways = [_of_items(way) for way in value[1]]
        return frozenset().union(*ways) if all(map(_worth, ways)) else frozenset()
    if kind in (_parser.MAX_REPEAT, _parser.MIN_REPEAT) and value[0] > 0:
        return _of_items(value[2])
    return frozenset()


def _worth(texts: frozenset[str]) -> int:
    return min(map(len, texts), default=0)


class Candidates:
    """Patterns by the texts that they need."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._always: set[int] = set()
        """Patterns that need no text."""
        self._by_text: dict[str, set[int]] = {}
        for index, pattern in enumerate(patterns):
            texts = required(pattern)
            self._always |= set() if texts else {index}
            for text in texts or ():
                self._by_text.setdefault(text, set()).add(index)
        self._texts = re.compile(f"(?=({_alternatives(sorted(self._by_text))}))")

    def of(self, line: str) -> list[int]:
        """The numbers of the patterns that may match a line, in order."""
        found = set(self._always)
        for text in set(self._texts.findall(line)):
            for end in range(_SHORTEST, len(text) + 1):
                found |= self._by_text.get(text[:end], set())
        return sorted(found)


def _alternatives(texts: list[str]) -> str:
    """A pattern of the longest of some texts, in which each character is looked at once."""
    return "|".join(_branches(texts)) if texts else r"(?!)"


def _branches(texts: list[str]) -> Iterator[str]:
    for first in sorted({text[0] for text in texts if text}):
        rest = [text[1:] for text in texts if text.startswith(first)]
        below = f"(?:{'|'.join(_branches(rest))})" if any(rest) else ""
        yield re.escape(first) + below + ("?" if below and "" in rest else "")
