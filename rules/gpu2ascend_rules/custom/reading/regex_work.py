"""How much work a regular expression may be, estimated without running it.

Python's matcher tries one way through an expression after the other. The estimate counts its steps on the
worst text of :data:`MAX_TEXT` characters, from the expression's end to its beginning: what follows a repeat
is tried again after each of its rounds, unless the next character says where the repeat ends. The estimate
is strict: what it cannot count, such as a back-reference, or a repeat within a repeat whose rounds no
character distinguishes, is too much.
"""

from __future__ import annotations

import re
import sys
from typing import Any

if sys.version_info >= (3, 11):
    from re import _compiler as compiler
    from re import _constants as constants
    from re import _parser as parser
else:
    import sre_compile as compiler
    import sre_constants as constants
    import sre_parse as parser

MAX_TEXT = 500
"""Characters of the longest text that an expression is tried on; the work is estimated for this length."""
MAX_STEPS = 5_000_000.0
"""Steps beyond which an expression is too slow: about a twentieth of a second."""
_MOST_COPIES = 8
"""Counted repeats of a group up to here are estimated round by round."""
_SAMPLE = [*map(chr, range(128)), "é", "É", "ß", "中", "²", "٣", "\u00a0", "\u2028", "€", "𝒳"]
"""The ASCII characters, and of those beyond some of every kind that expressions distinguish."""
_ALL = frozenset(_SAMPLE)
_ENDLESS = float("inf")


class RegexError(ValueError):
    """The expression is invalid; the text says why, as Python does."""


def is_too_slow(pattern: str) -> bool:
    """Whether some text of at most :data:`MAX_TEXT` characters may be too much work for :func:`is_found`.
    Raises RegexError: the expression is invalid."""
    try:
        parsed = parser.parse(pattern)
        re.compile(pattern)
        estimate = _Estimate(parsed.state.flags)
        starts = 1 if _begins_at_start(parsed) or _begins_with_anything(parsed) else MAX_TEXT
        return starts * estimate.steps(_without_end(parsed), 1, _ALL) > MAX_STEPS
    except (re.error, RecursionError, OverflowError) as error:
        raise RegexError(str(error)) from error


def is_found(pattern: str, text: str) -> bool:
    """Whether a valid expression matches anywhere in a text, as :func:`re.search` says; case does not count.

    Users' files were written for a tool that ignores case.
    """
    compiled = re.compile(pattern, re.IGNORECASE)
    if not _begins_with_anything(parser.parse(pattern)):
        return compiled.search(text) is not None
    # ``.*`` takes whatever of the line is before a match, so only the lines' beginnings need be tried.
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    return any(compiled.match(text, start) is not None for start in lines)


def _begins_at_start(parsed: Any) -> bool:
    at_start = (constants.AT_BEGINNING, constants.AT_BEGINNING_STRING)
    return bool(parsed) and parsed[0][0] is constants.AT and parsed[0][1] in at_start


def _begins_with_anything(parsed: Any) -> bool:
    """Whether an expression begins with ``.*``, which takes any part of a line."""
    if parsed.state.flags & re.DOTALL or not len(parsed) or parsed[0][0] not in _REPEATS:
        return False
    least, most, body = parsed[0][1]
    is_any = len(body) == 1 and body[0][0] is constants.ANY
    return is_any and least == 0 and most is constants.MAXREPEAT


def _without_end(parsed: Any) -> list[Any]:
    """An expression without the repeat at its very end, which succeeds after the fewest rounds."""
    items = list(parsed)
    if items and items[-1][0] in _REPEATS:
        least, _, body = items.pop()[1]
        items += list(body) * min(int(least), MAX_TEXT)
    return items


_REPEATS = frozenset({constants.MAX_REPEAT, constants.MIN_REPEAT})
_ONE = frozenset({constants.LITERAL, constants.NOT_LITERAL, constants.ANY, constants.IN})


class _Estimate:
    """The work of one expression under its flags."""

    def __init__(self, flags: int) -> None:
        self._flags = flags & ~re.DEBUG

    def steps(self, items: Any, rest: float, after: frozenset[str]) -> float:
        """The steps of a sequence, and of the ``rest`` after it, which begins with a character ``after``."""
        for item in reversed(list(items)):
            rest = self._item(item, rest, after)
            after = self._first([item], after)
        return rest

    def _item(self, item: Any, rest: float, after: frozenset[str]) -> float:
        operation, argument = item
        if operation in _ONE:
            return 1 + rest
        if operation is constants.AT:
            return rest
        if operation is constants.BRANCH:
            return sum(self.steps(alternative, rest, after) for alternative in argument[1])
        if operation is constants.SUBPATTERN:
            return self._within(argument).steps(argument[3], rest, after)
        if operation in (constants.ASSERT, constants.ASSERT_NOT):
            return self.steps(argument[1], 1, _ALL) + rest
        if operation in _REPEATS:
            return self._repeat(argument, rest, after)
        return _ENDLESS  # a back-reference, or what a later Python adds

    def _repeat(self, argument: Any, rest: float, after: frozenset[str]) -> float:
        least, most, body = int(argument[0]), min(int(argument[1]), MAX_TEXT), _flat(argument[2])
        begins = self._first(body, frozenset())
        if len(body) == 1 and body[0][0] in _ONE:
            stops = most - min(least, most) + 1
            return most + (rest if not begins & after else stops * rest)
        if most <= 1:
            return self.steps(body, rest, after) + rest
        if most <= _MOST_COPIES and not self._varies(body):
            return most * self.steps(body, 0, _ALL) + (most - least + 1) * rest
        if not self._tells_rounds_apart(body):
            return _ENDLESS
        return MAX_TEXT * len(body) + (rest if not begins & after else MAX_TEXT * rest)

    def _within(self, group: Any) -> _Estimate:
        """The estimate of a group, which may change the flags."""
        return _Estimate((self._flags | group[1]) & ~group[2])

    def _varies(self, items: Any) -> bool:
        """Whether a sequence may take texts of several lengths, or one text in several ways."""
        return any(operation not in _ONE and operation is not constants.AT for operation, _ in items)

    def _tells_rounds_apart(self, body: list[Any]) -> bool:
        """Whether the first or the last character of a round can be no other character of it, and the others
        are single ones or one repeat of such: then there is one way to read a text."""
        plain = [self._plain(item) for item in body]
        if None in plain or sum(item[0] in _REPEATS for item in body) > 1:
            return False
        sets = [part for part in plain if part is not None]
        ends = [(sets[0], sets[1:])] if body[0][0] in _ONE else []
        ends += [(sets[-1], sets[:-1])] if body[-1][0] in _ONE else []
        return any(others and not any(end & other for other in others) for end, others in ends)

    def _plain(self, item: Any) -> frozenset[str] | None:
        """The characters of a single one, or of a repeat of single ones."""
        operation, argument = item
        if operation in _REPEATS:
            body = list(argument[2])
            return self._characters(body[0]) if len(body) == 1 and body[0][0] in _ONE else None
        return self._characters(item) if operation in _ONE else None

    def _first(self, items: Any, after: frozenset[str]) -> frozenset[str]:
        """The characters that a sequence may begin with, when a character ``after`` comes after it."""
        for operation, argument in reversed(list(items)):
            if operation in _ONE:
                after = self._characters((operation, argument))
            elif operation is constants.SUBPATTERN:
                after = self._within(argument)._first(argument[3], after)
            elif operation is constants.BRANCH:
                after = frozenset().union(*(self._first(item, after) for item in argument[1]))
            elif operation in _REPEATS:
                inner = self._first(argument[2], after)
                after = inner if int(argument[0]) > 0 else inner | after
            elif operation is constants.AT and argument in (constants.AT_END, constants.AT_END_STRING):
                after = frozenset("\n")
            else:
                after = _ALL
        return after

    def _characters(self, item: Any) -> frozenset[str]:
        return _taken(item, self._flags)


def _flat(items: Any) -> list[Any]:
    """A sequence without the groups in it, but for those that change the flags."""
    found: list[Any] = []
    for operation, argument in items:
        is_plain = operation is constants.SUBPATTERN and not (argument[1] or argument[2])
        found += _flat(argument[3]) if is_plain else [(operation, argument)]
    return found


def _taken(item: Any, flags: int) -> frozenset[str]:
    """The sample characters that a single-character item takes, by the matcher itself."""
    whole = parser.SubPattern(parser.State(), [item])
    whole.state.flags = flags
    taken = compiler.compile(whole, flags)
    return frozenset(char for char in _SAMPLE if taken.match(char))
