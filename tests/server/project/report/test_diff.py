"""Diffs that patch takes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gpu2ascend.project.report.diff import file_diff


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


def test_the_same_text_has_no_diff() -> None:
    assert file_diff("f.py", "a\n", "a\n") == ""
    assert file_diff("f.py", "a\n", "b\n").splitlines()[-2:] == ["-a", "+b"]
