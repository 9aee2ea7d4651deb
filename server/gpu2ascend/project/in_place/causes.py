"""Divides what a migration changes into commits: one for each rule, with what a reviewer needs to know."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import attrs

from gpu2ascend_rules import rule_by_code
from gpu2ascend_rules.explaining import documentation
from gpu2ascend_rules.model.outcome import AppliedFix

from ...texts.catalogue import Texts
from ...texts.rule_title import title_of
from ..update.lines import Change, changes
from ..update.texts import split

_SUBJECT = 72
"""Letters of the first line of a message."""
_WIDTH = 72
_SAID = 8
"""Texts of findings that a message repeats."""


@attrs.frozen
class Edited:
    """A file of the project and what becomes of it."""

    path: str
    """In the work tree."""
    before: bytes
    after: bytes
    applied: tuple[AppliedFix, ...]


class Step(NamedTuple):
    """A commit to be made."""

    message: str
    files: dict[str, bytes]
    """The content that files have then, by path."""


def steps(edited: Sequence[Edited], texts: Texts) -> Iterator[Step]:
    """The commits, in the order of the rules' codes; the last one ends with the migrated files."""
    caused = {item.path: list(_caused(item)) for item in edited}
    places: defaultdict[str, Counter[str]] = defaultdict(Counter)
    said: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for fix in (fix for item in edited for fix in item.applied):
        said[fix.code][texts.of(fix.message)] = None
    for path, parts in caused.items():
        places_of_path = Counter(code for code, _ in parts)
        for code, count in places_of_path.items():
            places[code][path] += count
    befores = {item.path: item.before for item in edited}
    for code in sorted(places):
        files = {
            path: _applied(befores[path], [change for cause, change in caused[path] if cause <= code])
            for path in places[code]
        }
        yield Step(message_of(code, list(said[code]), places[code], texts), files)


def one_step(edited: Sequence[Edited], subject: str, texts: Texts) -> Step:
    """All edits as one commit."""
    found = Counter(fix.code for item in edited for fix in item.applied)
    causes = [f"- {subject_of(_title(code, texts), code)}: {count}" for code, count in sorted(found.items())]
    return Step("\n".join([subject, "", *causes]) + "\n", {item.path: item.after for item in edited})


def message_of(code: str, said: Sequence[str], places: Counter[str], texts: Texts) -> str:
    """What a reviewer reads of the edits of one rule: why, what was found, and where it was edited."""
    title = _title(code, texts)
    rule = rule_by_code(code)
    why = documentation(rule, texts.language).get("why", "") if rule is not None else ""
    named = [texts("in-place.places", path=path, count=count) for path, count in sorted(places.items())]
    found = [line for text in said[:_SAID] for line in _wrapped(f"- {text}", "  ")]
    parts = [[subject_of(title, code)], _wrapped(" ".join(why.replace("``", "`").split())), found, named]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def subject_of(title: str, code: str) -> str:
    """The first line of a message, with the rule's code at its end."""
    end = f" ({code})" if code else ""
    room = _SUBJECT - len(end)
    title = title.replace("``", "`").rstrip(".")
    return (title if len(title) <= room else f"{title[: room - 1].rstrip()}…") + end


def _title(code: str, texts: Texts) -> str:
    rule = rule_by_code(code)
    return title_of(rule, texts).rstrip(".") if rule is not None else texts("in-place.own-rule")


def _caused(item: Edited) -> Iterator[tuple[str, Change]]:
    """Each change of lines with the code of the rule that made it."""
    usual = Counter(fix.code for fix in item.applied).most_common(1)
    for change in _by_line(changes(split(item.before), split(item.after))):
        found = Counter(fix.code for fix in item.applied if _is_in(fix, change))
        yield (found.most_common(1) or usual or [("", 0)])[0][0], change


def _by_line(found: Iterable[Change]) -> Iterator[Change]:
    """The changes, line by line where as many lines came as went."""
    for change in found:
        if len(change.lines) != change.end - change.start:
            yield change
            continue
        for at, line in enumerate(change.lines, change.start):
            yield Change(at, at + 1, (line,))


def _is_in(fix: AppliedFix, change: Change) -> bool:
    """Whether a fix, whose lines count from 1, is part of a change; an insertion lies between two lines."""
    last = max(change.end, change.start + 1)
    return fix.start_line <= last and fix.end_line > change.start


def _applied(before: bytes, parts: Iterable[Change]) -> bytes:
    lines = split(before)
    for change in sorted(parts, reverse=True):
        lines[change.start : change.end] = change.lines
    return b"".join(lines)


def _wrapped(text: str, indentation: str = "") -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + len(word) < _WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{indentation if lines else ''}{word}")
    return lines
