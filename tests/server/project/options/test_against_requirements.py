"""A version that the project's own requirements exclude is remarked; one that they allow is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.migrate.request import checked_request
from gpu2ascend.project.options.version_detect import against_requirements
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.version_choice import version_meant


def version(text: str) -> Version:
    return version_meant(text).version


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "proj"
    root.mkdir()
    (root / "train.py").write_text("import torch\n", encoding="utf-8")
    return root


def require(project: Path, condition: str) -> None:
    (project / "requirements.txt").write_text(f"torch{condition}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("condition", "chosen", "is_remarked"),
    [
        (">=1.7", "1.5.0", True),
        (">=1.7", "2.8.0", False),
        (">=2.0,<2.2", "2.8.0", True),
        (">=2.0,<2.2", "2.1.0", False),
        ("==2.8.0", "2.9.0", True),
        ("==1.0.0", "2.8.0", False),  # no supported version satisfies it
        ("", "1.5.0", False),
    ],
)
def test_against(project: Path, condition: str, chosen: str, is_remarked: bool) -> None:
    require(project, condition)
    assert (against_requirements(project, version(chosen)) is not None) is is_remarked


def test_the_dialog_says_it_with_the_file(project: Path, tmp_path: Path) -> None:
    require(project, ">=1.7")
    values = {"inputPath": str(project), "outputPath": str(tmp_path / "out")}
    said = {
        chosen: [message.id for message in checked_request({**values, "version": chosen}).notices]
        for chosen in ("1.5.0", "2.8.0")
    }
    assert said == {"1.5.0": ["project.version-against"], "2.8.0": []}
