"""The table of packages of others is what its sources say, and no source contradicts another."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools.third_party.merge import SOURCES, TABLE, SourceError, merged, read_rows, table_text


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SOURCES, tmp_path / "sources"))


def add(sources: Path, name: str, *cells: str) -> None:
    with (sources / f"{name}.tsv").open("a", encoding="utf-8") as stream:
        stream.write("\t".join(cells) + "\n")


def test_the_committed_table_is_that_of_the_sources() -> None:
    assert TABLE.read_text(encoding="utf-8") == table_text(merged())


def test_no_row_of_a_source_is_lost() -> None:
    table = read_rows(TABLE)
    modules = {module for row in table for module in row["imports"].split()}
    assert {row["import"] for row in read_rows(SOURCES / "imports.tsv")} <= modules
    packages = {row["package"] for row in table}
    for source in ("installs", "verdicts"):
        assert {row["package"] for row in read_rows(SOURCES / f"{source}.tsv")} <= packages


@pytest.mark.parametrize(
    ("name", "cells", "reason"),
    [
        ("imports", ("spconv", "kernels"), "spconv has two rows"),
        ("verdicts", ("new", "new", "maybe", "", "", "", "a page", "H"), "no status"),
        ("verdicts", ("New_Name", "new", "no", "", "", "", "a page", "H"), "not spelt"),
        ("verdicts", ("new", "new", "works", "2025", "", "", "", "H"), "no source"),
        ("verdicts", ("new", "new", "works", "soon", "", "", "a page", "H"), "no release"),
        ("verdicts", ("new", "new", "replaced", "", "", "", "a page", "H"), "replaced by nothing"),
        ("verdicts", ("new", "cumm rmm", "no", "", "", "", "a page", "H"), "different advice"),
    ],
)
def test_a_contradiction_is_refused(sources: Path, name: str, cells: tuple[str, ...], reason: str) -> None:
    add(sources, name, *cells)
    with pytest.raises(SourceError, match=reason):
        merged(sources)
