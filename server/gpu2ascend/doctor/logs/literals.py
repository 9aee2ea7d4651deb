"""Which of many patterns a line can match at all, by the plain texts that each of them needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_SHORTEST = 3
"""Characters of a text that tells lines apart."""
_ANY = "\0"
"""Stands for a part of a pattern that says nothing of the text."""
_PLAIN, _GROUP = 0xE000, 0xF0000
"""Where the characters begin that stand for escaped characters, and for groups."""
_ATOM = re.compile(r"\\(?P<plain>[^\w\s])|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[.^$]")
_TIMES = r"[*+?]|\{\d*,?\d*\}"
_INNERMOST = re.compile(rf"\((?P<kind>\?(?:P<\w+>|:|<?[=!]|\w+:))?(?P<body>[^()]*)\)(?P<times>{_TIMES})?\??")
_REPEATED = re.compile(rf"(?P<kept>.(?=\+))?(?(kept)|.)(?:{_TIMES})\??")
_RUN = re.compile(rf"[^{_ANY}{chr(_GROUP)}-\U0010ffff]+")


def required(pattern: str) -> frozenset[str] | None:
    """Texts of which a line holds at least one if it matches; None where the pattern needs none.

    The innermost groups are replaced by one character each, until none is left.
    """
    groups: list[frozenset[str]] = []

    def replaced(match: re.Match[str]) -> str:
        kind, body, times = match["kind"] or "?:", match["body"], match["times"]
        is_needed = times in (None, "+") and (kind == "?:" or kind.startswith("?P"))
        if is_needed and times is None and "|" not in body:
            return body
        groups.append(_of_ways(body, groups) if is_needed else frozenset())
        return chr(_GROUP + len(groups) - 1)

    text, count = _ATOM.sub(_atom, pattern), 1
    while count:
        text, count = _INNERMOST.subn(replaced, text)
    return _of_ways(text, groups) or None


def _atom(match: re.Match[str]) -> str:
    return chr(_PLAIN + ord(match["plain"])) if match["plain"] else _ANY


def _of_ways(body: str, groups: Sequence[frozenset[str]]) -> frozenset[str]:
    """The texts of all alternatives; none where one of them needs none."""
    ways = [_of_way(way, groups) for way in body.split("|")]
    return frozenset().union(*ways) if all(ways) else frozenset()


def _of_way(way: str, groups: Sequence[frozenset[str]]) -> frozenset[str]:
    """Of several that each must be there, the texts that tell most."""
    plain = _REPEATED.sub(lambda match: (match["kept"] or "") + _ANY, way)
    choices = [frozenset({_unescaped(run)}) for run in _RUN.findall(plain) if len(run) >= _SHORTEST]
    choices += [groups[ord(char) - _GROUP] for char in plain if ord(char) >= _GROUP]
    return max(choices, key=lambda texts: min(map(len, texts), default=0), default=frozenset())


def _unescaped(run: str) -> str:
    return "".join(chr(ord(char) - _PLAIN) if ord(char) >= _PLAIN else char for char in run)


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
