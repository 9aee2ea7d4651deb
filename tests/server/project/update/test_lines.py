"""Two sides of a text are merged by lines; only lines that both changed are a conflict."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu2ascend.project.update.lines import blocks
from gpu2ascend.project.update.texts import Span, is_unresolved, merge_text

BASE = b"one\ntwo\nthree\nfour\nfive\n"
MERGES = {
    "both changed other lines": (b"ONE\ntwo\nthree\nfour\nfive\n", b"one\ntwo\nthree\nfour\nFIVE\n"),
    "neighbours": (b"one\nTWO\nthree\nfour\nfive\n", b"one\ntwo\nTHREE\nfour\nfive\n"),
    "one inserted, one removed": (b"one\n1.5\ntwo\nthree\nfour\nfive\n", b"one\ntwo\nthree\nfive\n"),
    "both did the same": (b"one\n2\nthree\nfour\nfive\n", b"one\n2\nthree\nfour\nFIVE\n"),
}
EXPECTED = {
    "both changed other lines": b"ONE\ntwo\nthree\nfour\nFIVE\n",
    "neighbours": b"one\nTWO\nTHREE\nfour\nfive\n",
    "one inserted, one removed": b"one\n1.5\ntwo\nthree\nfive\n",
    "both did the same": b"one\n2\nthree\nfour\nFIVE\n",
}
texts = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), max_size=12).map(b"".join)


@pytest.mark.parametrize("case", MERGES)
def test_changes_of_different_lines_are_all_in_the_result(case: str) -> None:
    ours, theirs = MERGES[case]
    assert merge_text(BASE, ours, theirs) == (EXPECTED[case], ())
    assert merge_text(BASE, theirs, ours) == (EXPECTED[case], ())


def test_a_line_that_both_changed_is_marked_as_git_does() -> None:
    done = merge_text(BASE, BASE.replace(b"two", b"mine"), BASE.replace(b"two", b"new"))
    assert done.data == (b"one\n<<<<<<< yours\nmine\n=======\nnew\n>>>>>>> gpu2ascend\nthree\nfour\nfive\n")
    assert done.conflicts == (Span(2, 6),)
    assert is_unresolved(done.data) and not is_unresolved(BASE)


def test_what_both_added_alike_is_outside_of_the_marks() -> None:
    done = merge_text(b"a\nz\n", b"a\nsame\nmine\nz\n", b"a\nsame\nnew\nz\n")
    assert done.data.startswith(b"a\nsame\n<<<<<<< yours\nmine\n")


def test_a_last_line_without_an_end_gets_one_before_a_mark() -> None:
    done = merge_text(b"a", b"b", b"c")
    assert done.data == b"<<<<<<< yours\nb\n=======\nc\n>>>>>>> gpu2ascend\n"


@pytest.mark.parametrize("to_windows", ["ours", "theirs"])
def test_line_ends_that_one_side_changed_are_no_conflict(to_windows: str) -> None:
    ours, theirs = BASE.replace(b"one", b"ONE"), BASE.replace(b"five", b"FIVE")
    windows = {"ours": ours, "theirs": theirs}[to_windows].replace(b"\n", b"\r\n")
    sides = (windows, theirs) if to_windows == "ours" else (ours, windows)
    assert merge_text(BASE, *sides) == (b"ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n", ())


def test_marks_have_the_line_ends_of_the_file() -> None:
    done = merge_text(b"a\r\n", b"b\r\n", b"c\r\n")
    assert done.data.count(b"\r\n") == done.data.count(b"\n") == 5


@given(texts, texts)
def test_a_side_that_changed_nothing_gives_the_other_one(base: bytes, side: bytes) -> None:
    assert merge_text(base, side, base) == (side, ())
    assert merge_text(base, base, side) == (side, ())
    assert merge_text(base, side, side) == (side, ())


@given(texts, texts, texts)
def test_no_line_of_a_side_is_lost(base: bytes, ours: bytes, theirs: bytes) -> None:
    done = merge_text(base, ours, theirs)
    for line in {b"a", b"b", b"c", b"d"}:
        if done.conflicts or line in base:
            continue
        assert (line in done.data) == (line in ours or line in theirs)


@given(st.lists(st.sampled_from([b"a", b"b", b"c"])), st.lists(st.sampled_from([b"a", b"b", b"c"])))
def test_blocks_are_equal_and_in_order(old: list[bytes], new: list[bytes]) -> None:
    at = new_at = 0
    for block in blocks(old, new):
        assert block.old >= at and block.new >= new_at and block.size
        at, new_at = block.old + block.size, block.new + block.size
        assert old[block.old : at] == new[block.new : new_at]


def test_a_long_text_without_unique_lines_is_not_searched_for_ever() -> None:
    old = [b"x\n", b"y\n"] * 20_000
    theirs = [b"w\n", *old[:20_000], b"w\n", *old[20_000:]]
    ours = [*old, b"z\n"]
    assert merge_text(*map(b"".join, (old, ours, theirs))) == (b"".join([*theirs, b"z\n"]), ())


LINES = [f"line {number}\n".encode() for number in range(8)]
ways = st.sampled_from(["keep", "keep", "keep", "delete", "replace", "insert"])
edits = st.lists(ways, min_size=8, max_size=8)


def edited(choices: list[str], side: bytes) -> bytes:
    """The lines with what a side did to each."""
    made = {
        "keep": lambda line: line,
        "delete": lambda line: b"",
        "replace": lambda line: side + line,
        "insert": lambda line: line + side + b" behind " + line,
    }
    return b"".join(made[choice](line) for choice, line in zip(choices, LINES, strict=True))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@settings(max_examples=40, deadline=None)
@given(edits, edits)
def test_what_git_merges_without_a_conflict_is_merged_alike(mine: list[str], new: list[str]) -> None:
    base, ours, theirs = b"".join(LINES), edited(mine, b"mine"), edited(new, b"new")
    with TemporaryDirectory() as folder:
        for name, data in (("base", base), ("ours", ours), ("theirs", theirs)):
            Path(folder, name).write_bytes(data)
        command = ["git", "merge-file", "-p", "ours", "base", "theirs"]
        git = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    done = merge_text(base, ours, theirs)
    if git.returncode == 0:
        assert (done.data, done.conflicts) == (git.stdout, ())
