"""Which word of a command is the program that Python runs."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.flow.command_line.programs import program_of
from gpu2ascend_rules.kinds.shell.places import Word


def words(command: str) -> tuple[Word, ...]:
    return tuple(Word(0, 0, None if "$" in word else word, word) for word in command.split())


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
