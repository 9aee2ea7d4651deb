"""The parameters of the command are looked at before anything runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.lsp.commands.parameters import Parameters
from gpu2ascend.lsp.commands.verifying.request import request_of, words_of
from gpu2ascend.project.errors import ProjectError
from gpu2ascend.project.manifest.marker import Marker, write_marker
from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend_rules.model.versions import NEWEST, Version


def request(project: Path, **changes: Any) -> VerifyRequest:
    """The request of a run of the project's script."""
    given = {"projectPath": str(project), "command": "train.py", "interpreter": sys.executable, **changes}
    return request_of(Parameters.of(given), None)


def test_what_is_left_out_has_the_values_of_the_command_line(tmp_path: Path) -> None:
    made = request(tmp_path)
    assert (made.command, made.ranks, made.steps, made.seconds, made.seed) == (("train.py",), None, 3, 600, 0)
    assert (made.version, made.python) == (NEWEST, Path(sys.executable))


def test_places_of_the_project_need_a_plain_yes(tmp_path: Path) -> None:
    given = [request(tmp_path, **changes).allows_sources for changes in ({}, {"allowProjectSources": True})]
    assert given == [False, True]
    assert not any(
        request(tmp_path, allowProjectSources=value).allows_sources for value in ("true", 1, {}, [])
    )


def test_the_version_is_that_of_the_migration(tmp_path: Path) -> None:
    write_marker(tmp_path, Marker("0.3", (), torch="2.7.1"))
    assert request(tmp_path).version == Version(2, 7, 1)


def test_the_lowest_numbers_are_taken(tmp_path: Path) -> None:
    made = request(tmp_path, steps=1, processes=1, seed=0)
    assert (made.steps, made.ranks, made.seed) == (1, 1, 0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"projectPath": None}, "directory"),
        ({"projectPath": "relative"}, "relative"),
        ({"command": ""}, "name the command that starts"),
        ({"command": ["train.py", 3]}, "name the command that starts"),
        ({"command": "train.py 'open"}, "cannot be split"),
        ({"interpreter": "python"}, "absolute"),
        ({"steps": 0}, "steps"),
        ({"processes": True}, "processes"),
        ({"sourcePath": "/no/such/directory"}, "not a directory"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ProjectError, match=said):
        request(tmp_path, **changes)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("train.py --epochs 1", ("train.py", "--epochs", "1")),
        ("train.py --name 'a b' \"c d\"", ("train.py", "--name", "a b", "c d")),
        (r"train.py a\ b", ("train.py", "a b")),
        ("train.py #1 a;b", ("train.py", "#1", "a;b")),
        ("  ", ()),
    ],
)
def test_words(command: str, words: tuple[str, ...]) -> None:
    assert words_of(command, windows=False) == words


def test_a_backslash_is_part_of_a_path_on_windows() -> None:
    assert words_of(r'tools\train.py "C:\my data"', windows=True) == (r"tools\train.py", r"C:\my data")


@pytest.mark.parametrize(("length", "shown"), [(58, 58), (59, 58), (500, 58)])
def test_of_a_long_value_that_is_no_number_the_beginning_is_shown(
    tmp_path: Path, length: int, shown: int
) -> None:
    with pytest.raises(ProjectError) as caught:
        request(tmp_path, steps="é" * length)
    (value,) = [value for name, value in caught.value.message.arguments if name == "value"]
    assert str(value).count("é") == min(length, shown + 1)
    assert len(str(value)) == min(length + 2, 60)
