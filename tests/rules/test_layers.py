"""The house of the rules: few doors, small rooms, no circles, and one place for everything of a family.

Which room may use which is said in ``pyproject.toml`` and checked by ``lint-imports`` (``make lint``).
"""

from __future__ import annotations

import ast
import json
import pkgutil
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import gpu2ascend_rules
from gpu2ascend_rules.engine.registry import all_codes, all_rules
from gpu2ascend_rules.engine.rule import Family, Rule
from gpu2ascend_rules.messages import FALLBACK, LANGUAGES, translated

ROOT = Path(gpu2ascend_rules.__file__).parent
COVERAGE = Path(__file__).parents[2] / "docs" / "coverage"
MOST_DOORS = 8
MOST_MODULES = 12
DATA = {ROOT / "similar" / "parts"}
"""Packages that are data to the product: texts of files for migrated projects."""
RULES = [rule for rule in all_rules() if type(rule).__module__.startswith("gpu2ascend_rules.catalog.")]
FAMILIES = {rule.family for rule in RULES}
ROOMS = sorted({path.parent for path in ROOT.rglob("*.py")} - DATA - {ROOT})


def modules_of(folder: Path) -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules([str(folder)]) if not module.ispkg)


def test_the_package_has_few_doors() -> None:
    assert 0 < len(modules_of(ROOT)) <= MOST_DOORS


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(ROOT)))
def test_a_room_has_few_modules(room: Path) -> None:
    assert len(modules_of(room)) <= MOST_MODULES


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports for types and inside functions count: whoever reads one module must not have to read all."""
    modules = _modules()
    graph = {name: set(_imported(name, modules)) for name in modules}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"imported in a circle: {' <- '.join(error.args[1])}")


def _modules() -> dict[str, Path]:
    names = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def _imported(name: str, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a module imports anywhere in its text."""
    path = known[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                target = f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base
                if target in known and target != name:
                    yield target


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_lives_with_its_family(rule: Rule) -> None:
    assert type(rule).__module__.split(".")[2] == rule.family.folder


@pytest.mark.parametrize("rule", all_codes(), ids=lambda rule: rule.code)
def test_the_messages_of_a_rule_are_in_the_file_of_its_family(rule: Rule) -> None:
    assert _messages_of(rule, FALLBACK), "each rule has messages; translations may come later"
    for language in LANGUAGES:
        house = ROOT.parent / type(rule).__module__.partition(".")[0]
        file = house / "messages" / language / f"{rule.family.folder}.json"
        assert _messages_of(rule, language) <= _messages_in(file)


def _messages_of(rule: Rule, language: str) -> set[str]:
    return {name for name in translated(language) if name.partition(".")[0] == rule.code}


@cache
def _messages_in(file: Path) -> frozenset[str]:
    return frozenset(json.loads(file.read_text("utf-8")))


@pytest.mark.parametrize(
    "family", sorted(FAMILIES, key=lambda family: family.folder), ids=lambda family: family.folder
)
def test_a_family_is_one_hundred_of_the_codes_and_one_coverage_table(family: Family) -> None:
    assert (COVERAGE / f"{family.folder}.tsv").is_file()


def test_every_folder_of_the_catalog_is_a_family() -> None:
    folders = {module.name for module in pkgutil.iter_modules([str(ROOT / "catalog")])}
    assert folders == {family.folder for family in FAMILIES}
