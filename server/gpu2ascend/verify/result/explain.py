"""Why a run failed: the rules that find something in the line, and what the text of the error means."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Finding, Message
from gpu2ascend_rules.options.options import MigrationOptions

from ...doctor.logs.failures import failures
from ...project.inspect.check import check_paths
from ...project.regular_files import read_inside
from .model import Failure, Place, RuleAt

_MAX_BYTES = 5_000_000
_SCANNED = 4000
"""Characters of an error's text that are looked at."""


class _Cause(NamedTuple):
    name: str
    error: re.Pattern[str]
    line: re.Pattern[str] | None
    """What the line of the project must hold; None where that is all the same."""
    rules: tuple[str, ...]


def explained(failure: Failure, project: Path, options: MigrationOptions) -> Failure:
    """The failure with what explains it.

    Raises:
        ProjectError: the project cannot be examined.
    """
    place = failure.place
    line = _line(project, place)
    cause = _cause(f"{failure.type}: {failure.text}"[:_SCANNED], line)
    named = cause.rules if cause is not None else ()
    located = attrs.evolve(failure, rules=tuple(_rules_at(project, place, options)), named_rules=named)
    if cause is not None:
        key = f"verify.cause.{cause.name}"
        return attrs.evolve(located, cause=Message.of(f"{key}.cause"), remedy=Message.of(f"{key}.remedy"))
    return _by_log(located)


@cache
def causes() -> tuple[_Cause, ...]:
    """The table of error texts, in its order: the first that matches counts."""
    text = (files("gpu2ascend.verify") / "tables" / "causes.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        _Cause(
            row["id"],
            re.compile(row["error"]),
            re.compile(row["line"]) if row["line"] else None,
            tuple(filter(None, row["rules"].split(","))),
        )
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    )


def _cause(text: str, line: str) -> _Cause | None:
    return next(
        (
            cause
            for cause in causes()
            if cause.error.search(text) and (cause.line is None or cause.line.search(line))
        ),
        None,
    )


def _by_log(failure: Failure) -> Failure:
    """Errors that the logs of real trainings show are explained by the doctor's table."""
    found = failures([f"{failure.type}: {line}" for line in failure.text[:_SCANNED].splitlines()])
    if not found:
        return failure
    key = f"doctor.log.{found[0].name}"
    return attrs.evolve(
        failure,
        cause=Message.of(f"{key}.cause"),
        remedy=Message.of(f"{key}.remedy"),
        named_rules=found[0].rules,
    )


def _line(project: Path, place: Place | None) -> str:
    if place is None:
        return ""
    try:
        text = read_inside(project, project / place.path, _MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    lines = text.splitlines()
    return lines[place.line - 1] if 0 < place.line <= len(lines) else ""


def _rules_at(project: Path, place: Place | None, options: MigrationOptions) -> Iterator[RuleAt]:
    """What the product finds in the line; each rule once."""
    if place is None:
        return
    seen: set[str] = set()
    with closing(check_paths([project / place.path], options, jobs=1)) as examinations:
        for examination in examinations:
            source = examination.source
            for finding in examination.findings if source is not None else ():
                assert source is not None
                first, last = (source.lines.line_of(at) + 1 for at in (finding.start, finding.end))
                if first <= place.line <= last and finding.code not in seen:
                    seen.add(finding.code)
                    yield _rule(finding)


def _rule(finding: Finding) -> RuleAt:
    return RuleAt(finding.code, finding.message, finding.fix.title if finding.fix is not None else None)
