"""A command that starts a script is found where a project shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.verify.result.usual import usual_command, words_to_start


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("README.md", "Train:\n```\npython train.py --data d\n```\n", "python train.py --data d"),
        ("a/b.sh", "python3 -u train.py \\\n  -d d \\\n  -b 4\n", "python3 -u train.py -d d -b 4"),
        ("run.sh", "X=1 torchrun --nproc=2 ./train.py -a >log", "X=1 torchrun --nproc=2 ./train.py -a"),
        ("README.md", "`python train.py --data [PATH]`", "python train.py --data [PATH]"),
        ("README.md", "$ python train.py --data <path>\n$ python train.py -x 1\n", "python train.py -x 1"),
        ("run.sh", 'python train.py \\ \n  -a 1 \\\n  "$@"\n', "python train.py -a 1"),
        ("README.md", "python train.py -h\npython train.py -x 1", "python train.py -x 1"),
        ("README.md", "python -m train -x 1", "python -m train -x 1"),
        ("README.md", "python tools/train.py --data d", None),
        ("README.md", "python train.py", None),
    ],
)
def test_the_first_with_arguments_that_are_given_counts(
    tmp_path: Path, name: str, text: str, command: str | None
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    assert usual_command(tmp_path, "train.py") == command


@pytest.mark.parametrize(
    ("script", "command", "words"),
    [
        (
            'add_argument("--data", required=True)',
            "X=1 python -u train.py --data d",
            ("train.py", "--data", "d"),
        ),
        ('add_argument("data")', "torchrun --nproc=2 train.py d", ("torchrun", "--nproc=2", "train.py", "d")),
        ('add_argument("data")', "python train.py /path/to/$DATA", ("train.py",)),
        ('add_argument("data")', "python -m train d", ("-m", "train", "d")),
        ("x\nfire.Fire(main)", "python train.py --data d", ("train.py", "--data", "d")),
        ("x = HfArgumentParser(Given)", "python train.py --data d", ("train.py", "--data", "d")),
        ("x\n@hydra.main()", "X=1 python train.py lr=1 a.b=2", ("train.py", "lr=1", "a.b=2")),
        ('add_argument("--data")', "python train.py --data d", ("train.py",)),
        (
            'add_argument("--config_file", default=None, type=str)',
            "python train.py --config_file=a.yaml",
            ("train.py", "--config_file=a.yaml"),
        ),
    ],
)
def test_a_script_that_needs_arguments_is_started_with_the_projects(
    tmp_path: Path, script: str, command: str, words: tuple[str, ...]
) -> None:
    (tmp_path / "train.py").write_text(f"parser.{script}\n")
    (tmp_path / "README.md").write_text(f"```\n{command}\n```\n")
    assert words_to_start(tmp_path, "train.py") == words


def test_a_command_whose_words_are_not_those_of_the_script_is_not_proposed(tmp_path: Path) -> None:
    (tmp_path / "my train.py").write_text('parser.add_argument("data")\n')
    (tmp_path / "README.md").write_text("python my train.py d\n")
    assert words_to_start(tmp_path, "my train.py") == ("my train.py",)
