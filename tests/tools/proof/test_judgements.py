"""The committed judgements, and what the page makes of them."""

from __future__ import annotations

import json

import pytest

from tools.proof.__main__ import RUNS
from tools.proof.causes import Cause, causes_of
from tools.proof.judgements import Judgement, judgements, sample
from tools.proof.page import LANGUAGES, Language, Run, estimated, page
from tools.proof.projects import projects


def run(**causes: int) -> Run:
    return Run("p-1", "x", "2.8.0", 1, 1, 1, 1, causes, [])


def judgement(code: str, verdict: str) -> Judgement:
    return Judgement("p-1", "2.8.0", code, "a.py:1", "m", verdict, "")


def test_a_cause_is_one_row_with_its_places() -> None:
    finding = {"code": "NPU1", "severity": "error", "message": "m", "start_line": 3}
    document = {"version": "2.8.0", "files": [{"path": "a.py", "remaining": [finding, finding]}]}
    assert causes_of("p-1", document) == [Cause("p-1", "2.8.0", "NPU1", "error", "m", "a.py:3", 2)]


def test_the_sample_is_the_same_every_time_and_takes_of_every_rule() -> None:
    causes = [Cause("p", "2.8.0", f"NPU{n % 2}", "error", str(n), "a.py:1", 1) for n in range(20)]
    chosen = sample(causes, 3)
    assert chosen == sample(reversed(causes), 3)
    assert [row.code for row in chosen] == ["NPU0"] * 3 + ["NPU1"] * 3


def test_a_share_weighs_each_rule_by_all_its_causes() -> None:
    judged = [judgement("NPU1", "noise"), judgement("NPU2", "useful"), judgement("NPU2", "noise")]
    assert estimated([run(NPU1=10, NPU2=30)], judged, "noise") == (10 + 15) / 40


def test_at_most_one_cause_in_twenty_asks_for_nothing() -> None:
    runs = [Run(**item) for item in json.loads(RUNS.read_text(encoding="utf-8"))]
    assert len({item.project for item in runs}) >= 20
    assert estimated(runs, judgements(), "noise") <= 1 / 20


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.page.name)
def test_the_page_is_made_of_the_committed_numbers(language: Language) -> None:
    runs = [Run(**item) for item in json.loads(RUNS.read_text(encoding="utf-8"))]
    assert language.page.read_text(encoding="utf-8") == page(runs, judgements(), language)


def test_every_project_is_pinned_once() -> None:
    names = [project.name for project in projects()]
    assert len(names) == len(set(names)) and all(project.version for project in projects())
