"""How a migration ends: whether the project can be expected to train, and what to type next."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import attrs
import pytest

from gpu2ascend.cli.output.terminal import Terminal
from gpu2ascend.cli.pages.verdict import LeftByRule, verdict_lines
from gpu2ascend.project.report.result import (
    FileOutcome,
    FileStatus,
    MigrationRequest,
    MigrationResult,
    Summary,
)
from gpu2ascend.project.report.verdict.way import Standing, Way
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.model.finding import Applicability, Severity
from gpu2ascend_rules.model.outcome import RemainingFinding
from gpu2ascend_rules.model.versions import Version
from tests.server.project.report.html.pages import left
from tests.server.project.samples import OPTIONS
from tests.telling import tell_ids

OUT = Path("/out/proj_msft")
TYPED = ["-i", "proj", "-o", "/out", "--force"]


@pytest.fixture(autouse=True)
def _ids(monkeypatch: pytest.MonkeyPatch) -> None:
    tell_ids(monkeypatch)


def lines(
    summary: Summary,
    *found: RemainingFinding,
    typed: list[str] | None = None,
    output: Path = Path("/out"),
    options: dict[str, Any] | None = None,
    **result: Any,
) -> list[str]:
    counted = LeftByRule()
    counted.add(FileOutcome("a.py", FileStatus.UNCHANGED, remaining=found))
    request = MigrationRequest(
        input=Path("proj"), output=output, options=attrs.evolve(OPTIONS, **(options or {}))
    )
    made = MigrationResult(**{"output_path": OUT, "version": Version(2, 8), "summary": summary, **result})
    terminal = Terminal(io.StringIO(), {})
    return list(
        verdict_lines(request, made, counted, TYPED if typed is None else typed, terminal, Texts("en"))
    )


def commands(*arguments: Any, **named: Any) -> list[str]:
    found = [line.strip() for line in lines(*arguments, **named)]
    return [line for line in found if line.startswith(("gpu2ascend ", "source ", "python "))]


NOT_RUN = " «report.not-run»"


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        (Summary(), ["«report.verdict-migrated(count=0)»" + NOT_RUN]),
        (Summary(hints=3), ["«report.verdict-migrated(count=0)»" + NOT_RUN]),
        (Summary(warnings=1, information=2), ["«report.verdict-open(count=3)»" + NOT_RUN]),
        (Summary(information=2), ["«report.verdict-open(count=2)»" + NOT_RUN]),
        (Summary(obstacles=1), ["«report.verdict-blocked»"]),
        (Summary(errors=2), ["«report.verdict-blocked»", "  «cli.verdict.errors(count=2, rules=0)»"]),
        (
            Summary(errors=1, failed=2),
            [
                "«report.verdict-blocked»",
                "  «cli.verdict.errors(count=1, rules=0)»",
                "  «report.reason-troubled(count=2)»",
            ],
        ),
    ],
)
def test_the_verdict(summary: Summary, said: list[str]) -> None:
    assert lines(summary) == said


def test_the_rules_behind_the_errors_are_counted_and_listed() -> None:
    found = [
        left(code="NPU104"),
        left(code="NPU104"),
        left(code="NPU105"),
        left(Severity.HINT, code="NPU106"),
    ]
    said = lines(Summary(errors=3, hints=1), *found)
    assert said[1] == "  «cli.verdict.errors(count=3, rules=2)»"
    assert [line.split()[:1] + line.split()[2:3] for line in said[2:6]] == [
        ["2", "NPU104"],
        ["1", "NPU105"],
        ["«cli.verdict.advice»"],
        ["1", "NPU106"],
    ]


def test_what_no_training_reaches_is_counted_apart() -> None:
    counted = LeftByRule()
    counted.add(FileOutcome("a.py", FileStatus.UNCHANGED, remaining=(left(code="NPU104"),)))
    counted.add(
        FileOutcome("b.py", FileStatus.UNCHANGED, remaining=(left(code="NPU105"),), way=Way(Standing.BESIDE))
    )
    assert {standing: [cause.code for cause in found] for standing, found in counted.groups.items()} == {
        Standing.ON_THE_WAY: ["NPU104"],
        Standing.BESIDE: ["NPU105"],
    }


def test_the_details_of_the_verdict_follow() -> None:
    summary = Summary(errors=2, errors_beside=2, undecided=1, left_out_on_way=4, cuda_sources_on_way=4)
    said = lines(summary, verdict=attrs.evolve(summary.verdict(), left_out=("a", "b", "c", "d")))
    assert said == [
        "«report.verdict-undecided(count=0)»" + NOT_RUN,
        "  «report.reason-undecided(count=1)»",
        "  «report.reason-left-out(count=4, names=a, b, c, …)»",
        "  «report.reason-cuda-sources(count=4)»",
        "  «report.beside-way(count=2, folders=)»",
    ]


UNSAFE = left(Severity.WARNING, code="NPU104", fix=Applicability.UNSAFE)


@pytest.mark.parametrize(
    ("found", "named", "expected"),
    [
        ([], {}, []),
        ([left(Severity.ERROR)], {}, ["gpu2ascend explain NPU104"]),
        ([left(Severity.WARNING)], {}, ["gpu2ascend explain NPU104"]),
        ([left(Severity.INFORMATION)], {}, []),
        ([UNSAFE], {}, ["gpu2ascend explain NPU104", "gpu2ascend migrate -i proj -o /out --force --unsafe"]),
        (
            [UNSAFE],
            {"typed": ["proj", "--in-place"]},
            ["gpu2ascend explain NPU104", "gpu2ascend migrate proj --in-place --unsafe"],
        ),
        (
            [UNSAFE],
            {"typed": ["proj", "/out", "--update"]},
            ["gpu2ascend explain NPU104", "gpu2ascend migrate proj /out --update --unsafe"],
        ),
        ([UNSAFE], {"options": {"unsafe_fixes": True}}, ["gpu2ascend explain NPU104"]),
        (
            [UNSAFE],
            {"typed": ["proj", "--in-place"]},
            ["gpu2ascend explain NPU104", "gpu2ascend migrate proj --in-place --unsafe"],
        ),
        (
            [UNSAFE],
            {"typed": ["proj", "out", "--update"]},
            ["gpu2ascend explain NPU104", "gpu2ascend migrate proj out --update --unsafe"],
        ),
        (
            [UNSAFE],
            {"output_path": None, "typed": ["-i", "proj", "--diff"]},
            [
                "gpu2ascend migrate -i proj",
                "gpu2ascend explain NPU104",
                "gpu2ascend migrate -i proj --diff --unsafe",
            ],
        ),
        (
            [],
            {"output_path": None, "typed": ["-i", "proj", "--diff"], "output": Path()},
            ["gpu2ascend migrate -i proj -o out"],
        ),
        (
            [],
            {"output_path": None, "script": "train.py", "environment": "env.sh", "reports": ("r.html",)},
            ["gpu2ascend migrate -i proj -o /out --force"],
        ),
        ([], {"script": "train.py"}, [f"gpu2ascend verify {OUT} -- train.py"]),
        ([], {"environment": "env.sh"}, ["source ./env.sh", "gpu2ascend doctor"]),
        (
            [],
            {"reports": ("a.csv", "report.html", "log.txt")},
            [f"python -I -m webbrowser {OUT / 'report.html'}"],
        ),
    ],
)
def test_what_to_type_next_the_most_useful_first(
    found: list[RemainingFinding], named: dict[str, Any], expected: list[str]
) -> None:
    assert commands(Summary(), *found, **named) == expected


def test_how_many_fixes_are_offered_is_said() -> None:
    assert any("«cli.verdict.unsafe(count=2)»" in line for line in lines(Summary(), UNSAFE, UNSAFE, left()))
