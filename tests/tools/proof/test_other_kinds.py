"""The table of what migrations do to files that are not Python, and the page that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.proof.other_kinds import (
    EDITS,
    PAGES,
    Changed,
    changed_lines,
    counts,
    edits,
    judged,
    kind_name,
    table,
    with_table,
)


def test_groups_of_lines_are_rows() -> None:
    before, after = "a\ntorch\nb\nx: cuda\n", "a\ntorch==2.8.0\ntorch-npu\nb\nx: npu\n"
    rows = list(changed_lines("p-1", "requirements", "r.txt", before, after))
    assert [(row.line, row.before, row.after) for row in rows] == [
        (2, "torch", "torch==2.8.0 ⏎ torch-npu"),
        (4, "x: cuda", "x: npu"),
    ]


def test_a_verdict_is_kept_where_the_change_moved_and_lost_where_it_is_another() -> None:
    known = [Changed("p-1", "yaml", "a.yaml", 3, "d: cuda", "d: npu", "right")]
    moved, other = known[0]._replace(line=9, verdict=""), known[0]._replace(after="d: npu:0", verdict="")
    assert [row.verdict for row in judged([moved, other], known)] == ["right", ""]


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [("a.yaml", b"a: 1", "yaml"), ("a.py", b"", ""), ("run", b"#!/bin/sh\n", "shell"), ("a.sh", b"\0", "")],
)
def test_the_kind_of_a_file(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(data)
    assert kind_name(name, tmp_path / name) == kind


def test_every_change_was_judged_and_none_is_wrong() -> None:
    rows = edits()
    assert len(rows) > 20 and {row.verdict for row in rows} == {"right"}, EDITS.name


def test_the_files_of_fifteen_projects_are_counted() -> None:
    assert len({row.project for row in counts()}) >= 15
    assert {row.project for row in edits()} <= {row.project for row in counts()}


@pytest.mark.parametrize("path", PAGES, ids=[path.name for path in PAGES])
def test_the_pages_have_the_table_that_the_rows_make(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert with_table(page, table(edits(), counts())) == page
