"""``check --since`` reports what is in lines that a change touches, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.server.project.git.samples import HAS_GIT, repository, write

from ..conftest import Run

pytestmark = pytest.mark.skipif(not HAS_GIT, reason="git is not installed")
V = ("-v", "2.8.0")
OLD = "import torch\nx = torch.ones(2).cuda()\n"
BAD = b"x = '\xff\xfe'\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return repository(tmp_path / "p", {"a.py": OLD, "old.py": BAD, "n.ipynb": notebook("x = 1\n")})


def notebook(*lines: str) -> str:
    cell = {
        "cell_type": "code",
        "metadata": {},
        "source": list(lines),
        "outputs": [],
        "execution_count": None,
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def test_nothing_that_was_there_before_is_reported_and_how_much_it_was_is_said(run: Run, top: Path) -> None:
    assert run("check", top, *V).code == 1
    ran = run("check", top, "--since", "HEAD", *V)
    assert (ran.code, ran.out) == (0, "No problems found.\n")
    assert "findings: 1," in ran.err and "written: 1" in ran.err and "old.py" not in ran.err


def test_a_new_line_is(run: Run, top: Path) -> None:
    write(top, {"a.py": OLD + "y = x.cuda()\n"})
    ran = run("check", top, "--since", "HEAD", "--output-format", "json", *V)
    assert ran.code == 1
    assert [item["location"]["row"] for item in ran.json] == [3]


def test_a_file_that_cannot_be_examined_counts_once_it_changed(run: Run, top: Path) -> None:
    write(top, {"old.py": BAD * 2})
    ran = run("check", top, "--since", "HEAD", *V)
    assert ran.code == 1 and "old.py" in ran.err


def test_lines_of_a_notebook(run: Run, top: Path) -> None:
    write(top, {"n.ipynb": notebook("x = 1\n", "import torch\n", "torch.ones(2).cuda()\n")})
    ran = run("check", top / "n.ipynb", "--since", "HEAD", *V)
    assert ran.code == 1 and "cell 1:3:" in ran.out


@pytest.mark.parametrize("format_name", ["sarif", "github"])
def test_in_the_formats_of_ci(run: Run, top: Path, format_name: str) -> None:
    write(top, {"new.py": OLD})
    ran = run("check", top, "--since", "HEAD", "--output-format", format_name, *V)
    assert "new.py" in ran.out and "a.py" not in ran.out


def test_what_a_project_silences_counts_as_ever(run: Run, top: Path) -> None:
    write(top, {"pyproject.toml": '[tool.gpu2ascend]\nexclude = ["a.py"]\n'})
    assert run("check", top, "--since", "HEAD", *V).code == 1


@pytest.mark.parametrize("flag", ["--fix", "--diff"])
def test_what_changes_whole_files_does_not_go_with_it(run: Run, top: Path, flag: str) -> None:
    ran = run("check", top, "--since", "HEAD", flag, *V)
    assert ran.code == 2 and flag in ran.err
    assert run("check", "-", "--since", "HEAD", *V).code == 2


@pytest.mark.parametrize(("ref", "said"), [("nothing", "no commit named nothing"), ("--all", "")])
def test_a_wrong_ref_is_an_error(run: Run, top: Path, ref: str, said: str) -> None:
    ran = run("check", top, f"--since={ref}", *V)
    assert (ran.code, ran.out) == (2, "") and said in ran.err
    assert "没有名为" in run("check", top, f"--since={ref}", "--language", "zh", *V).err
