"""Which word of a command is the program that Python runs."""

from __future__ import annotations

from typing import ClassVar

import pytest

from gpu2ascend_rules.flow.command_line.programs import is_of_others, program_of, python_of
from gpu2ascend_rules.kinds.shell.places import Word
from gpu2ascend_rules.model.project.project_view import Standalone


def words(command: str) -> tuple[Word, ...]:
    return tuple(Word(0, 0, None if "$" in word else word, word) for word in command.split())


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("./train --gpu 0", "./train"),
        ("bin/train --gpu 0", "bin/train"),
        ("torchrun --nproc_per_node 8 train --gpu 0", "train"),
        ("python train", "train"),
        ("train --gpu 0", None),
        ("./configure train", None),
        ("sudo ./train", None),
    ],
)
def test_a_script_without_a_suffix_is_one_that_the_project_has(command: str, program: str | None) -> None:
    at = program_of(words(command), {"train", "./train", "bin/train"}.__contains__)
    assert (None if at is None else command.split()[at]) == program


class WithScript(Standalone):
    """A project with a script and a file of data."""

    TEXTS: ClassVar = {"bin/train": "#!/usr/bin/env python3\nprint(1)\n", "data": "1\n"}

    def text_at(self, path: str) -> str | None:
        return self.TEXTS.get(path)


@pytest.mark.parametrize(
    ("command", "path"), [("./train", "bin/train"), ("python bin/train", "bin/train"), ("./data", None)]
)
def test_the_script_is_looked_for_beside_the_command_and_in_the_project(
    command: str, path: str | None
) -> None:
    found = python_of(words(command), WithScript(), "bin/go.sh")
    assert found == (None if path is None else (path, WithScript.TEXTS[path]))


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("python train.py --device cuda", "train.py"),
        ("./train.py --device cuda", "./train.py"),
        ("CUDA=1 /usr/bin/python3.11 -u train.py", "train.py"),
        ("torchrun --nproc_per_node 8 train.py", "train.py"),
        ("python -m tools.train", "tools.train"),
        ("python -m torch.distributed.launch train.py", "train.py"),
        ("$PYTHON train.py", None),
        ("python $DIR/train.py", "$DIR/train.py"),
        ("python train.py | grep", "train.py"),
        ("python train.py --log cat", "train.py"),
        ("python train.py /bin/grep", "train.py"),
        ("python -c pass train.py", None),
        ("python -m", None),
        ("python --file=x.py", None),
        ("bash train.py", None),
        ("grep python train.py", None),
        ("/bin/cat python train.py", None),
        ("echo python train.py", None),
        ("", None),
        ("train.py", "train.py"),
        ("--file=train.py", None),
        ("python other train.py", "train.py"),
        ("bash -c train.py", None),
        ("python -m torch.distributed.run --module tools.train", None),
    ],
)
def test_the_program_is_the_script_or_module_that_runs(command: str, program: str | None) -> None:
    found = program_of(words(command))
    assert (command.split()[found] if found is not None else None) == program


class WithFolder(Standalone):
    """A project that is a package, with a script in a folder beside it."""

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        if module == "scripts.train":
            return "scripts/train.py", "import torch\n"
        return ("net/__init__.py", "") if module.partition(".")[0] == "net" else None


@pytest.mark.parametrize(
    ("command", "is_found"),
    [
        ("python scripts/train.py", True),
        ("python clone/scripts/train.py", True),
        ("python net/scripts/train.py", True),
        ("python /home/me/v1.2/clone/scripts/train.py", True),
        ("python $HOME/clone/scripts/train.py", True),
        ("python /home/me/other/train.py", False),
        ("python /opt/train.py", False),
        ("python ../scripts/train.py", True),
        ("python ../other/scripts/train.py", False),
        ("python /usr/lib/python3/site-packages/scripts/train.py", False),
    ],
)
def test_a_script_is_known_by_its_folder_where_a_path_comes_from_outside(
    command: str, is_found: bool
) -> None:
    found = python_of(words(command), WithFolder(), "job.sh")
    assert (found is not None and found[0] == "scripts/train.py") is is_found


class Installed(Standalone):
    """A project that installs a command."""

    def text_at(self, path: str) -> str | None:
        return "entry_points={'console_scripts': ['go = pkg.cli:main']}" if path == "setup.py" else None

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        return ("pkg/cli.py", "import torch\n") if module == "pkg.cli" else None


@pytest.mark.parametrize(
    ("command", "path"), [("go --device cuda", "pkg/cli.py"), ("stop go --device cuda", None)]
)
def test_a_command_that_the_project_installs_is_its_program(command: str, path: str | None) -> None:
    found = python_of(words(command), Installed(), "run.sh")
    assert (found[0] if found is not None else None) == path


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("predict $IN $OUT --device cuda:0", True),
        ("sudo predict --device cuda", False),
        ("python train.py --device cuda", False),
        ("run train.py --device cuda", False),
        ("./predict --device cuda", False),
        ("$RUN --device cuda", False),
    ],
)
def test_a_program_that_the_project_does_not_have_is_of_others(command: str, expected: bool) -> None:
    assert is_of_others(words(command), Standalone()) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [("go --device cuda", False), ("timeout 60 go --device cuda", False), ("stop --device cuda", True)],
)
def test_what_the_project_installs_is_none_of_others_also_behind_what_starts_it(
    command: str, expected: bool
) -> None:
    assert is_of_others(words(command), Installed()) is expected
