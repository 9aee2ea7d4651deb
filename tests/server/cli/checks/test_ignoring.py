"""``check --add-ignore``: comments that silence what is found, and what it says of the rest."""

from __future__ import annotations

import json
from pathlib import Path

from ..conftest import Run, make_project

TWO_ON_A_LINE = "import torch\nx = torch.ones(2).cuda(); torch.cuda.empty_cache()\n"
AT = ("-v", "2.8.0")


def test_one_comment_a_line_names_each_rule_once_and_nothing_is_found_then(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, {"p/a.py": TWO_ON_A_LINE})
    done = run("check", "p", *AT, "--add-ignore")
    text = (tmp_path / "p/a.py").read_text(encoding="utf-8")
    assert (done.code, done.out) == (0, "Comments added: 1, in files: 1.\n")
    assert text == TWO_ON_A_LINE.rstrip() + "  # gpu2ascend: ignore[NPU101, NPU110]\n"
    assert run("check", "p", *AT).out.startswith("No problems found.")


def test_a_comment_that_is_there_gets_the_code(run: Run, tmp_path: Path) -> None:
    given = "import torch\ntorch.cuda.empty_cache()  # gpu2ascend: ignore[NPU999]  known\n"
    make_project(tmp_path, {"a.py": given})
    run("check", "a.py", *AT, "--add-ignore")
    text = (tmp_path / "a.py").read_text(encoding="utf-8")
    assert text == given.replace("NPU999", "NPU999, NPU101")


def test_a_notebook_gets_comments_in_its_cells(run: Run, tmp_path: Path) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**cell, "source": ["import torch\n", "torch.cuda.empty_cache()"]}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    make_project(tmp_path, {"n.ipynb": json.dumps(notebook)})
    assert run("check", "n.ipynb", *AT, "--add-ignore").code == 0
    assert "# gpu2ascend: ignore[NPU101]" in (tmp_path / "n.ipynb").read_text(encoding="utf-8")


def test_what_has_no_place_for_a_comment_is_named_and_stays(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, {"p/c.json": '{"device": "cuda"}\n', "p/a.py": TWO_ON_A_LINE})
    done = run("check", "p", *AT, "--add-ignore")
    assert done.code == 1 and "c.json" in done.err and "--ignore" in done.err
    assert (tmp_path / "p/c.json").read_text(encoding="utf-8") == '{"device": "cuda"}\n'


def test_only_selected_rules_are_silenced(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, {"a.py": TWO_ON_A_LINE})
    run("check", "a.py", *AT, "--add-ignore", "--select", "NPU110")
    assert "ignore[NPU110]\n" in (tmp_path / "a.py").read_text(encoding="utf-8")


def test_standard_input_has_no_file_for_comments(run: Run) -> None:
    done = run("check", "-", *AT, "--add-ignore")
    assert done.code == 2 and "--add-ignore" in done.err


def test_lines_are_for_fixes_and_limit_no_comments(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, {"a.py": TWO_ON_A_LINE})
    done = run("check", "a.py", *AT, "--add-ignore", "--lines", "1")
    assert done.code == 2 and "--lines" in done.err
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == TWO_ON_A_LINE


def test_a_write_protected_file_gets_comments_where_that_was_asked_for(run: Run, tmp_path: Path) -> None:
    make_project(tmp_path, {"a.py": TWO_ON_A_LINE})
    (tmp_path / "a.py").chmod(0o444)
    done = run("check", "a.py", *AT, "--add-ignore")
    assert done.code == 1 and "--fix-read-only" in done.err and "no comment can stand" not in done.err
    assert run("check", "a.py", *AT, "--add-ignore", "--fix-read-only").code == 0
    assert "ignore[NPU101, NPU110]" in (tmp_path / "a.py").read_text(encoding="utf-8")
