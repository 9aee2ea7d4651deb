"""Diffs that patch takes."""

from __future__ import annotations

import os
import shutil
import subprocess
from difflib import unified_diff
from pathlib import Path

import pytest

from gpu2ascend.project.report.diff import file_diff, file_patch


@pytest.mark.skipif(shutil.which("patch") is None, reason="no patch command")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb", "a\nB"),
        ("a\nb", "a\nb\nc\n"),
        ("a\r\nb\r\n", "a\r\nB\r\n"),
        ("a\rb\r", "a\rB\r"),
        ("a\x0cb\u2028c\nd\n", "a\x0cb\u2028c\nD\n"),
        ("", "a\n"),
    ],
)
def test_patch_turns_the_one_into_the_other(tmp_path: Path, before: str, after: str) -> None:
    file = tmp_path / "f.py"
    file.write_bytes(before.encode())
    diff = file_diff("f.py", before, after)
    subprocess.run(
        ["patch", "--binary", "-p1"], cwd=tmp_path, input=diff.encode(), check=True, capture_output=True
    )
    assert file.read_bytes() == after.encode()


@pytest.mark.skipif(shutil.which("git") is None, reason="no git command")
@pytest.mark.parametrize(
    "name", ["f.py", "a b.py", 'a"b.py', "a\tb.py", "a\nb.py", "a\\b.py", "é.py", "\x7f.py"]
)
def test_git_finds_the_file_whatever_its_name(tmp_path: Path, name: str) -> None:
    if os.name == "nt" and not name[:-3].replace(" ", "").isalnum():
        pytest.skip("Windows has no such names")
    (tmp_path / name).write_bytes(b"a\nb\n")
    diff = file_patch(name, b"a\nb\n", b"a\nB\n")
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff, check=True, capture_output=True)
    assert (tmp_path / name).read_bytes() == b"a\nB\n"


def test_a_line_that_occurs_often_and_stays_is_no_difference() -> None:
    """``difflib`` passes over blank lines in a text of 200 lines or more."""
    around = "".join(f"a{number} = 1\n\n" for number in range(120))
    before, after = (around + f"cuda = {name}\n\nx = {name}\n" + around for name in ("old", "new"))
    changed = [line for line in file_diff("f.py", before, after).splitlines()[2:] if line[0] in "-+"]
    assert changed == ["-cuda = old", "+cuda = new", "-x = old", "+x = new"]


def test_a_small_text_has_the_diff_of_the_standard_library() -> None:
    before, after = ["a\n", "b\n", "\n", "c\n", "d\n"], ["a\n", "x\n", "\n", "y\n", "d\n", "e\n"]
    expected = "".join(unified_diff(before, after, "a/f.py", "b/f.py"))
    assert file_diff("f.py", "".join(before), "".join(after)) == expected


def test_the_same_text_has_no_diff() -> None:
    assert file_diff("f.py", "a\n", "a\n") == ""
    assert file_diff("f.py", "a\n", "b\n").splitlines()[-2:] == ["-a", "+b"]
