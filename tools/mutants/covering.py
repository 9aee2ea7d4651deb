"""Which tests a mutant is run against: those of its module, then those recorded to run its lines."""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import takewhile, zip_longest
from pathlib import Path, PurePosixPath

from coverage import CoverageData

TESTS = {
    "rules": ("tests/rules", "tests/mindspore", "tests/property", "tests/server", "tests/same_everywhere"),
    "server": ("tests/server", "tests/property", "tests/security", "tests/same_everywhere"),
}
"""Whose coverage is recorded, by the half of the program that is mutated: tests of rules run no server."""
EDITORS = "tests/lsp"
"""Tests that talk to the server in its own process, as editors do."""
_IS_OF_EDITORS = "server/"
LANGUAGE_SERVER, SESSIONS = "server/gpu2ascend/lsp/", "tests/server/lsp"
"""The language server, and the tests of its rooms, of which some start it."""
EVERYTHING = "not network and not editor"
_RUNS_PROJECTS = "server/gpu2ascend/verify/"
"""Only tests that run code with torch say what becomes of these modules."""
FAST_MARKS = f"{EVERYTHING} and not execution and not slow"
"""Of the tests whose coverage is recorded."""
ENOUGH = 400
"""Of a line with fewer tests, those that run other lines of its module are taken, too, up to so many in all.

A function that keeps its results runs in the first test of a process that calls it, and in no other.
"""


def marks_of(module: str) -> str:
    """Which of its own tests, and of those of its room, a module is tested by."""
    return EVERYTHING if module.startswith(_RUNS_PROJECTS) else f"{EVERYTHING} and not execution"


def has_editors(module: str) -> bool:
    """Whether the tests that talk to the server as editors do may say what becomes of a module."""
    return module.startswith(_IS_OF_EDITORS)


def own_tests(root: Path, module: str) -> list[str]:
    """The test files of a module: that of its name, in its room or one above; else those that import it."""
    folders = _rooms(root, module)
    found = next((test for test in _named(root, module) if test.is_file()), None)
    files = [found] if found is not None else _importing(folders[-1], module)
    return [path.relative_to(root).as_posix() for path in files]


def room_tests(root: Path, module: str) -> list[str]:
    """The test files of a module's room, or of the nearest one above that has any.

    Rules of the catalogue have their examples, which one file tests for all; it is among the covering tests.
    """
    folders = _rooms(root, module)
    found: list[Path] = next(filter(None, (sorted(folder.glob("test_*.py")) for folder in folders)), [])
    return [path.relative_to(root).as_posix() for path in found]


def _rooms(root: Path, module: str) -> list[Path]:
    """The folders of tests that mirror a module's room and those above it, the nearest first."""
    tests, rooms = _mirror(root, module)
    return [tests.joinpath(*rooms[:depth]) for depth in range(len(rooms), -1, -1)]


def _mirror(root: Path, module: str) -> tuple[Path, list[str]]:
    """The folder of tests that mirrors a module's package, and the rooms of the module in that package."""
    house, package, *rooms, _ = PurePosixPath(module).parts  # rules/gpu2ascend_rules/flow/words.py
    return root / "tests" / ("mindspore" if package == "gpu2ascend_mindspore" else house), rooms


def _named(root: Path, module: str) -> Iterator[Path]:
    """Where the test of a module's name may be; not in a room above that has a module of that name itself."""
    path = PurePosixPath(module)
    package = root.joinpath(*path.parts[:2])
    for folder in _rooms(root, module):
        room = package / folder.relative_to(_mirror(root, module)[0])
        if not (room / path.name).is_file() or room / path.name == root / module:
            yield folder / f"test_{path.stem}.py"


def _importing(folder: Path, module: str) -> list[Path]:
    package, name = PurePosixPath(module).with_suffix("").parts[1:-1], PurePosixPath(module).stem
    if name == "__init__":
        return []
    dotted = re.escape(".".join(package))
    imported = re.compile(rf"^(?:from|import) {dotted}(?:\.{name}\b| import .*\b{name}\b)", re.MULTILINE)
    tests = sorted(folder.rglob("test_*.py"))
    return [test for test in tests if imported.search(test.read_text(encoding="utf-8"))]


class Coverage:
    """The tests that run a line, as recorded for an earlier state of the code, if need be."""

    def __init__(self, *folders: Path) -> None:
        self._records = [_Record(folder) for folder in folders if (folder / "coverage").is_file()]

    def tests_of(self, module: str, line: int, source: str) -> list[str]:
        """Node ids of the tests that run the statement of a line, the nearest first.

        Of a line that has few, also those that run any line of the module.
        """
        found = _nearest_first(_tests(self._contexts_of(module, line, source)), module)
        if len(found) >= ENOUGH:
            return found
        elsewhere = _tests({name for record in self._records for name in record.of_module(module)})
        return [*found, *_nearest_first(elsewhere - set(found), module)[: ENOUGH - len(found)]]

    def runs_at_import(self, module: str, line: int, source: str) -> bool:
        """Whether the statement of a line runs while modules are imported and tests collected."""
        return "" in self._contexts_of(module, line, source)

    def _contexts_of(self, module: str, line: int, source: str) -> set[str]:
        return {name for record in self._records for name in record.of_line(module, line, source)}


class _Record:
    """What ran the lines of a copy of the checkout."""

    def __init__(self, folder: Path) -> None:
        self._data = CoverageData(str(folder / "coverage"))
        self._data.read()
        self._sources = folder / "sources"

    def of_module(self, module: str) -> set[str]:
        return {name for names in self._contexts(module).values() for name in names}

    def of_line(self, module: str, line: int, source: str) -> set[str]:
        contexts = self._contexts(module)
        if not contexts:
            return set()
        old = _line_before(line, source, (self._sources / module).read_text(encoding="utf-8"))
        return {name for number in old for name in contexts.get(number, ())}

    def _contexts(self, module: str) -> dict[int, list[str]]:
        recorded = (self._sources / module).resolve()
        return self._data.contexts_by_lineno(str(recorded)) if recorded.is_file() else {}


def _tests(contexts: set[str]) -> set[str]:
    """Contexts are node ids with the part of the test that ran; that of imports is empty."""
    return {context.rpartition("|")[0] for context in contexts if context}


def halves(packages: Sequence[str]) -> list[str]:
    """Of which halves of the program some packages or modules are."""
    return sorted({PurePosixPath(package).parts[0] for package in packages} & TESTS.keys())


def record(folder: Path, mutated: Sequence[str], files: Sequence[str] = ()) -> None:
    """Run the fast tests of the mutated halves once, and keep which of them run which lines; minutes.

    Args:
        folder: Where the record is kept; its folder ``sources`` is the copy of the checkout that is run.
        mutated: The halves of the program.
        files: Test files, for a record of these alone.

    Raises:
        RuntimeError: a test fails: a mutant could not be told from the code.
    """
    sources = folder / "sources"
    settings = folder / "coveragerc"
    measured = "".join(f"\n    {sources}/{half}" for half in mutated)
    settings.write_text(f"[run]\nsource ={measured}\ndata_file = {folder}/coverage\n")
    tests = files or dict.fromkeys(test for half in mutated for test in TESTS[half])
    options = ("-q", "-n", "2", "-p", "no:cacheprovider", "-m", FAST_MARKS)
    coverage = ("--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report=")
    command = (sys.executable, "-m", "pytest", *tests, *options, *coverage)
    result = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 5):  # 5: all of them are slow
        raise RuntimeError(
            f"the tests fail without any mutant:\n{result.stdout[-3000:]}{result.stderr[-1000:]}"
        )


def new_tests(root: Path, sources: Path, mutated: Sequence[str]) -> list[str]:
    """The test files of the mutated halves that are not as they were when a record was made."""
    folders = dict.fromkeys(test for half in mutated for test in TESTS[half])
    found = (path for folder in folders for path in sorted((root / folder).rglob("test_*.py")))
    return [
        path.relative_to(root).as_posix()
        for path in found
        if not (sources / path.relative_to(root)).is_file()
        or (sources / path.relative_to(root)).read_bytes() != path.read_bytes()
    ]


def _line_before(line: int, new: str, old: str) -> list[int]:
    """The lines of the statement of a line, as they were numbered in an earlier text; none if it is newer."""
    first, last = _statement(new, line)
    if new == old:
        return list(range(first, last + 1))
    matcher = difflib.SequenceMatcher(None, new.splitlines(), old.splitlines(), autojunk=False)
    numbers = {block.a + i: block.b + i for block in matcher.get_matching_blocks() for i in range(block.size)}
    return [numbers[number - 1] + 1 for number in range(first, last + 1) if number - 1 in numbers]


def _statement(source: str, line: int) -> tuple[int, int]:
    """The first and last line of the innermost statement of a line, without the body of a compound one."""
    found = [(line, line)]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
            if node.lineno <= line <= last:
                found.append((node.lineno, last))
    return max(found, key=lambda span: span[0] if span != (line, line) else 0)


def _nearest_first(tests: set[str], module: str) -> list[str]:
    """The tests: those whose room is nearest to the module's first, the functions in turn.

    The order depends on nothing but names.
    """
    rooms = ("tests", *PurePosixPath(module).parts[:1], *PurePosixPath(module).parts[2:-1])
    levels: dict[int, dict[str, list[str]]] = {}
    for test in sorted(tests, key=_shuffled):
        folder = PurePosixPath(test.partition("::")[0]).parts[:-1]
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(rooms, folder, strict=False)))
        levels.setdefault(shared, {}).setdefault(test.partition("[")[0], []).append(test)
    ordered = (levels[shared] for shared in sorted(levels, reverse=True))
    return [test for found in ordered for test in _in_turn([found[name] for name in sorted(found)])]


def _in_turn(groups: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in zip_longest(*groups):
        yield from (item for item in row if item is not None)


def _shuffled(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
