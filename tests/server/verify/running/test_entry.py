"""The project's own command, however it is spelled, becomes processes of the chosen interpreter."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.verify.running.entry import command_of, environment_of, environments_of_ranks, packages_of
from gpu2ascend.verify.running.starters import FOLDER

PYTHON = Path("/environment/bin/python")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a script and a launcher."""
    (tmp_path / "train.py").touch()
    (tmp_path / "run.sh").touch()
    (tmp_path / "fit").write_text("#!/usr/bin/env python3\n")
    (tmp_path / "start").write_text("#!/bin/sh\n")
    (tmp_path / "without_first_line").write_text("import torch\n")
    (tmp_path / "pyproject.toml").write_text('[project.scripts]\nfit-all = "package.cli:main"\n')
    (tmp_path / "setup.cfg").write_text("console_scripts =\n    fit_one = package.one:run\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "arguments", "is_launcher"),
    [
        (("train.py", "--epochs", "1"), ("train.py", "--epochs", "1"), False),
        (("fit", "--epochs", "1"), ("fit", "--epochs", "1"), False),
        (("./fit",), ("./fit",), False),
        (("-m", "package.train"), ("-m", "package.train"), False),
        (("python", "-u", "train.py"), ("-u", "train.py"), False),
        (("python3.11", "train.py"), ("train.py",), False),
        (("torchrun", "--nproc_per_node=2", "train.py"),
         ("-m", "torch.distributed.run", "--nproc_per_node=2", "train.py"), True),
    ],
)  # fmt: skip
def test_python_is_the_chosen_one(
    project: Path, words: tuple[str, ...], arguments: tuple[str, ...], is_launcher: bool
) -> None:
    assert command_of(words, project, PYTHON) == ((str(PYTHON), *arguments), is_launcher)


@pytest.mark.parametrize(
    ("name", "module", "function"), [("fit-all", "package.cli", "main"), ("fit_one", "package.one", "run")]
)
def test_a_console_script_of_the_project_calls_its_function(
    project: Path, name: str, module: str, function: str
) -> None:
    command = command_of((name, "--epochs", "1"), project, PYTHON)
    call = f"import sys; from {module} import {function}; sys.argv[0] = '{name}'; sys.exit({function}())"
    assert command == ((str(PYTHON), "-c", call, "--epochs", "1"), False)


def test_a_folder_that_is_installed_for_itself_is_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "setup.py").touch()
    assert packages_of(tmp_path) == [tmp_path / "tools"]


def test_a_folder_with_a_module_that_hides_one_of_python_is_not_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "setup.py").touch()
    (tmp_path / "ops" / "select.py").touch()
    assert packages_of(tmp_path) == []


def test_a_shell_script_needs_no_leave_to_be_executed(project: Path) -> None:
    command = command_of(("run.sh", "2"), project, PYTHON)
    assert Path(command.arguments[0]).name in ("bash", "sh")
    assert (command.arguments[1:], command.is_launcher) == (("run.sh", "2"), True)


@pytest.mark.parametrize("module", ["torch.distributed.run", "torch.distributed.launch"])
def test_a_launcher_that_is_a_module_is_one(project: Path, module: str) -> None:
    assert command_of(("python", "-m", module, "train.py"), project, PYTHON).is_launcher


def test_without_a_command_the_scripts_that_train_are_proposed(project: Path) -> None:
    (project / "train.py").write_text("for batch in loader:\n    loss.backward()\n")
    with pytest.raises(InputError, match=r"train\.py"):
        command_of((), project, PYTHON)


def test_a_launcher_of_the_project_is_started_as_it_is(project: Path) -> None:
    command = command_of(("sh", "run.sh"), project, PYTHON)
    assert Path(command.arguments[0]).name.startswith("sh")
    assert (command.arguments[1:], command.is_launcher) == (("run.sh",), True)


def test_a_script_of_a_shell_is_started_as_it_is(project: Path) -> None:
    assert command_of(("./start",), project, PYTHON) == ((str(project / "start"),), True)
    assert command_of(("start",), project, PYTHON) == ((str(project / "start"),), True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "verify.no-command"),
        (("other.py",), "verify.no-script"),
        (("no-such-program",), "verify.no-program"),
        (("without_first_line",), "verify.no-interpreter-line"),
        (("./without_first_line",), "verify.no-interpreter-line"),
    ],
)
def test_what_cannot_be_started_is_an_error(project: Path, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError) as refused:
        command_of(words, project, PYTHON)
    assert refused.value.message.id == message


def test_what_the_processes_import_first_is_ours_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/theirs")
    found = environment_of(tmp_path, tmp_path / "settings", PYTHON)
    assert found["PYTHONPATH"].split(os.pathsep) == [str(tmp_path), "/theirs"]
    assert found["PATH"].split(os.pathsep)[:2] == [str(tmp_path / FOLDER), str(PYTHON.parent)]
    assert found["PYTHONDONTWRITEBYTECODE"] == "1"


def test_no_gpu_of_this_machine_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert environment_of(tmp_path, tmp_path / "settings", PYTHON)["CUDA_VISIBLE_DEVICES"] == ""


def test_packages_of_a_project_that_is_installed_are_found_behind_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/theirs")
    (tmp_path / "src").mkdir()
    assert packages_of(tmp_path) == []
    (tmp_path / "setup.py").touch()
    packages = packages_of(tmp_path)
    assert packages == [tmp_path / "src", tmp_path]
    found = environment_of(tmp_path, tmp_path / "settings", PYTHON, packages)["PYTHONPATH"]
    assert found.split(os.pathsep)[1:] == ["/theirs", *map(str, packages)]


def test_a_package_that_is_named_src_is_no_folder_of_packages(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "__init__.py").touch()
    (tmp_path / "pyproject.toml").touch()
    assert packages_of(tmp_path) == [tmp_path]


def test_ranks_have_the_variables_of_torchrun() -> None:
    first, second = environments_of_ranks({"A": "1"}, 2)
    assert (first["RANK"], second["RANK"], second["LOCAL_RANK"], second["WORLD_SIZE"]) == ("0", "1", "1", "2")
    assert environments_of_ranks({"A": "1"}, None) == [{"A": "1"}]
