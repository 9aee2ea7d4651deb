"""Which tests a mutant is run against, and in which order: those that likely notice come first."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from .covering import (
    EDITORS,
    FAST_MARKS,
    LANGUAGE_SERVER,
    SESSIONS,
    Coverage,
    has_editors,
    marks_of,
    own_tests,
    room_tests,
)
from .sampling import Mutant

FIRST = 40
"""Of the covering tests, so many are run before others are collected: most mutants do not survive them."""


WITHOUT_EDITORS = "GPU2ASCEND_MUTANTS_WITHOUT_EDITORS"
"""The variable with which the last step is left out: its tests take minutes of processor time."""


class Step(NamedTuple):
    """Tests that are run together, until one fails."""

    files: list[str]
    """The files that have them."""
    listed: list[str] | None
    """Their node ids, in order; None for all tests of the files."""
    marks: str
    """Which of them, as pytest's option ``-m`` says it."""


def steps(mutant: Mutant, source: str, coverage: Coverage) -> list[Step]:
    """The module's own tests, those that are recorded to run the place, those of the room, those of sessions.

    What runs in a process of its own is in no record: hence the last three.
    """
    own = own_tests(Path(), mutant.path)
    covering = coverage.tests_of(mutant.path, mutant.line, source)
    others = [test for test in covering if _is_other(_file(test), own)]
    room = [] if own else room_tests(Path(), mutant.path)
    marks = marks_of(mutant.path)
    found = [
        Step(own, None, marks),
        _listed(others[:FIRST]),
        _listed(others[FIRST:]),
        Step(room, None, f"(slow or execution) and {marks}" if others else marks),
        Step(_sessions(mutant.path), None, marks),
        Step(_tests_of_editors(mutant.path), None, FAST_MARKS),
    ]
    return [step for step in found if step.files]


def _listed(tests: Sequence[str]) -> Step:
    return Step(sorted({_file(test) for test in tests}), list(tests), FAST_MARKS)


def _file(test: str) -> str:
    return test.partition("::")[0]


def _is_other(file: str, own: list[str]) -> bool:
    """Whether a test is of another file, that is still there: a kept record may name files that have gone."""
    return file not in own and Path(file).is_file()


def _sessions(module: str) -> list[str]:
    """For a module of the language server, the tests of its rooms that start it; no record has those."""
    if not module.startswith(LANGUAGE_SERVER):
        return []
    found = (
        path for path in Path(SESSIONS).rglob("test_*.py") if "editing(" in path.read_text(encoding="utf-8")
    )
    return sorted((path.as_posix() for path in found), key=lambda name: ("whole" not in name, name))


def _tests_of_editors(module: str) -> list[str]:
    if not has_editors(module) or os.environ.get(WITHOUT_EDITORS):
        return []
    return sorted(path.as_posix() for path in Path(EDITORS).rglob("test_*.py"))


def without(step: Step, tests: set[str]) -> Step:
    """A step without tests that say nothing, because they fail without the mutant, too."""
    return step._replace(listed=None if step.listed is None else [t for t in step.listed if t not in tests])


def all_files(found: Sequence[Step]) -> Iterator[str]:
    """The files of all steps."""
    for step in found:
        yield from step.files
