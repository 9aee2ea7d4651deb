"""Every promise of SECURITY.md names the tests that hold it, and the tests are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
DOCUMENT = TOP / "SECURITY.md"
_PROMISE = re.compile(r"^- \*\*(?P<promise>[^*]+)\*\*(?P<rest>(?:(?!^- |^#)[\s\S])*)", re.MULTILINE)
_TEST = re.compile(r"`([\w./-]+\.(?:py|ts))::([^`]+)`")


def promises() -> dict[str, list[tuple[str, str]]]:
    """The tests that each promise names, as file and test."""
    section = DOCUMENT.read_text(encoding="utf-8").split("## What the tool promises")[1].split("\n## ")[0]
    return {match["promise"]: _TEST.findall(match["rest"]) for match in _PROMISE.finditer(section)}


PROMISES = promises()
NAMED = sorted({test for tests in PROMISES.values() for test in tests})


def names_of(path: Path) -> set[str]:
    """The tests of a file: functions, classes, and functions of classes; of TypeScript, suites and cases."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ts":
        return {name for _, name in re.findall(r"\b(describe|it)\(\s*\"([^\"]+)\"", text)}
    found: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            found |= {node.name, *(f"{node.name}::{method}" for method in methods)}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
    return {name for name in found if name.startswith(("test_", "Test"))}


def test_there_are_promises() -> None:
    assert len(PROMISES) >= 10


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_names_the_tests_that_hold_it(promise: str) -> None:
    assert PROMISES[promise]


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_a_named_test_exists(file: str, test: str) -> None:
    path = TOP / file
    assert path.is_file(), f"{file} is named in SECURITY.md"
    assert test in names_of(path)


def test_every_file_of_the_suite_holds_a_promise() -> None:
    files = {f"tests/security/{path.name}" for path in Path(__file__).parent.glob("test_*.py")}
    assert files - {file for file, _ in NAMED} == {f"tests/security/{Path(__file__).name}"}


@pytest.mark.parametrize("language", ["", ".zh-CN"])
def test_the_readme_links_to_it(language: str) -> None:
    assert f"(SECURITY{language}.md)" in (TOP / f"README{language}.md").read_text(encoding="utf-8")


def test_the_chinese_page_has_every_promise() -> None:
    chinese = DOCUMENT.with_name("SECURITY.zh-CN.md").read_text(encoding="utf-8")
    listed = chinese.split("## 承诺的内容")[1].split("\n## ")[0]
    assert len(re.findall("^- ", listed, re.MULTILINE)) == len(PROMISES)
