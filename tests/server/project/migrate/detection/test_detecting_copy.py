"""The copy with the detector of dynamic shapes: what is written, and what stays as it was."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpu2ascend.project.errors import OutputError
from gpu2ascend.project.migrate.detection.detecting_copy import DetectingCopy, write_detecting_copy
from gpu2ascend_rules.options.options import options_from

LOOP = "import torch\nfor x in loader:\n    pass\n"
NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["for x in loader:\\n", "    pass"]}]}'


def copied(folder: Path, copy: str = "") -> DetectingCopy:
    options = options_from({"version": "2.8.0", "copy": copy})
    return write_detecting_copy(folder / "project", folder / "out", options, force=False, language="en")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / "pkg").mkdir(parents=True)
    (tmp_path / "project" / "pkg" / "fit.py").write_text(LOOP)
    return tmp_path / "project"


def test_the_loops_are_named_with_their_lines(project: Path) -> None:
    done = copied(project.parent)
    assert done.loops == (("pkg/fit.py", 2),)
    assert "DETECTOR.start(loader)" in (done.path / "pkg" / "fit.py").read_text()


@pytest.mark.parametrize(
    ("name", "text"),
    [("broken.py", "for x in loader:\n    print 'x'\n"), ("a.ipynb", NOTEBOOK), ("vendor.py", LOOP)],
)
def test_what_is_no_python_a_notebook_or_to_copy_is_copied(project: Path, name: str, text: str) -> None:
    (project / name).write_text(text)
    done = copied(project.parent, copy="vendor.py")
    assert (done.path / name).read_text() == text
    assert done.loops == (("pkg/fit.py", 2),)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_within_the_project_leads_to_the_copy(project: Path) -> None:
    (project / "link.py").symlink_to("pkg/fit.py")
    done = copied(project.parent)
    assert "DETECTOR" in (done.path / "link.py").read_text()


def test_what_is_there_already_is_not_replaced(project: Path) -> None:
    copied(project.parent)
    with pytest.raises(OutputError):
        copied(project.parent)
