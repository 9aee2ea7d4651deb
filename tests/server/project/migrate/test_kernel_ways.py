"""Projects with CUDA-only code in forms of their own: what stays, what is an error, what the verdict is.

Each text of ``samples/kernel_ways`` is a project: a sentence, the lines ``changed`` (the files that a
migration changes), ``errors`` and ``told`` (what is left on a line), and its files.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend_rules.model.finding import Severity
from tests.server.project.conftest import Migrate, Migrated
from tests.server.project.samples import Files

Make = Callable[[Files], Path]
FOLDER = Path(__file__).parent / "samples" / "kernel_ways"


class Case(NamedTuple):
    """A project, and what a migration of it must show."""

    expected: dict[str, list[str]]
    files: dict[str, str]


def case_of(path: Path) -> Case:
    """The case of a text."""
    head, *sections = path.read_text(encoding="utf-8").split("\n=== ")
    lines = [line.partition(":") for line in head.splitlines()[1:]]
    files = dict(section.split("\n", 1) for section in sections)
    return Case({name: sorted(rest.split(",")) if rest else [] for name, _, rest in lines}, files)


CASES = {path.stem: case_of(path) for path in sorted(FOLDER.glob("*.txt"))}


def left(done: Migrated, *severities: Severity) -> list[str]:
    """What is left, by place and code."""
    return sorted({
        f"{path} {item.start_line} {item.finding.code}"
        for path, outcome in done.outcomes.items()
        for item in outcome.remaining
        if item.finding.severity in severities and item.finding.code not in ("NPU1401", "NPU623")
    })  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_npu_keeps_the_way_on_which_it_works(make: Make, run: Migrate, case: Case) -> None:
    done = run(make(case.files))
    changed = [name for name, text in case.files.items() if done.read(name) != text]
    assert {
        "changed": sorted(changed),
        "errors": left(done, Severity.ERROR),
        "told": left(done, Severity.WARNING, Severity.INFORMATION, Severity.HINT),
    } == case.expected
    assert done.result.exit_code == int(bool(case.expected["errors"]))


def test_every_text_is_a_case() -> None:
    assert len(CASES) > 20
