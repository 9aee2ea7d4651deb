"""How slow a regular expression can become: told from the expression, without running it.

Python's matcher tries one way through the expression after the other, so its time is the number of ways in
which a text can be read. The expression is turned into a position automaton (Glushkov 1961); a state that one
text can lead back to itself in two ways makes the number of ways grow exponentially (Weber and Seidl 1991),
and loops one after another over the same characters make it a power of the text's length. What cannot be told
so, a back-reference, counts as slow.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    from re import _constants as constants
    from re import _parser as parser
else:
    import sre_constants as constants
    import sre_parse as parser

MAX_TEXT = 500
"""Characters of the longest text that an expression is tried on; the cost is told for this length."""
MAX_COST = 500_000_000.0
"""Ways to read a text beyond which an expression is too slow: thrice over the same characters is allowed, if
the search begins at one place."""
_MAX_STATES = 200
_MOST_COPIES = 8
"""Counted repeats up to here are written out; longer ones count as endless."""

_ASCII = 128
_OTHER = {kind: 1 << _ASCII + index for index, kind in enumerate(("DIGIT", "SPACE", "WORD", ""))}
"""The characters beyond ASCII by what they are: a bit for each kind, the last for all the rest."""
_OTHERS = sum(_OTHER.values())
_EVERY = (1 << _ASCII) - 1 | _OTHERS


class RegexError(ValueError):
    """The expression is invalid; the text says why, as Python does."""


def is_too_slow(pattern: str) -> bool:
    """Whether some text of at most :data:`MAX_TEXT` characters may take an expression too long.

    Raises:
        RegexError: the expression is invalid.
    """
    try:
        parsed = parser.parse(pattern)
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise RegexError(str(error)) from error
    try:
        main, *asides = _automata(parsed, parsed.state.flags)
        costs = [main.cost(anywhere=not _begins_at_the_start(parsed)), *(aside.cost() for aside in asides)]
        return max(costs) > MAX_COST
    except _TooMuch:
        return True


def _begins_at_the_start(parsed: Any) -> bool:
    at_start = (constants.AT_BEGINNING, constants.AT_BEGINNING_STRING)
    return bool(parsed) and parsed[0][0] is constants.AT and parsed[0][1] in at_start


class _TooMuch(Exception):
    """More than can be examined."""


class _Piece(NamedTuple):
    """A part of the expression: the states it may begin and end in, and whether it may be empty."""

    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    is_empty: bool = True


def _automata(parsed: Any, flags: int) -> list[_Automaton]:
    """The automaton of an expression, and one for each look-around in it."""
    main = _Automaton(flags)
    piece = main.sequence(parsed)
    main.choices += 1 if piece.is_empty and piece.first else 0
    found = [main]
    for inner in main.asides:
        found += _automata(inner, flags)
    return found


class _Automaton:
    def __init__(self, flags: int) -> None:
        self.ignores_case = bool(flags & re.IGNORECASE)
        self.sets: list[int] = []
        """Per state the characters that it takes, a bit each."""
        self.edges: dict[tuple[int, int], int] = {}
        """How many ways there are from one state to the next."""
        self.choices = 0
        self.asides: list[Any] = []

    def sequence(self, items: Any) -> _Piece:
        whole = _Piece()
        for operation, argument in items:
            whole = self._joined(whole, self._piece(operation, argument))
        return whole

    def _piece(self, operation: Any, argument: Any) -> _Piece:
        if operation in (constants.LITERAL, constants.NOT_LITERAL, constants.ANY, constants.IN):
            return self._state(self._characters(operation, argument))
        if operation is constants.BRANCH:
            return self._either([self.sequence(item) for item in argument[1]])
        if operation is constants.SUBPATTERN:
            self.ignores_case |= bool((argument[1] or 0) & re.IGNORECASE)
            return self.sequence(argument[3])
        if operation in (constants.MAX_REPEAT, constants.MIN_REPEAT) or str(operation) == "POSSESSIVE_REPEAT":
            return self._repeated(*argument)
        if str(operation) == "ATOMIC_GROUP":
            return self.sequence(argument)
        if operation in (constants.ASSERT, constants.ASSERT_NOT):
            self.asides.append(argument[1])
            return _Piece()
        if operation is constants.AT:
            return _Piece()
        raise _TooMuch  # a back-reference, or what a later Python adds

    def _state(self, characters: int) -> _Piece:
        if len(self.sets) == _MAX_STATES:
            raise _TooMuch
        self.sets.append(characters)
        state = (len(self.sets) - 1,)
        return _Piece(state, state, is_empty=False)

    def _joined(self, left: _Piece, right: _Piece) -> _Piece:
        self._link(left.last, right.first)
        first = left.first + right.first if left.is_empty else left.first
        last = right.last + left.last if right.is_empty else right.last
        return _Piece(first, last, left.is_empty and right.is_empty)

    def _link(self, sources: tuple[int, ...], targets: tuple[int, ...]) -> None:
        for source in sources:
            for target in targets:
                self.edges[source, target] = self.edges.get((source, target), 0) + 1

    def _either(self, pieces: list[_Piece]) -> _Piece:
        if sum(piece.is_empty for piece in pieces) > 1:
            raise _TooMuch  # the same nothing in two ways, which the automaton does not count
        self.choices += len(pieces) - 1
        first = tuple(state for piece in pieces for state in piece.first)
        last = tuple(state for piece in pieces for state in piece.last)
        return _Piece(first, last, any(piece.is_empty for piece in pieces))

    def _repeated(self, least: int, most: int, body: Any) -> _Piece:
        whole = _Piece()
        for _ in range(min(int(least), _MAX_STATES)):
            whole = self._joined(whole, self.sequence(body))
        more = int(most) - int(least)
        if more > _MOST_COPIES:
            piece = self.sequence(body)
            self._link(piece.last, piece.first)
            return self._joined(whole, piece._replace(is_empty=True))
        for _ in range(more):
            self.choices += 1
            whole = self._joined(whole, self.sequence(body)._replace(is_empty=True))
        return whole

    def _characters(self, operation: Any, argument: Any) -> int:
        if operation is constants.ANY:
            return _EVERY
        if operation is constants.LITERAL:
            return self._both_cases(_taken(operation, argument))
        items = (
            argument
            if operation is constants.IN
            else [(constants.NEGATE, None), (constants.LITERAL, argument)]
        )
        if items[0][0] is not constants.NEGATE:
            return self._both_cases(_union(_taken(*item) for item in items))
        return _EVERY & ~self._both_cases(_union(_left_out(*item) for item in items[1:]))

    def _both_cases(self, characters: int) -> int:
        if not self.ignores_case:
            return characters
        for code in range(ord("A"), ord("Z") + 1):
            pair = 1 << code | 1 << code + 32
            characters |= pair if characters & pair else 0
        return characters

    def cost(self, *, anywhere: bool = False) -> float:
        """About the number of ways to read the worst text, from its start or from anywhere in it."""
        targets: dict[int, list[int]] = {}
        for source, target in self.edges:
            targets.setdefault(source, []).append(target)
        loops = _Loops(len(self.sets), targets)
        if self._is_exponential(targets, loops):
            return float("inf")
        power = loops.longest_chain(self.sets)
        ways = 2.0 ** min(self.choices, 1000)
        # Searching begins at each character anew, which costs as much as one more loop in front: too much
        # for three of them.
        power += 1 if anywhere and power > 2 else 0
        return ways * float(MAX_TEXT) ** (power if power > 1 else 0)

    def _is_exponential(self, targets: dict[int, list[int]], loops: _Loops) -> bool:
        """Whether one text leads from a state back to it in two ways."""
        for (source, target), ways in self.edges.items():
            if ways > 1 and loops.same(source, target):
                return True
        return any(self._meets_again(state, targets, loops) for state in range(len(self.sets)))

    def _meets_again(self, state: int, targets: dict[int, list[int]], loops: _Loops) -> bool:
        """Whether two different ways out of a state, over the same characters, both lead back to it."""
        pending = [(state, state)]
        seen: set[tuple[int, int]] = set()
        while pending:
            left, right = pending.pop()
            for one in targets.get(left, ()):
                for other in targets.get(right, ()):
                    pair = (min(one, other), max(one, other))
                    if pair in seen or not self.sets[one] & self.sets[other]:
                        continue
                    if not (loops.same(one, state) and loops.same(other, state)):
                        continue
                    if one != other:
                        seen.add(pair)
                        pending.append(pair)
                    elif left != right:
                        # Two ways have met. They are in one loop with the state, so that both go back to it.
                        return True
        return False


class _Loops:
    """The strongly connected parts of an automaton that have a loop."""

    def __init__(self, count: int, targets: dict[int, list[int]]) -> None:
        self._targets = targets
        self._reach = [_reached(state, targets) for state in range(count)]

    def same(self, one: int, other: int) -> bool:
        """Whether two states are on a loop together."""
        return other in self._reach[one] and one in self._reach[other]

    def longest_chain(self, sets: list[int]) -> int:
        """The most loops one after another of which each can take a character that the next takes."""
        heads: dict[int, int] = {}
        for state in range(len(self._reach)):
            if state in self._reach[state]:
                head = next((known for known in heads if self.same(known, state)), state)
                heads[head] = heads.get(head, 0) | sets[state]
        order = sorted(heads, key=lambda head: -len(self._reach[head]))
        longest: dict[int, int] = {}
        for head in reversed(order):
            # What leads to the next loop must be what this loop could go on with, or there is no doubt.
            nearby = _reached(head, self._targets, {s for s, found in enumerate(sets) if found & heads[head]})
            after = [longest[other] for other in longest if other in nearby and heads[head] & heads[other]]
            longest[head] = 1 + max(after, default=0)
        return max(longest.values(), default=0)


def _reached(state: int, targets: dict[int, list[int]], within: set[int] | None = None) -> frozenset[int]:
    found: set[int] = set()
    pending = [state]
    while pending:
        for target in targets.get(pending.pop(), ()):
            if target not in found and (within is None or target in within):
                found.add(target)
                pending.append(target)
    return frozenset(found)


def _union(sets: Iterable[int]) -> int:
    whole = 0
    for item in sets:
        whole |= item
    return whole


def _taken(kind: Any, value: Any) -> int:
    """The characters that one item of a set takes, rather too many."""
    if kind is constants.LITERAL:
        return 1 << value if value < _ASCII else _OTHER[_kind_of(chr(value))]
    if kind is constants.RANGE:
        return _left_out(kind, value) | (_OTHERS if value[1] >= _ASCII else 0)
    return _category(str(value))


def _left_out(kind: Any, value: Any) -> int:
    """The characters that one item takes from a negated set, rather too few."""
    if kind is constants.LITERAL:
        return 1 << value if value < _ASCII else 0
    if kind is constants.RANGE:
        return sum(1 << code for code in range(value[0], min(value[1], _ASCII - 1) + 1))
    return _category(str(value))


def _kind_of(char: str) -> str:
    return next((kind for kind in ("DIGIT", "SPACE", "WORD") if _matcher(kind).match(char)), "")


def _category(name: str) -> int:
    """The characters of ``\\d``, ``\\s``, ``\\w`` and their opposites."""
    kind = name.rpartition("_")[2]
    found = sum(1 << code for code in range(_ASCII) if _matcher(kind).match(chr(code)))
    found |= _OTHER[kind] | (_OTHER["DIGIT"] if kind == "WORD" else 0)
    return _EVERY & ~found if "_NOT_" in name else found


def _matcher(kind: str) -> re.Pattern[str]:
    return re.compile({"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[kind])
