"""Pages of projects that were made up, for the tests of the report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

from gpu2ascend.project.report.html.collect import PageCollector
from gpu2ascend.project.report.html.document import write_pages
from gpu2ascend.project.report.html.model import RunFacts
from gpu2ascend.project.report.hunks import hunks_of
from gpu2ascend.project.report.reports import count_outcome
from gpu2ascend.project.report.result import FileOutcome, FileStatus, Summary
from gpu2ascend_rules.facts.packages.pairs import pair_of
from gpu2ascend_rules.model.finding import REPLACEMENT, Applicability, Finding, Fix, Message, Plan, Severity
from gpu2ascend_rules.model.outcome import AppliedFix, RemainingFinding
from gpu2ascend_rules.model.versions import Version

NAMES = ("report.html", "report_diffs.html")
TEXT = Message.of("project.log-finding", place="p", code="c", text="something `is` left")


def left(
    severity: Severity = Severity.ERROR,
    code: str = "NPU104",
    kind: str = "",
    api: str | None = None,
    line: int = 7,
    fix: Applicability | None = None,
    replaces: bool = False,
    text: str = "something `is` left",
) -> RemainingFinding:
    """A finding that is left."""
    message = Message.of("project.log-finding", place="p", code="c", text=text)
    made = Fix(message, fix, Plan(), REPLACEMENT if replaces else "") if fix is not None else None
    return RemainingFinding(Finding(code, 0, 1, message, severity, made, api, kind), line, line)


def edit(code: str = "NPU101", line: int = 1) -> AppliedFix:
    """An edit that was made."""
    return AppliedFix(code, TEXT, line, line, "MODIFY")


def changed(path: str, before: str, after: str, *codes: str, remaining: Iterable = ()) -> FileOutcome:
    """A file with edits."""
    edits = tuple(edit(code) for code in codes or ("NPU101",))
    hunks = hunks_of(before, after)
    return FileOutcome(path, FileStatus.CHANGED, edits, tuple(remaining), hunks=hunks)


class Page:
    """What was written."""

    def __init__(self, directory: Path, names: tuple[str, ...], summary: Summary) -> None:
        self.names = names
        self.summary = summary
        self.bytes = (directory / names[0]).read_bytes()
        self.html = self.bytes.decode("utf-8")
        self.diffs = (directory / names[1]).read_text("utf-8") if len(names) > 1 else None

    def section(self, identifier: str) -> str:
        """The words of a section; empty where the page has none of that name."""
        match = re.search(rf'<section id="{identifier}".*?</section>', self.html, re.DOTALL)
        return words(match[0]) if match is not None else ""


def words(html: str) -> str:
    """The text of HTML, elements apart from each other by one space."""
    parser = _Words(convert_charrefs=True)
    parser.feed(html)
    return " ".join("".join(parser.found).split())


class _Words(HTMLParser):
    def __init__(self, **settings: bool) -> None:
        super().__init__(**settings)
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("wbr", "code", "b", "ins", "del", "span"):
            self.found.append(" ")


def page(
    directory: Path,
    outcomes: Iterable[FileOutcome],
    language: str = "en",
    others: Iterable[str] = (),
    notes: Iterable[Message] = (),
    **facts: object,
) -> Page:
    """The page about some files."""
    directory.mkdir(exist_ok=True)
    found = PageCollector(language, directory)
    summary = Summary()
    for outcome in outcomes:
        summary.files += 1
        summary.python_files += 1
        count_outcome(summary, outcome)
        found.add(outcome)
    for path in others:
        found.unexamined.add(path)
    for note in notes:
        found.note(note)
    version = str(facts.get("version", "2.8.0"))
    known = {"project": "proj", "tool": "1.0", "version": version, "release": version, "hardware": "A2"}
    known["pair"] = pair_of(Version(*map(int, version.split("."))))
    run = RunFacts(**{**known, "summary": summary, **facts})  # type: ignore[arg-type]
    try:
        return Page(directory, write_pages(directory, NAMES, run, found), summary)
    finally:
        found.close()
