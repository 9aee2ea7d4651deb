"""Which file is missing, where it is expected, and by which argument it is given."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from gpu2ascend.verify.result.missing_files import missing_file
from gpu2ascend.verify.result.model import Failure, Place

SCRIPT = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("-b", "--batch", default=4)
parser.add_argument("-d", "--data_root", default="./data")
"""


def failure(text: str, kind: str = "FileNotFoundError", script: str = "train.py") -> Failure:
    """An error that a script ended with."""
    return Failure(rank=0, type=kind, text=text, traceback=(Place(script, 1), Place("data.py", 2)))


@pytest.mark.parametrize(
    ("text", "kind", "given"),
    [
        (
            "[Errno 2] No such file or directory: './data/a.h5'",
            "option",
            {"path": "./data/a.h5", "option": "--data_root"},
        ),
        ("unable to open file: name = 'data/a.h5', errno = 2", "option", {"option": "--data_root"}),
        ("[Errno 2] No such file or directory: 'lists/a.txt'", "absent", {"path": "lists/a.txt"}),
    ],
)
def test_the_file_is_named_with_the_argument_that_says_where_it_is(
    tmp_path: Path, text: str, kind: str, given: dict[str, str]
) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    found = missing_file(failure(text), tmp_path)
    assert found is not None and found[0].id == f"verify.file.{kind}.cause"
    assert given.items() <= dict(found[0].arguments).items()


def test_a_script_that_is_started_in_its_own_folder_is_started_there(tmp_path: Path) -> None:
    (tmp_path / "tasks" / "blur").mkdir(parents=True)
    (tmp_path / "tasks" / "blur" / "training.yml").write_text("a: 1\n")
    error = failure("No such file or directory: 'training.yml'", script="tasks/blur/train.py")
    found = missing_file(error, tmp_path)
    assert found is not None and found[1].id == "verify.file.elsewhere.remedy"
    assert dict(found[1].arguments)["command"] == "bash -c 'cd tasks/blur && python train.py'"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[Errno 2] No such file or directory: 'nvidia-smi'", "FileNotFoundError"),
        ("https://host/a.bin", "FileNotFoundError"),
        ("No such file or directory: 'data/a.txt'", "RuntimeError"),
    ],
)
def test_programs_and_addresses_are_no_data(tmp_path: Path, text: str, kind: str) -> None:
    assert missing_file(failure(text, kind), tmp_path) is None


def test_what_is_proposed_for_a_shell_has_no_command_of_a_name(tmp_path: Path) -> None:
    folder = "a $(touch owned)"
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "training.yml").write_text("a: 1\n")
    (tmp_path / folder / "train.py").write_text("")
    error = failure("No such file or directory: 'training.yml'", script=f"{folder}/train.py")
    found = missing_file(error, tmp_path)
    assert found is not None
    command = str(dict(found[1].arguments)["command"])
    assert shlex.split(command)[:2] == ["bash", "-c"]
    assert shlex.split(shlex.split(command)[2]) == ["cd", folder, "&&", "python", "train.py"]
