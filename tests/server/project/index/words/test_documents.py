"""Documents that still show an option with the word that the migrated program does not take."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.index.words.documents import documented_options

MOVED = {"--mode": frozenset({"nccl"}), "--device": frozenset({"cuda:0"})}


def documented(tmp_path: Path, name: str, text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    (tmp_path / name).write_text(text)
    return [tuple(item) for item in documented_options(tmp_path, MOVED)]


@pytest.mark.parametrize("name", ["README.md", "guide.rst", "notes.txt"])
def test_each_option_is_named_once_with_its_places(tmp_path: Path, name: str) -> None:
    text = "# Train\n\n    python train.py --mode nccl\n    python train.py --mode=nccl --device 'cuda:1'\n"
    assert documented(tmp_path, name, text) == [
        ("--device", "cuda", (f"{name}:4",)),
        ("--mode", "nccl", (f"{name}:3", f"{name}:4")),
    ]


@pytest.mark.parametrize("text", ["--mode gloo", "--other-mode nccl", "--mode ncclx", "nccl"])
def test_other_words_and_options_are_not_meant(tmp_path: Path, text: str) -> None:
    assert documented(tmp_path, "README.md", text) == []


def test_lists_of_requirements_and_code_are_no_documents(tmp_path: Path) -> None:
    assert documented(tmp_path, "requirements.txt", "--mode nccl") == []
    assert documented(tmp_path, "train.sh", "--mode nccl") == []
