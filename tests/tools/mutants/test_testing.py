"""What tests notice of a module, in forks of a process that has collected them, and in new processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.mutants.covering import EVERYTHING, FAST_MARKS
from tools.mutants.plan import Step
from tools.mutants.testing import Bench, Outcome

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")]

ROOT = Path(__file__).parents[3]
MODULE = "rules/mutated.py"
CODE = "def double(x):\n    return x * 2\n\n\nLIMIT = double(2)\n"
TEST = """\
import pytest
from mutated import LIMIT, double

def test_two():
    assert double(2) == 4

def test_three():
    assert double(3) == 6

@pytest.mark.slow
def test_four():
    assert double(4) == 8

def test_limit():
    assert LIMIT == 4

def test_that_ends_the_process():
    if double(1) != 2:
        import os, signal
        os.kill(os.getpid(), signal.SIGPROF)
"""
FILE = "tests/rules/test_mutated.py"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout with one module and its tests; the current directory."""
    folder = tmp_path / "copy"
    for name, text in {
        MODULE: CODE,
        FILE: TEST,
        "pytest.ini": "[pytest]\npythonpath = rules\n"
        "addopts = --import-mode=importlib\nmarkers =\n    slow: x\n",
    }.items():
        folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(name).write_text(text)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    yield folder


@pytest.fixture
def tests(checkout: Path) -> Iterator[Bench]:
    running = Bench(Path(sys.executable), checkout.parent / "scratch")
    running.collect()
    yield running
    running.close()


def noticed(
    tests: Bench, new: str, *, marks: str = FAST_MARKS, listed: list[str] | None = None
) -> str | None:
    """The test that notices a changed module in a fork; None if none does."""
    names = None if listed is None else [f"{FILE}::{name}" for name in listed]
    Path(MODULE).write_text(new)
    try:
        assert tests.run_in_fork([Step([FILE], names, marks)], MODULE, CODE, new)
    except Outcome as outcome:
        return f"{(outcome.test or '').partition('::')[2]}{'' if outcome.ended else ' (ended)'}"
    finally:
        Path(MODULE).write_text(CODE)
    return None


def test_one_process_serves_for_many_mutants(tests: Bench) -> None:
    assert noticed(tests, CODE) is None
    assert noticed(tests, CODE.replace("x * 2", "x * 3")) == "test_two"
    assert noticed(tests, CODE.replace("x * 2", "x ** 2")) == "test_three"
    assert noticed(tests, CODE.replace("x * 2", "x + x")) is None


def test_the_listed_tests_alone_run_in_their_order(tests: Bench) -> None:
    changed = CODE.replace("x * 2", "x * 3")
    assert noticed(tests, changed, listed=["test_three", "test_two"]) == "test_three"
    assert noticed(tests, changed, listed=["test_that_is_gone", "test_limit"]) is None


def test_marks_choose_the_tests(tests: Bench) -> None:
    changed = CODE.replace("x * 2", "8 if x > 3 else x + x")
    assert noticed(tests, changed.replace("8", "9")) is None
    assert noticed(tests, changed.replace("8", "9"), marks=EVERYTHING) == "test_four"


def test_a_process_that_is_ended_in_a_test_has_noticed_in_it(tests: Bench) -> None:
    found = noticed(tests, CODE.replace("x * 2", "x * 3"), listed=["test_that_ends_the_process"])
    assert found == "test_that_ends_the_process (ended)"


def test_what_runs_at_import_needs_a_new_process(tests: Bench) -> None:
    changed = CODE.replace("LIMIT = double(2)", "LIMIT = double(3)")
    step = Step([FILE], None, FAST_MARKS)
    Path(MODULE).write_text(changed)
    assert not tests.run_in_fork([step], MODULE, CODE, changed)
    with pytest.raises(Outcome, match="test_limit"):
        tests.run_anew([step])
    Path(MODULE).write_text(CODE)
    tests.run_anew([step])


def test_a_module_that_cannot_be_imported_is_noticed_and_its_tests_cannot_be_collected(tests: Bench) -> None:
    Path(MODULE).write_text("1 / 0\n")
    with pytest.raises(Outcome) as caught:
        tests.run_anew([Step([FILE], None, FAST_MARKS)])
    assert caught.value.test is None
    assert not tests.can_collect([FILE])
    Path(MODULE).write_text(CODE)
    assert tests.can_collect([FILE])
