"""The scripts that a form proposes as the main file."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.entries.main_files import PROPOSED, main_file_candidates
from tests.server.project.samples import make_tree

TRAINING = "from torch.utils.data import DataLoader\nloss.backward()\noptimizer.step()\n"
MAIN = 'if __name__ == "__main__":\n    main()\n'


def test_only_scripts_that_train_are_proposed(tmp_path: Path) -> None:
    files = {
        "tools/train.py": TRAINING + MAIN,
        "convert.py": "import argparse\n" + MAIN,
        "model.py": "import torch\n",
        "tests/test_train.py": TRAINING + MAIN,
    }
    assert main_file_candidates(make_tree(tmp_path, files)) == ("tools/train.py",)


def test_a_script_without_a_suffix_is_proposed_too(tmp_path: Path) -> None:
    files = {"train": "#!/usr/bin/env python3\n" + TRAINING + MAIN, "fit": TRAINING + MAIN}
    assert main_file_candidates(make_tree(tmp_path, files)) == ("train",)


def test_a_name_alone_is_no_evidence(tmp_path: Path) -> None:
    assert main_file_candidates(make_tree(tmp_path, {"train.py": "import torch\n"})) == ()


def test_the_script_nearer_to_the_top_comes_first_among_equals(tmp_path: Path) -> None:
    files = {"deep/er/train.py": TRAINING + MAIN, "train.py": TRAINING + MAIN}
    assert main_file_candidates(make_tree(tmp_path, files)) == ("train.py", "deep/er/train.py")


def test_among_equals_the_order_of_the_readme_counts(tmp_path: Path) -> None:
    readme = "1. `python train_second.py`\n2. `python train_first.py`\n"
    files = {"train_first.py": TRAINING + MAIN, "train_second.py": TRAINING + MAIN, "README.md": readme}
    assert main_file_candidates(make_tree(tmp_path, files)) == ("train_second.py", "train_first.py")


def test_what_needs_more_than_torch_comes_after(tmp_path: Path) -> None:
    files = {"apex_distributed.py": TRAINING + MAIN, "distributed.py": TRAINING + MAIN}
    assert main_file_candidates(make_tree(tmp_path, files)) == ("distributed.py", "apex_distributed.py")


@pytest.mark.parametrize(
    "past", ["legacy_train.py", "train_old.py", "legacy/train.py", "deprecated-train.py"]
)
def test_what_is_named_as_past_comes_after(tmp_path: Path, past: str) -> None:
    files = {past: TRAINING + MAIN, "train.py": TRAINING + MAIN}
    assert main_file_candidates(make_tree(tmp_path, files)) == ("train.py", past)


def test_a_word_that_only_begins_so_says_nothing(tmp_path: Path) -> None:
    files = {
        "train.py": TRAINING + MAIN,
        "oldenburg_train.py": TRAINING + MAIN,
        "the_train.py": TRAINING + MAIN,
    }
    assert set(main_file_candidates(make_tree(tmp_path, files))) == set(files)
    assert main_file_candidates(make_tree(tmp_path, files))[0] == "oldenburg_train.py"


def test_what_is_left_out_of_the_migration_is_not_proposed(tmp_path: Path) -> None:
    files = {"old/train.py": TRAINING + MAIN, "train.py": TRAINING + MAIN}
    assert main_file_candidates(make_tree(tmp_path, files), ("old/**",)) == ("train.py",)


def test_not_more_than_a_few_are_proposed(tmp_path: Path) -> None:
    files = {f"train_{at}.py": TRAINING + MAIN for at in range(PROPOSED + 2)}
    assert len(main_file_candidates(make_tree(tmp_path, files))) == PROPOSED
