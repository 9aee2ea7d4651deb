"""Where things of a text are after an edit that changed none of them, as plain data."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate

from .decisions import Decision, FileDecisions, Place, ProjectDecisions


class Shift:
    """Edits between the lines of code of a text.

    Args:
        before: The text in bytes.
        after: The text after the edits.
        lines: Where the lines of code between the first and the last edit begin, before and after.
        end: Where the last edit ends in the text before.
    """

    def __init__(self, before: bytes, after: bytes, lines: tuple[tuple[int, int], ...], end: int) -> None:
        self.after = after
        self._before = before
        self._lines = lines
        self._end = end

    def offset(self, start: int) -> int:
        """The offset of code that was at another one."""
        if start >= self._end:
            return start + len(self.after) - len(self._before)
        at = bisect_right(self._lines, (start, len(self.after)))
        return start + (self._lines[at - 1][1] - self._lines[at - 1][0] if at else 0)

    def line(self, line: int) -> int:
        """The line, from 1, of code that was on another one."""
        start = self._starts[line - 1]
        code = len(self._before) - len(self._before[start:].lstrip(b" \t\f"))
        return self.after.count(b"\n", 0, self.offset(code)) + 1

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        """Where the lines of the text before begin."""
        return tuple(accumulate((len(line) + 1 for line in self._before.split(b"\n")), initial=0))


def shifted(decided: ProjectDecisions, shifts: Mapping[str, Shift]) -> ProjectDecisions:
    """Decisions about texts as decisions about the texts after edits.

    Args:
        shifts: The edits, by the paths of the files.
    """
    if not shifts:
        return decided
    return decided._replace(
        files={path: _of_file(file, path, shifts) for path, file in decided.files.items()},
        units=tuple(
            unit._replace(
                words=tuple(
                    (path, shifts[path].offset(start) if path in shifts else start)
                    for path, start in unit.words
                )
            )
            for unit in decided.units
        ),
        open_units={
            (path, shifts[path].line(line) if path in shifts else line): number
            for (path, line), number in decided.open_units.items()
        },
    )


def _of_file(file: FileDecisions, path: str, shifts: Mapping[str, Shift]) -> FileDecisions:
    shift = shifts.get(path)
    words = {
        shift.offset(start) if shift is not None else start: _of_word(decision, shifts)
        for start, decision in file.words.items()
    }
    return FileDecisions.about(shift.after, words) if shift is not None else file._replace(words=words)


def _of_word(decision: Decision, shifts: Mapping[str, Shift]) -> Decision:
    def moved(places: tuple[Place, ...]) -> tuple[Place, ...]:
        return tuple(
            place._replace(line=shifts[place.path].line(place.line)) if place.path in shifts else place
            for place in places
        )

    return decision._replace(
        takes=moved(decision.takes),
        refuses=moved(decision.refuses),
        held=moved(decision.held),
        words=moved(decision.words),
        unknown=moved(decision.unknown),
        served=moved(decision.served),
        names=tuple(name._replace(place=moved((name.place,))[0]) for name in decision.names),
    )
