"""Every name of MindSpore that is written exists in each release that may be chosen.

``tools/mindspore_tables/sources/names.tsv`` says which release has which name, as its wheel was asked.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_mindspore.data import load_tsv
from gpu2ascend_mindspore.helpers import MINDSPORE
from gpu2ascend_mindspore.target import TARGET
from gpu2ascend_rules.similar.assemble import modules, part_names

ROOT = Path(__file__).parents[3]
TABLES = ("mindspore_apis", "mindspore_mint_apis", "mindspore_compiled_apis")
MODULES = frozenset({"ops", "nn", "mint"})


def known() -> dict[str, set[str]]:
    """The releases that have each name."""
    path = ROOT / "tools" / "mindspore_tables" / "sources" / "names.tsv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return {row["name"]: set(row["releases"].split()) for row in rows}


def names_in(text: str) -> Iterator[str]:
    """The names of MindSpore that a text takes from its modules."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in MODULES:
            yield f"{node.value.id}.{node.attr}"


RELEASES = {str(one) for one in TARGET.releases}


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_what_a_table_writes_exists_in_every_release(table: str) -> None:
    targets = [row["target"] for row in load_tsv(table) if row["target"] != "none" and not row["since"]]
    written = {name for target in targets for name in names_in(target)}
    assert written
    assert {name for name in written if not known().get(name, set()) >= RELEASES} == set()


@pytest.mark.slow
def test_what_the_helper_file_calls_exists_in_every_release() -> None:
    texts = modules(part_names(MINDSPORE)).values()
    called = {name for text in texts for name in names_in(text)}
    assert "ops.matmul" in called
    assert {name for name in called if not known().get(name, set()) >= RELEASES} == set()


def test_a_name_of_some_releases_would_be_seen() -> None:
    assert list(names_in("ops.nothing(x)")) == ["ops.nothing"] and "ops.nothing" not in known()
