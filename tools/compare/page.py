"""Differences as text: by rule, how many, with some examples as diffs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .differences import Change, Difference

_SHOWN_LINES = 3
_WIDTH = 160


class Found(NamedTuple):
    """A difference, with the program or project that it is in."""

    program: str
    difference: Difference


class Page:
    """Collects differences and tells of them."""

    def __init__(self, examples: int) -> None:
        """``examples`` is how many are shown of each rule and kind of difference."""
        self._examples = examples
        self._counts: dict[str, Counter[tuple[str, Change]]] = defaultdict(Counter)
        self._programs: dict[str, set[tuple[str, str]]] = defaultdict(set)
        self._shown: dict[tuple[str, str, Change], dict[object, Found]] = defaultdict(dict)
        self._total: set[str] = set()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not self._counts

    def add(self, found: Found) -> None:
        """Count a difference; keep it as an example if it is unlike those that are kept."""
        difference = found.difference
        kind = (difference.subject, difference.change)
        self._counts[difference.code][kind] += 1
        self._programs[difference.code].add((found.program, difference.path))
        self._total.add(found.program)
        kept = self._shown[difference.code, difference.subject, difference.change]
        if len(kept) < self._examples:
            kept.setdefault(_kind_of(difference), found)

    def lines(self, examined: int) -> Iterator[str]:
        """The page; ``examined`` is the number of programs and projects."""
        for code in sorted(self._counts):
            yield from self._of_rule(code)
        if self.is_empty:
            yield f"nothing differs in {examined:,} programs and projects"
            return
        totals: Counter[tuple[str, Change]] = Counter()
        for counts in self._counts.values():
            totals.update(counts)
        differ = f"{len(self._total):,} of {examined:,} programs and projects differ"
        yield f"{differ}, by {len(self._counts)} rules: {_counted(totals)}"

    def _of_rule(self, code: str) -> Iterator[str]:
        yield f"{code}: {_counted(self._counts[code])}; in {len(self._programs[code]):,} files"
        for (of, _, _), kept in self._shown.items():
            if of == code:
                for found in kept.values():
                    yield from _example(found)
        yield ""


def _kind_of(difference: Difference) -> object:
    """What many programs that nearly are the same have in common: the difference, wherever it is."""
    if difference.subject == "edit":
        return difference.context, difference.before, difference.after
    return tuple(text.partition(" ")[0] for text in (*difference.before, *difference.after))


def _counted(counts: Counter[tuple[str, Change]]) -> str:
    """Such as ``findings: 3 gone, 1 new; edits: 2 changed``."""
    parts = []
    for subject in ("failure", "finding", "edit", "record"):
        own = [f"{counts[subject, change]:,} {change.value}" for change in Change if counts[subject, change]]
        if own:
            parts.append(f"{subject}s: {', '.join(own)}")
    return "; ".join(parts)


def _example(found: Found) -> Iterator[str]:
    difference = found.difference
    place = ":".join(filter(None, (difference.path, str(difference.line or ""))))
    what = f"{difference.subject} {difference.change.value}"
    yield f"  {found.program} {place} ({what})"
    if difference.context:
        yield f"      {_short(difference.context)}"
    for sign, lines in zip("-+", _unlike(difference.before, difference.after), strict=True):
        yield from (f"    {sign} {_short(line)}" for line in lines[:_SHOWN_LINES])
        if len(lines) > _SHOWN_LINES:
            yield f"    {sign} ... {len(lines) - _SHOWN_LINES} more lines"


def _unlike(before: Sequence[str], after: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Both without the lines that they begin and end with alike."""
    start, end = 0, 0
    shorter = min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        start += 1
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]


def _short(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."
