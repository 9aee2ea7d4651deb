"""The steps by which an index is built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.project.files.discover import is_left_out
from gpu2ascend.project.index.facts import scan
from gpu2ascend.project.index.facts.facts import NOTHING, FileFacts
from gpu2ascend.project.index.facts.file_facts import facts_below
from gpu2ascend.project.index.facts.scan import PythonFiles, facts_of_files, python_files
from tests.server.project.samples import make_tree

NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": ["from torch import nn"],
        }
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FILES = {
    "a.py": "import torch\n",
    "sub/b.pyw": "",
    "sub/c.ipynb": json.dumps(NOTEBOOK),
    "README.md": "import torch\n",
    ".git/d.py": "import torch\n",
    "env/pyvenv.cfg": "",
    "env/lib/e.py": "import torch\n",
}


def test_the_files_that_count_are_those_of_a_survey(tmp_path: Path) -> None:
    root = make_tree(tmp_path, FILES)
    assert python_files(root) == PythonFiles(("a.py", "sub/b.pyw", "sub/c.ipynb"), is_complete=True)


def test_a_directory_that_cannot_be_listed_has_none(tmp_path: Path) -> None:
    assert python_files(tmp_path / "gone") == PythonFiles((), is_complete=True)


@pytest.mark.parametrize(("limit", "value"), [("MAX_FILES", 2), ("_MAX_ENTRIES", 4)])
def test_a_directory_with_too_many_files_is_not_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(scan, limit, value)
    assert python_files(make_tree(tmp_path, FILES)) == PythonFiles((), is_complete=False)


def test_each_file_has_its_facts_in_order(tmp_path: Path) -> None:
    root = make_tree(tmp_path, FILES)
    paths = ("sub/c.ipynb", "gone.py", "a.py", "sub/b.pyw")
    assert facts_of_files(root, paths) == [
        FileFacts(("nn",), frameworks=("torch",)),
        None,
        FileFacts(("torch",), frameworks=("torch",)),
        NOTHING,
    ]


def test_an_index_and_a_survey_find_the_same(tmp_path: Path) -> None:
    root = make_tree(tmp_path, FILES)
    assert facts_below(root).torch_names == {"torch", "nn"}


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        ("a.py", False),
        ("sub/b.pyw", False),
        (".git/d.py", True),
        ("env/lib/e.py", True),
        ("sub/__pycache__/x.py", True),
        ("linked/b.py", True),
        ("new/dir/f.py", False),
    ],
)
def test_what_a_walk_passes_over_is_told_from_the_name(tmp_path: Path, path: str, left_out: bool) -> None:
    root = make_tree(tmp_path, FILES)
    try:
        (root / "linked").symlink_to(root / "sub", target_is_directory=True)
    except OSError:
        pytest.skip("no symbolic links here")
    assert is_left_out(root, path) is left_out
