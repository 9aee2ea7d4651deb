"""Every row of the vendor's documents and tools has become something, or a sentence says why not."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.engine.registry import rule_by_code
from tests.cases import every_case

ROOT = Path(__file__).parents[4]
TABLE = ROOT / "docs" / "advice" / "accounting.tsv"
ROWS = list(csv.DictReader(TABLE.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE))
TEMPLATES = ROOT / "server" / "gpu2ascend" / "project" / "launchers" / "templates" / "environment"
COUNTS = {
    "vendor advice": 17, "settings": 30, "operators": 86, "patterns": 16, "signatures": 40, "defects": 17,
    "paths": 76, "packages": 66, "patched": 160, "transfer": 48, "accelerator": 37, "neutral forms": 35,
    "kernels": 19, "features": 30, "lines": 53,
}  # fmt: skip
"""Rows that each source has; of the signatures, operators."""


def test_every_row_is_of_a_source() -> None:
    assert {row["table"] for row in ROWS} == COUNTS.keys()


@pytest.mark.parametrize("table", COUNTS)
def test_no_row_is_forgotten(table: str) -> None:
    assert sum(row["table"] == table for row in ROWS) == COUNTS[table]


@pytest.mark.parametrize("table", COUNTS)
def test_what_came_of_a_row_exists(table: str) -> None:
    with every_case() as case:
        for row in ROWS:
            if row["table"] == table:
                with case(row["row"]):
                    _what_came_of_it_exists(row)


def _what_came_of_it_exists(row: dict[str, str]) -> None:
    by = row["by"]
    if row["outcome"] == "rule":
        assert rule_by_code(by) is not None
    elif row["outcome"] == "test":
        path, _, test = by.partition("::")
        assert test == "" or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")
        assert (ROOT / path).exists()
    elif row["outcome"] == "table":
        assert is_in_table(*by.split(":", 1))
    elif row["outcome"] == "setting":
        text = (TEMPLATES / by).read_text(encoding="utf-8")
        assert all(f"export {name}=" in text for name in row["row"].split(" / "))
    else:
        assert row["outcome"] == "nothing" and row["why"]


def is_in_table(name: str, key: str) -> bool:
    """Whether a table of the rules has a row for a name, in its first column or in the second."""
    rows = load_tsv(name.removesuffix(".tsv"))
    return any(key in list(row.values())[:2] for row in rows)


def test_a_row_that_a_table_has_not_would_be_seen() -> None:
    """The control."""
    assert is_in_table("path_parameters.tsv", "os.mkdir")
    assert not is_in_table("path_parameters.tsv", "os.no_such_function")


def test_a_forgotten_setting_would_be_seen() -> None:
    """The control."""
    settings = [row for row in ROWS if row["outcome"] == "setting"]
    assert settings
    assert "export NO_SUCH_SETTING=" not in (TEMPLATES / "settings.sh").read_text(encoding="utf-8")
