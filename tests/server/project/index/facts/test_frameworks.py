"""The scripts beside files of other frameworks are not PyTorch's."""

from __future__ import annotations

import pytest

from gpu2ascend.project.index.facts.facts import FileFacts, ProjectFacts
from gpu2ascend.project.index.facts.frameworks import frameworks_in, main_framework

KNOWN = ProjectFacts.of(
    [
        ("a/train.py", FileFacts(frameworks=("torch",))),
        ("b/main.py", FileFacts(frameworks=("tensorflow",))),
        ("b/model.py", FileFacts(frameworks=("tensorflow", "torch"))),
        ("b/tools/x.py", FileFacts()),
        ("c/d/e.py", FileFacts(frameworks=("paddle",))),
    ]
).frameworks


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"import torch\n", ("torch",)),
        (b"    from jax.numpy import x\nimport tensorflow as tf\n", ("tensorflow", "jax")),
        (b"x = 'import'\nimport torchvision, mypaddle\n# torch tensorflow\n", ()),
    ],
)
def test_what_a_file_imports(text: bytes, found: tuple[str, ...]) -> None:
    assert frameworks_in(text) == found


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a/run.sh", "torch"),
        ("a/scripts/x/run.sh", "torch"),
        ("b/tools/run.sh", "tensorflow"),
        ("c/run.sh", "paddle"),
        ("run.sh", "torch"),
    ],
)
def test_the_nearest_directory_that_has_any_decides(path: str, found: str) -> None:
    assert main_framework(path, KNOWN) == found


def test_a_project_without_any() -> None:
    assert main_framework("a/run.sh", {}) == ""
