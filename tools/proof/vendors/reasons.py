"""Why a test of the vendor's fails on the emulated CANN."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

_TABLE = Path(__file__).with_name("reasons.tsv")
ON_NPUS = "the vendor's own list of tests that fail on an NPU has it"


class Outcome(NamedTuple):
    """What became of one test."""

    file: str
    name: str
    """With its class, as the vendor's list has it: ``test_a (__main__.TestA)``."""
    said: str
    """Why it failed or could not begin; empty if it passed."""
    skipped: bool


@cache
def _reasons() -> tuple[tuple[re.Pattern[str], str], ...]:
    lines = (line for line in _TABLE.read_text("utf-8").splitlines() if not line.startswith("#"))
    return tuple((re.compile(row["error"]), row["reason"]) for row in csv.DictReader(lines, delimiter="\t"))


def reason_of(outcome: Outcome) -> str | None:
    """The reason of a failure; None where the table has none."""
    text = f"{outcome.file}::{outcome.name}\n{outcome.said}"
    return next((reason for pattern, reason in _reasons() if pattern.search(text)), None)


def outcomes(report: Path, file: str) -> list[Outcome]:
    """The outcomes in a report of pytest."""
    found = []
    for case in ElementTree.parse(report).iter("testcase"):
        failed = [
            f"{part.get('message') or ''}\n{part.text or ''}"
            for part in case
            if part.tag in ("failure", "error")
        ]
        skipped = any(part.tag == "skipped" for part in case)
        of_class = case.attrib.get("classname", "").rpartition(".")[2]
        name = f"{case.attrib['name']} (__main__.{of_class})"
        found.append(Outcome(file, name, "\n".join(failed), skipped))
    return found


class Summary(NamedTuple):
    """All outcomes, counted."""

    passed: int
    skipped: int
    failed: Counter[str]
    """By reason."""
    unexplained: list[Outcome]


def failing_on_npus(tests: Path) -> frozenset[str]:
    """The names of tests that the vendor does not run on NPUs."""
    path = tests / "unsupported_test_cases" / ".pytorch-disabled-tests.json"
    return frozenset(json.loads(path.read_text("utf-8"))) if path.exists() else frozenset()


def summary(found: Iterable[Outcome], on_npus: Collection[str]) -> Summary:
    """Count outcomes.

    Args:
        on_npus: the names of those that fail on an NPU, too.
    """
    passed = skipped = 0
    failed: Counter[str] = Counter()
    unexplained = []
    for outcome in found:
        if outcome.said:
            reason = ON_NPUS if outcome.name in on_npus else reason_of(outcome)
            if reason is None:
                unexplained.append(outcome)
            else:
                failed[reason] += 1
        elif outcome.skipped:
            skipped += 1
        else:
            passed += 1
    return Summary(passed, skipped, failed, unexplained)
