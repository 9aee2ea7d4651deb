"""Outcomes of many generated programs, kept as one short line each: enough to notice that one has changed.

Golden samples (:mod:`tests.golden`) are read; tens of thousands of outcomes are not. A line has the name of
the program, the codes that are found in it, and a digest of the whole outcome. It says that something is not
as before, not that it was right: whoever changes it reads the outcomes that the failing test shows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.check import check
from gpu2ascend_rules.fix import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile
from tests import golden
from tests.rules.nearly import parsed

_DIGITS = 6
_SHOWN = 5
"""How many changed outcomes a failing test shows as a whole."""


class Outcome(NamedTuple):
    """What becomes of a program."""

    name: str
    """Of the program, among those of the test."""
    program: str
    summary: str
    """A few words of the outcome."""
    lines: tuple[str, ...]
    """All of it."""

    @property
    def line(self) -> str:
        """How it is kept."""
        digest = hashlib.sha256("\n".join(self.lines).encode()).hexdigest()[:_DIGITS]
        return " ".join(filter(None, (self.name, self.summary, digest)))


def agree(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Fail where outcomes are not those of a file, and show the first of them as they are now.

    Raises:
        AssertionError: one differs, or there is no such file.
    """
    known = frozenset(path.read_text(encoding="utf-8").splitlines()) if path.is_file() else frozenset()
    lines, shown = [], []
    for outcome in outcomes:
        lines.append(outcome.line)
        if outcome.line not in known and len(shown) < _SHOWN:
            shown.append("\n".join([f"--- {outcome.name}", outcome.program, "-> now:", *outcome.lines]))
    try:
        golden.agrees(path, "".join(f"{line}\n" for line in lines))
    except AssertionError as error:
        raise AssertionError("\n".join([str(error), *shown])) from None


def found(name: str, text: str, path: str, options: MigrationOptions) -> Outcome:
    """What is found in a file, and what all the fixes make of it.

    Raises:
        AssertionError: Python can compile the file before the fixes, but not after them.
    """
    source = text_file(text, path)
    findings = check(source, options)
    fixed = apply_fixes(source, options).text
    if isinstance(source, SourceFile) and path.endswith(".py") and parsed(text) is not None:
        assert parsed(fixed) is not None, f"{name}\n{text}\n->\n{fixed}"
    lines = tuple(_said(golden.described(findings, source.lines, source.data), text, fixed, path))
    codes = " ".join(sorted({finding.code for finding in findings}))
    return Outcome(name, text, codes, lines)


def _said(described: Iterator[str], before: str, after: str, path: str) -> Iterator[str]:
    yield from described
    yield from golden.difference(before, after, path)
