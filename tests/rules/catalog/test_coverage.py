"""docs/coverage.md lists every rule, and every rule or test that it names exists."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest

from gpu2ascend_rules.engine.registry import all_rules
from tests.cases import every_case

pytestmark = pytest.mark.every_rule

ROOT = Path(__file__).parents[3]
_SPEC = importlib.util.spec_from_file_location("coverage_build", ROOT / "docs/coverage/build.py")
assert _SPEC is not None and _SPEC.loader is not None
build = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(build)

ROWS = [row for rows in build.tables().values() for row in rows]
TREATMENTS = {"safe fix", "unsafe fix", "diagnosed", "left alone"}


def names_in(row: dict[str, str]) -> list[str]:
    return row["rule_or_test"].replace(",", " ").split()


def exists(name: str) -> bool:
    if re.fullmatch(r"(NPU|CUS|ACC|AUTO|ADV|MS)\d{3,4}", name):
        return any(rule.code == name for rule in all_rules())
    path, _, test = name.partition("::")
    file = ROOT / path
    if not file.is_file():
        return False
    wanted = test.partition("[")[0].split("::")[-1]
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return not wanted or any(getattr(node, "name", None) == wanted for node in ast.walk(tree))


@pytest.mark.parametrize("table", build.tables())
def test_a_row_is_complete_and_names_what_exists(table: str) -> None:
    with every_case() as case:
        for row in build.tables()[table]:
            with case(row["id"]):
                _is_complete_and_names_what_exists(row)


def _is_complete_and_names_what_exists(row: dict[str, str]) -> None:
    assert all(row[column] for column in build.COLUMNS), row
    assert row["treatment"] in TREATMENTS
    assert "TODO" not in " ".join(row.values()), "make rule marks what a person must write"
    assert [name for name in names_in(row) if not exists(name)] == []


def test_every_rule_is_listed() -> None:
    listed = {name for row in ROWS for name in names_in(row)}
    assert {"NPU101", "NPU801", "NPU1301"} <= {rule.code for rule in all_rules()}
    assert [rule.code for rule in all_rules() if rule.code not in listed] == []


def test_every_table_is_on_the_page() -> None:
    assert {path.stem for path in (ROOT / "docs/coverage").glob("*.tsv")} == set(build.TITLES)


def test_ids_are_unique() -> None:
    ids = [row["id"] for row in ROWS]
    assert sorted(set(ids)) == sorted(ids)


def test_the_page_is_made_from_the_tables_as_they_are() -> None:
    assert (ROOT / "docs/coverage.md").read_text(encoding="utf-8") == build.page()
    assert (ROOT / "docs/coverage.zh-CN.md").read_text(encoding="utf-8") == build.chinese_page()


def test_every_table_and_treatment_has_its_chinese_words() -> None:
    assert set(build.CHINESE_TITLES) == set(build.TITLES)
    assert {row["treatment"] for row in ROWS} == set(build.TREATMENTS)
