"""The files that a migration adds: which are needed, under which names, and that the project's own stay."""

from __future__ import annotations

import sys
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.adapters.modelarts import modelarts_files
from gpu2ascend.project.launchers.environment import FIRST_LINE, USUAL_NAME, Need
from gpu2ascend.project.migrate.added_files import (
    added_files,
    environment_for,
    is_ours,
    limits_of,
    needs_of,
    write_added_files,
)
from gpu2ascend_rules.options.choices import MindsporeApi
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import OPTIONS, make_tree

DISTRIBUTED = attrs.evolve(OPTIONS, distributed=True, main_file="train.py")


@pytest.mark.parametrize(
    ("codes", "needs"),
    [
        ([], set()),
        (["NPU101"], set()),
        (["NPU901"], {Need.VISIBLE_DEVICES}),
        (["NPU902"], {Need.VISIBLE_DEVICES}),
        (["NPU1001"], {Need.VISIBLE_DEVICES}),
        (["NPU903"], set()),
        (["NPU401"], {Need.COLLECTIVES}),
        (["NPU101", "NPU499", "NPU901"], {Need.VISIBLE_DEVICES, Need.COLLECTIVES}),
    ],
)
def test_what_was_found_shows_what_the_environment_needs(codes: list[str], needs: set[Need]) -> None:
    assert needs_of(codes, OPTIONS) == needs
    assert needs_of(codes, DISTRIBUTED) == needs | {Need.COLLECTIVES}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "proj", {"train.py": "import torch\n"})


def test_the_environment_gets_a_name_that_the_project_does_not_use(project: Path) -> None:
    assert environment_for(project, ()).name == USUAL_NAME
    (project / USUAL_NAME).write_text("echo mine\n")
    other = environment_for(project, ()).name
    assert other != USUAL_NAME and not (project / other).exists()
    (project / USUAL_NAME).write_text(f"{FIRST_LINE}\n")
    assert environment_for(project, ()).name == USUAL_NAME, "an earlier one of ours is replaced"


@pytest.mark.parametrize(
    ("content", "answer"),
    [(FIRST_LINE, True), (f"{FIRST_LINE}\nexport A=1\n", True), (f"\n{FIRST_LINE}", False), ("", False)],
)
def test_a_script_of_ours_begins_with_our_line(tmp_path: Path, content: str, answer: bool) -> None:
    (tmp_path / "a.sh").write_text(content)
    assert is_ours(tmp_path / "a.sh") is answer
    assert not is_ours(tmp_path / "none.sh") and not is_ours(tmp_path)


@pytest.mark.parametrize(("size", "answer"), [(100_000, True), (100_001, False)])
def test_a_file_that_is_far_larger_than_ours_is_none_of_ours(tmp_path: Path, size: int, answer: bool) -> None:
    (tmp_path / "a.sh").write_text(FIRST_LINE.ljust(size, "#"))
    assert is_ours(tmp_path / "a.sh") is answer


def test_what_stands_in_our_package_of_paths_is_ours(tmp_path: Path) -> None:
    for name, text in modelarts_files(OPTIONS.route).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        assert is_ours(path)


def names(project: Path, **changes: object) -> set[str]:
    environment = environment_for(project, ())
    options = options_from(changes, OPTIONS)
    return {file.name for file in added_files(project, options, environment)}


def test_which_files_are_added(project: Path) -> None:
    assert names(project) == {USUAL_NAME}
    distributed = {"distributed": True, "main_file": "train.py"}
    assert names(project, **distributed) == {USUAL_NAME, "run_distributed_npu.sh"}
    by_msrun = names(project, target="mindspore", **distributed)
    assert "run_msrun.sh" in by_msrun and "run_distributed_npu.sh" not in by_msrun
    assert names(project, modelarts=True) > {USUAL_NAME}
    assert list(added_files(project, OPTIONS, None)) == []


def test_they_are_written_with_their_modes_and_told(project: Path, tmp_path: Path) -> None:
    output = make_tree(tmp_path / "out", {"train.py": ""})
    environment = environment_for(project, ())
    done = write_added_files(project, output, DISTRIBUTED, environment)
    assert (done.environment, done.notices) == (USUAL_NAME, ())
    assert USUAL_NAME in done.names and all((output / name).is_file() for name in done.names)
    if sys.platform != "win32":
        modes = {name: (output / name).stat().st_mode & 0o777 for name in done.names}
        assert modes[USUAL_NAME] == 0o644
        assert {mode for name, mode in modes.items() if name.startswith("run_")} == {0o755}


def test_without_an_environment_none_is_named(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    done = write_added_files(project, tmp_path / "out", OPTIONS, None)
    assert (done.names, done.environment, done.notices) == ((), None, ())


def test_a_file_of_the_project_stays_and_that_is_said(project: Path, tmp_path: Path) -> None:
    (project / USUAL_NAME).write_text("echo mine\n")
    environment = environment_for(project, ())
    output = make_tree(tmp_path / "out", {environment.name: "echo mine too\n"})
    done = write_added_files(project, output, OPTIONS, environment)
    assert [notice.id for notice in done.notices] == [
        "project.environment-renamed",
        "project.added-file-kept",
    ]
    assert (done.names, done.environment) == ((), environment.name)
    assert (output / environment.name).read_text() == "echo mine too\n"


def test_one_of_an_earlier_migration_stays_without_a_word(project: Path, tmp_path: Path) -> None:
    output = make_tree(tmp_path / "out", {USUAL_NAME: f"{FIRST_LINE}\n"})
    done = write_added_files(project, output, OPTIONS, environment_for(project, ()))
    assert (done.names, done.notices) == ((), ())
    assert (output / USUAL_NAME).read_text() == f"{FIRST_LINE}\n"


def test_what_nothing_can_examine_is_told_where_it_is_asked_for() -> None:
    def told(**changes: object) -> list[str]:
        return [notice.id for notice in limits_of(attrs.evolve(OPTIONS, **changes))]  # type: ignore[arg-type]

    assert told(graph=True) == ["project.graph-limits"]
    assert told(mindspore_api=MindsporeApi.MINT) == ["project.mint-unchecked"]
    assert told(graph=True, mindspore_api=MindsporeApi.MINT) == [
        "project.graph-limits",
        "project.mint-unchecked",
    ]
    assert told() == []
