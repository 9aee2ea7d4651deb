"""What is examined, and for which target."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.rules.near_programs import some
from tools.compare.sides import SideError
from tools.compare.tasks import PACKAGES, below, near_programs, of_folders, of_programs
from tools.proof.projects import projects

ROOT = Path(__file__).parents[3]


def program(name: str, *, migrates: bool = False, **settings: object) -> dict[str, Any]:
    return {"group": "NPU101", "name": name, "settings": settings, "migrates": migrates}


def test_programs_are_examined_for_the_first_target_as_they_say() -> None:
    given = [program("plain"), program("own", target="mindspore"), program("whole", migrates=True)]
    tasks = list(of_programs(given, "torch_npu"))
    assert [task.name for task in tasks] == ["NPU101 plain", "NPU101 own", "NPU101 whole"]
    assert [json.loads(task.document) for task in tasks] == given


def test_programs_that_choose_none_are_examined_for_another_target() -> None:
    others = [program("own", target="mindspore"), program("whole", migrates=True)]
    (task,) = of_programs([program("plain", version="2.8.0"), *others], "accelerator")
    assert task.name == "NPU101 plain for accelerator"
    assert json.loads(task.document)["settings"] == {"version": "2.8.0", "target": "accelerator"}


def test_each_folder_right_below_a_given_one_is_a_project(tmp_path: Path) -> None:
    for name in ("one/src", "two", ".git"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "notes.txt").touch()
    assert below([tmp_path]) == [tmp_path / "one", tmp_path / "two"]
    assert [task.name for task in of_folders(below([tmp_path]), "torch_npu")] == ["one", "two"]


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SideError, match="is not a folder"):
        below([tmp_path / "absent"])


def test_the_real_projects_are_those_of_the_proof() -> None:
    assert set(PACKAGES) <= {project.name for project in projects()}


@pytest.mark.slow
def test_programs_are_those_of_the_tests() -> None:
    made = near_programs(ROOT, 0.3, 1, "NPU101")
    names = [(item["group"], item["name"]) for item in made]
    assert names == [("NPU101", item.name) for item in some("NPU101", 0.3, 1)]
    assert all(item["settings"]["version"] for item in made)
