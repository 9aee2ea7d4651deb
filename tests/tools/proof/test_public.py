"""The public projects that the proof verifies: their table, and what is printed of a run."""

from __future__ import annotations

from collections import Counter

from gpu2ascend.verify.result.model import Fault
from tools.proof.public.tables import changes, projects

PROJECTS = {project.name: project for project in projects()}


def test_twenty_repositories_or_folders_of_one_by_their_commits() -> None:
    assert len(PROJECTS) == len(projects()) >= 20
    assert all(len(project.commit) == 40 for project in projects())
    assert max(Counter((project.title, project.command) for project in projects()).values()) == 1


def test_what_is_expected_is_a_fault_or_a_training() -> None:
    expected = Counter(project.expected for project in projects())
    assert set(expected) <= {"", *(fault.value for fault in Fault)}
    assert expected[""] >= 18


def test_options_are_those_of_verify() -> None:
    of_two = PROJECTS["distributed"]
    assert (of_two.ranks, of_two.steps, of_two.fakes_data) == (2, 3, True)
    assert (PROJECTS["minGPT"].ranks, PROJECTS["sines"].steps, PROJECTS["minGPT"].fakes_data) == (
        None,
        2,
        False,
    )


def test_what_is_changed_is_said() -> None:
    assert changes(PROJECTS["minGPT"]) == "none"
    assert changes(PROJECTS["mnist"]) == "`--data fake`"
    assert "generate_sine_wave.py" in changes(PROJECTS["sines"])
