"""Why a run failed: the rules that find something in the line, and what the text of the error means."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import closing
from functools import cache
from heapq import nsmallest
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.model.finding import Finding, Message, Severity
from gpu2ascend_rules.options.options import MigrationOptions

from ...doctor.logs.failures import UNKNOWN, failures
from ...doctor.logs.reasons import answer_of
from ...project.inspect.check import check_paths, findings_at
from ...project.regular_files import read_inside
from ..running.kept import relative_path
from .missing_files import missing_file
from .missing_modules import missing_module
from .model import Failure, Place, RuleAt

_TABLES = Path(__file__).parents[1] / "tables"
_MAX_BYTES = 5_000_000
_SCANNED = 4000
"""Characters of an error's text that are looked at."""
_MOST_ELSEWHERE = 5
_UNREADABLE = ("SyntaxError", "IndentationError", "TabError")
"""Of a file that no Python reads, no finding explains it."""
_GRAVE = (Severity.ERROR, Severity.WARNING)
_ADVICE = "ADV"
_FAMILY = "family-"
"""Begins the names of failures of which the log shows no more than who reports them."""


class _Cause(NamedTuple):
    name: str
    error: re.Pattern[str]
    line: re.Pattern[str] | None
    """What the line of the project must hold; None where that is all the same."""
    rules: tuple[str, ...]
    elsewhere: tuple[str, ...]
    file: re.Pattern[str] | None
    """What its file must hold, likewise."""

    def explains(self, text: str, line: str, file: str) -> bool:
        """Whether it is the cause of an error with a text, by the line of the project and its file."""
        return all(
            pattern is None or pattern.search(found)
            for pattern, found in ((self.error, text), (self.line, line), (self.file, file))
        )


class Removed(NamedTuple):
    """What a release of a package removed or changed."""

    package: str
    before: str
    """The first release without it."""
    error: re.Pattern[str]

    @property
    def cause(self) -> Message:
        """What it means, for people."""
        return Message.of("verify.removed.cause", package=self.package, before=self.before)

    @property
    def specifier(self) -> str:
        """The releases that have it."""
        return f"{self.package}<{self.before}"


def explained(failure: Failure, project: Path, options: MigrationOptions, idle: Collection[str]) -> Failure:
    """The failure with what explains it.

    Args:
        idle: Python files of which nothing ran: what is found in these explains nothing.

    Raises:
        ProjectError: the project cannot be examined.
    """
    place = failure.place
    file = _text(project, place.path).decode("utf-8", "replace") if place is not None else ""
    text, line = f"{failure.type}: {failure.text}"[:_SCANNED], _line(file, place)
    cause = next((one for one in causes() if one.explains(text, line, file)), None)
    named = tuple(name for name in (*cause.rules, *cause.elsewhere) if "." not in name) if cause else ()
    is_readable = failure.type not in _UNREADABLE
    found = findings_at(project / place.path, place.line, options) if place and is_readable else ()
    rules = _explaining([(finding, _rule(finding)) for finding in found], named)
    if cause is not None and cause.elsewhere and not rules:
        rules = rules_in(project, cause.elsewhere, options, idle)
    located = attrs.evolve(failure, rules=tuple(rules), named_rules=named)
    return _with_cause(located, cause, project)


def _with_cause(failure: Failure, cause: _Cause | None, project: Path) -> Failure:
    """The failure with what its text means: of several meanings the one that says most."""
    if cause is not None:
        key = f"verify.cause.{cause.name}"
        because, remedy = Message.of(f"{key}.cause"), Message.of(f"{key}.remedy")
        failure = attrs.evolve(failure, cause=because, remedy=remedy)
    removed = removed_name(failure)
    if removed is not None:
        remedy = Message.of("verify.removed.remedy", package=removed.package, before=removed.before)
        return attrs.evolve(failure, cause=removed.cause, remedy=remedy)
    missing = missing_module(failure, project) or missing_file(failure, project)
    if missing is not None:
        return attrs.evolve(failure, cause=missing[0], remedy=missing[1])
    return failure if cause is not None else _by_log(failure)


@cache
def causes() -> tuple[_Cause, ...]:
    """The table of error texts, in its order: the first that matches counts."""
    return tuple(
        _Cause(
            row["id"],
            re.compile(row["error"]),
            re.compile(row["line"]) if row["line"] else None,
            tuple(filter(None, row["rules"].split(","))),
            tuple(filter(None, row["elsewhere"].split(","))),
            re.compile(row["file"]) if row["file"] else None,
        )
        for row in load_tsv("causes", _TABLES)
    )


@cache
def removals() -> tuple[Removed, ...]:
    """The table of what packages removed."""
    return tuple(
        Removed(row["package"], row["before"], re.compile(row["error"]))
        for row in load_tsv("removed", _TABLES)
    )


def removed_name(failure: Failure) -> Removed | None:
    """What a package of the environment does not have any more, if that is why a run failed."""
    cause = failure.cause.id if failure.cause is not None else ""
    said = (f"{failure.type}: {failure.text}"[:_SCANNED], cause)
    return next(
        (one for one in removals() if failure.cause == one.cause or any(map(one.error.search, said))), None
    )


def _by_log(failure: Failure) -> Failure:
    """Errors that the logs of real trainings show are explained by the doctor's table."""
    found = failures([f"{failure.type}: {line}" for line in failure.text[:_SCANNED].splitlines()])
    if not found or found[0].name == UNKNOWN or found[0].name.startswith(_FAMILY):
        return failure
    answer = answer_of(found[0])
    return attrs.evolve(failure, cause=answer.cause, remedy=answer.remedy, named_rules=found[0].rules)


def _line(file: str, place: Place | None) -> str:
    lines = file.splitlines()
    return lines[place.line - 1] if place is not None and 0 < place.line <= len(lines) else ""


def _text(project: Path, path: str) -> bytes:
    try:
        return read_inside(project, project / path, _MAX_BYTES)
    except OSError:
        return b""


def _explaining(found: Sequence[tuple[Finding, RuleAt]], named: Collection[str]) -> list[RuleAt]:
    """Of the findings of a line those that are about the failure: that something is merely slow, or could be
    written otherwise, is not why it failed."""
    about = [rule for finding, rule in found if finding.code in named]
    return about or [
        rule for finding, rule in found if finding.severity in _GRAVE and not rule.code.startswith(_ADVICE)
    ]


def rules_in(
    project: Path, wanted: Sequence[str], options: MigrationOptions, idle: Collection[str]
) -> list[RuleAt]:
    """The findings in a project that are nearest to its top, with their places.

    Args:
        wanted: Codes of rules, or of their messages: ``NPU201.served``.
        idle: Files that are left out.
    """
    codes = tuple(name.partition(".")[0] for name in wanted)
    with closing(check_paths([project], attrs.evolve(options, select=codes), jobs=1)) as examinations:
        found = (
            (relative_path(examination.path, project), finding)
            for examination in examinations
            for finding in examination.findings
            if finding.code in wanted or finding.message.id in wanted
        )
        places = (
            _rule(finding, Place(path, _text(project, path).count(b"\n", 0, finding.start) + 1))
            for path, finding in found
            if path not in idle
        )
        return nsmallest(_MOST_ELSEWHERE, places, key=_depth)


def _depth(rule: RuleAt) -> int:
    return rule.place.path.count("/") if rule.place is not None else 0


def _rule(finding: Finding, place: Place | None = None) -> RuleAt:
    title = finding.fix.title if finding.fix is not None else None
    return RuleAt(finding.code, finding.message, title, place)
