"""The formats of CI systems, the statistics, and the exit code that lets a job go on."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ..conftest import STUCK, TRAIN, Run, make_project

AT = ("-v", "2.8.0")
FILES = {"p/train.py": TRAIN, "p/stuck.py": STUCK, "p/again.py": TRAIN}


def test_gitlab_gets_issues_with_paths_of_the_repository_and_fingerprints_that_differ(
    run: Run, tmp_path: Path
) -> None:
    make_project(tmp_path, FILES)
    issues = run("check", str(tmp_path / "p"), *AT, "--output-format", "gitlab").json
    assert {issue["location"]["path"] for issue in issues} == FILES.keys()
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 5
    assert {issue["severity"] for issue in issues} == {"major", "critical"}


@pytest.mark.parametrize("paths", [("p",), ("../sub/p",), ("p/train.py", "p/stuck.py", "p/again.py")])
def test_paths_of_gitlab_count_from_the_repository_wherever_the_job_runs(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: tuple[str, ...]
) -> None:
    make_project(tmp_path, {f"sub/{name}": text for name, text in FILES.items()})
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    issues = run("check", *paths, *AT, "--output-format", "gitlab").json
    assert {issue["location"]["path"] for issue in issues} == {f"sub/{name}" for name in FILES}


def test_a_fingerprint_stays_when_lines_are_added_above(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, {"a.py": TRAIN})
    before = run("check", "a.py", *AT, "--output-format", "gitlab").json
    make_project(tmp_path, {"a.py": f"# a comment\n{TRAIN}"})
    after = run("check", "a.py", *AT, "--output-format", "gitlab").json
    assert [item["fingerprint"] for item in before] == [item["fingerprint"] for item in after]
    assert [item["location"] for item in before] != [item["location"] for item in after]


def test_junit_has_a_failed_test_a_finding_with_its_line(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, FILES)
    suites = ElementTree.fromstring(run("check", "p", *AT, "--output-format", "junit").out)
    found = {suite.get("name"): [case.get("line") for case in suite] for suite in suites}
    assert found == {"p/again.py": ["3", "4"], "p/stuck.py": ["3"], "p/train.py": ["3", "4"]}
    assert all(case.find("failure") is not None for suite in suites for case in suite)


def test_junit_has_one_passed_test_where_nothing_is_found(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, {"a.py": "x = 1\n"})
    suites = ElementTree.fromstring(run("check", "a.py", *AT, "--output-format", "junit").out)
    assert [[len(case) for case in suite] for suite in suites] == [[0]]


def test_statistics_count_by_rule_the_most_frequent_first(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, FILES)
    lines = run("check", "p", *AT, "--statistics").out.splitlines()
    assert [line.split()[:3] for line in lines[:2]] == [["3", "NPU101", "[-]"], ["2", "NPU110", "[*]"]]
    counted = run("check", "p", *AT, "--statistics", "--output-format", "json").json
    assert [(row["code"], row["count"], row["fixable"]) for row in counted[:2]] == [
        ("NPU101", 3, 2),
        ("NPU110", 2, 2),
    ]


def test_statistics_are_for_people_and_json(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, FILES)
    done = run("check", "p", *AT, "--statistics", "--output-format", "sarif")
    assert done.code == 2 and "--statistics" in done.err and "sarif" in done.err


def test_exit_zero_counts_for_findings_and_not_for_files_that_were_not_checked(
    run: Run, tmp_path: Path
) -> None:
    make_project(tmp_path, {"p/train.py": TRAIN})
    assert run("check", "p", *AT).code == 1
    done = run("check", "p", *AT, "--exit-zero")
    assert done.code == 0 and "Found 2 problems." in done.out
    (tmp_path / "p" / "broken.py").write_text("import torch\ntorch.cuda.(\n", encoding="utf-8")
    assert run("check", "p", *AT, "--exit-zero").code == 1


def test_a_message_of_a_project_is_only_text(run: Run, tmp_path: Path) -> None:
    rules = {"rules": {"FuncNameModifyRule": [{"old_name": "make<b>", "new_name": "build"}]}}
    make_project(tmp_path, {"a&b.py": TRAIN, "rules.json": json.dumps(rules)})
    suites = ElementTree.fromstring(run("check", "a&b.py", *AT, "--output-format", "junit").out)
    assert [suite.get("name") for suite in suites] == ["a&b.py"]
