"""What differs between two outcomes of the same task: findings and edits that are gone, new or changed."""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from .outcomes import Edit, FileOutcome, Finding, Outcome, Record

_T = TypeVar("_T")
NO_RULE = "-"
"""In place of a code: a difference that no rule accounts for."""


class Change(enum.Enum):
    """What became of a finding or an edit."""

    GONE = "gone"
    NEW = "new"
    CHANGED = "changed"


class Difference(NamedTuple):
    """A finding or an edit that is not the same on both sides."""

    code: str
    subject: str
    """``finding``; ``edit``; ``record``, what is said of an edit that is the same; or ``failure``."""
    change: Change
    path: str
    line: int
    """From 1; 0 for a file as a whole."""
    context: str
    """The line that is spoken of; empty where the difference shows it."""
    before: tuple[str, ...]
    after: tuple[str, ...]


def differences(base: Outcome, head: Outcome) -> Iterator[Difference]:
    """All that differs, in the order of the paths."""
    if base.problem != head.problem:
        yield _failure("", base.problem, head.problem)
    if base.problem or head.problem:
        return
    nothing = FileOutcome("")
    for path in sorted(base.files.keys() | head.files.keys()):
        yield from _of_file(path, base.files.get(path, nothing), head.files.get(path, nothing))


def _of_file(path: str, base: FileOutcome, head: FileOutcome) -> Iterator[Difference]:
    if base == head:
        return
    if base.problem != head.problem:
        yield _failure(path, base.problem, head.problem)
    yield from _of_findings(path, base.findings, head.findings)
    if base.edits != head.edits:
        yield from _of_edits(path, base, head)
    elif base.records != head.records:
        yield from _of_records(path, base.records, head.records)


def _failure(path: str, before: str, after: str) -> Difference:
    change = Change.CHANGED if before and after else Change.NEW if after else Change.GONE
    return Difference(NO_RULE, "failure", change, path, 0, "", _lines(before), _lines(after))


def _lines(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _of_findings(path: str, base: Sequence[Finding], head: Sequence[Finding]) -> Iterator[Difference]:
    for old, new in paired(base, head, _FINDING_KEYS):
        shown = new or old
        assert shown is not None
        aspects = _aspects(old, new)
        yield Difference(
            shown.code,
            "finding",
            _change(old, new),
            path,
            shown.place.line,
            shown.line,
            _lines(_described(old, aspects)),
            _lines(_described(new, aspects)),
        )


_FINDING_KEYS: tuple[Callable[[Finding], Hashable], ...] = (
    lambda item: (item.code, item.place),
    lambda item: (item.code, item.place.line, item.message),
    lambda item: (item.code, item.place.line),
)
"""What makes two findings the same one, the strictest first."""
_RECORD_KEYS: tuple[Callable[[Record], Hashable], ...] = (lambda item: (item.code, item.line),)
_EDIT_KEYS: tuple[Callable[[Edit], Hashable], ...] = (
    lambda item: (item.start, len(item.before)),
    lambda item: item.start,
    lambda item: (item.before, item.after),
)


def paired(
    base: Iterable[_T], head: Iterable[_T], keys: Iterable[Callable[[_T], Hashable]]
) -> Iterator[tuple[_T | None, _T | None]]:
    """What differs, with what it was or became; ``None`` for what is on one side only.

    Args:
        keys: What makes two items the same one although they differ, the strictest first.
    """
    old, new = _without_equal(list(base), list(head))
    for key in keys:
        waiting: dict[Hashable, list[_T]] = {}
        for item in new:
            waiting.setdefault(key(item), []).append(item)
        left = []
        for item in old:
            same = waiting.get(key(item))
            if same:
                yield item, same.pop(0)
            else:
                left.append(item)
        old, new = left, [item for items in waiting.values() for item in items]
    yield from ((item, None) for item in old)
    yield from ((None, item) for item in new)


def _without_equal(old: list[_T], new: list[_T]) -> tuple[list[_T], list[_T]]:
    """What is left of both once each item of one has taken an equal one of the other with it."""
    left, unmet = [], list(new)
    for item in old:
        if item in unmet:
            unmet.remove(item)
        else:
            left.append(item)
    return left, unmet


def _change(old: object | None, new: object | None) -> Change:
    return Change.NEW if old is None else Change.GONE if new is None else Change.CHANGED


def _aspects(old: Finding | None, new: Finding | None) -> frozenset[str]:
    """What to say of a finding: of one on both sides only its message and what differs."""
    if old is None or new is None:
        return frozenset({"message", "severity", "applicability"})
    return frozenset({name for name in Finding._fields if getattr(old, name) != getattr(new, name)})


def _described(finding: Finding | None, aspects: frozenset[str]) -> str:
    if finding is None:
        return ""
    message = finding.message if "message" in aspects else finding.message.partition(" ")[0]
    place = finding.place
    more = [
        f"{place.line}:{place.column}-{place.end_line}:{place.end_column}" if "place" in aspects else "",
        finding.severity if "severity" in aspects else "",
        finding.applicability if "applicability" in aspects else "",
        f"fix: {finding.fix or 'none'}" if "fix" in aspects else "",
    ]
    return ", ".join([message, *filter(None, more)])


def _of_edits(path: str, base: FileOutcome, head: FileOutcome) -> Iterator[Difference]:
    everything, only_one = {*base.records, *head.records}, set(base.records) ^ set(head.records)
    for old, new in paired(base.edits, head.edits, _EDIT_KEYS):
        edits = [edit for edit in (old, new) if edit is not None]
        records = {item for item in everything if any(_is_of(item, edit) for edit in edits)}
        given = edits[0].before
        before = old.after if old is not None else given
        after = new.after if new is not None else given
        context = " / ".join(line.strip() for line in given)
        for code in sorted({item.code for item in records & only_one or records}) or [NO_RULE]:
            yield Difference(code, "edit", _change(old, new), path, edits[0].start, context, before, after)


def _of_records(path: str, base: Sequence[Record], head: Sequence[Record]) -> Iterator[Difference]:
    for old, new in paired(base, head, _RECORD_KEYS):
        record = new or old
        assert record is not None
        before, after = (_lines(f"{item.operation} {item.message}" if item else "") for item in (old, new))
        yield Difference(record.code, "record", _change(old, new), path, record.line, "", before, after)


def _is_of(record: Record, edit: Edit) -> bool:
    """Whether what was done touches the lines of an edit; an insertion touches the line before it, too."""
    first = edit.start if edit.before else edit.start - 1
    return record.line <= edit.start + max(len(edit.before) - 1, 0) and record.end_line >= first
