"""``check --fix --report``: files in their place have what a copy has beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..conftest import STUCK, TRAIN, Run, make_project

AT = ("-v", "2.8.0")
HERE = ("check", "proj", *AT, "--fix", "--report")
MARKER = ".gpu2ascend.json"
OF_A_RUN = {"report.html", "MIGRATION.md", "msFmkTranspltlog.txt", MARKER}
"""What says when, where or from what it was made."""


def names(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def contents(root: Path) -> dict[str, bytes]:
    return {name: (root / name).read_bytes() for name in names(root)}


def test_it_has_every_file_that_a_copy_has_but_those_by_which_a_copy_is_replaced(
    run: Run, project: Path, tmp_path: Path
) -> None:
    run("migrate", project, "out", *AT)
    copy = contents(tmp_path / "out" / "proj_msft")
    done = run(*HERE)
    here = contents(project)
    assert done.code == 0 and "report.html" in done.err
    assert set(copy) - set(here) == {".gpu2ascend.files", ".gpu2ascend/base.zip"}
    assert set(here) <= set(copy)
    same = set(here) - OF_A_RUN - {".gpu2ascend/work-orders.json"}
    assert {name: here[name] for name in same} == {name: copy[name] for name in same}
    assert b".npu()" in here["train.py"] and here["change_list.csv"].count(b"\n") > 1


def test_what_is_written_leads_to_the_project(run: Run, project: Path) -> None:
    run(*HERE)
    for name in names(project):
        text = (project / name).read_text(encoding="utf-8")
        assert "gpu2ascend-" not in text and "proj_msft" not in text, name


def test_later_commands_know_the_version_and_what_is_left(run: Run, tmp_path: Path) -> None:
    root = make_project(tmp_path / "proj", {"train.py": TRAIN + STUCK})
    assert run(*HERE).code == 1
    assert run("analyze", root, "--json").json["version"] == "2.8.0"
    assert "broadcast" in run("handover", root).out


def test_a_second_time_replaces_its_own_files_alone(run: Run, project: Path) -> None:
    run(*HERE)
    first = names(project)
    (project / "train.py").write_text(TRAIN, encoding="utf-8")
    assert run(*HERE).code == 0 and names(project) == first
    assert "report.html" not in run("check", project, *AT, "--output-format", "json").out


def test_a_file_of_the_project_keeps_its_name(run: Run, project: Path) -> None:
    make_project(project, {"report.html": "mine", "env.sh": "export MINE=1\n"})
    run(*HERE)
    assert (project / "report.html").read_text(encoding="utf-8") == "mine"
    assert (project / "env.sh").read_text(encoding="utf-8") == "export MINE=1\n"
    assert {"report_msft.html", "env_npu.sh"} <= names(project)


def test_nothing_is_ever_taken_for_an_output_that_may_be_replaced(
    run: Run, project: Path, tmp_path: Path
) -> None:
    run(*HERE)
    project.rename(tmp_path / "proj_msft")
    make_project(tmp_path / "proj", {"train.py": TRAIN})
    done = run("migrate", "proj", ".", *AT, "--force")
    assert done.code == 2 and (tmp_path / "proj_msft" / "data.py").exists()


def test_the_reports_of_a_migration_stay(run: Run, project: Path, tmp_path: Path) -> None:
    run("migrate", project, "out", *AT)
    output = tmp_path / "out" / "proj_msft"
    (output / "train.py").write_text(TRAIN, encoding="utf-8")
    before = contents(output)
    done = run("check", output, *AT, "--fix", "--report")
    assert done.code == 2 and "--update" in done.err and contents(output) == before


def test_a_file_that_was_not_fixed_is_said_to_be_in_the_reports(run: Run, project: Path) -> None:
    assert "also describe" not in run(*HERE).err
    (project / "train.py").write_text(TRAIN, encoding="utf-8")
    (project / "train.py").chmod(0o444)
    done = run(*HERE)
    assert (done.code, (project / "train.py").read_text(encoding="utf-8")) == (1, TRAIN)
    assert "also describe the edits of files that stayed as they are" in done.err


def test_options_of_migrations_alone_change_no_report(run: Run, project: Path) -> None:
    settings = '[tool.gpu2ascend]\nversion = "2.8.0"\ndistributed = true\nmain_file = "train.py"\n'
    make_project(project, {"pyproject.toml": settings})
    done = run("check", project, "--fix", "--report")
    assert done.code == 0, done.err
    assert "options" in json.loads((project / MARKER).read_text(encoding="utf-8"))
    assert not {name for name in names(project) if name.startswith("run_distributed")}
    edits = (project / "change_list.csv").read_text(encoding="utf-8")
    assert edits.count("NPU101 Replace") == 1


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (("check", "proj", "--report"), "--fix"),
        (("check", "proj", "--fix", "--diff", "--report"), "--report has no effect with --diff"),
        (("check", "proj/train.py", "--fix", "--report"), "--report goes with one directory"),
        (("check", "proj", "proj", "--fix", "--report"), "--report goes with one directory"),
        (("check", "-", "--fix", "--report"), "--report goes with one directory"),
    ],
)
def test_where_there_is_nothing_to_report_on(
    run: Run, project: Path, line: tuple[str, ...], answer: str
) -> None:
    done = run(*line)
    assert (done.code, answer in done.err) == (2, True), done.err
    assert names(project) == {"train.py", "data.py"}
