"""A plugin of pytest that runs tests in a given order, says what it runs, and ends what never ends.

``GPU2ASCEND_MUTANT_STEP`` is a JSON file with the tests of a step: a command line could not hold thousands of
them, with all the characters that they have. ``GPU2ASCEND_MUTANT_TOLD`` is a file that is told of each test
as it begins (``+``) and of those that fail (``!``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

STEP = "GPU2ASCEND_MUTANT_STEP"
TOLD = "GPU2ASCEND_MUTANT_TOLD"
PROCESSOR_SECONDS = 120
"""What one test may take. Wall clock would judge the machine and what else runs on it."""
WAITING_SECONDS = 480
"""What one test may wait, where something that it waits for never comes."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let the system end the process in a test that never ends, where it can."""
    tell("+", item.nodeid)
    _set_limits(PROCESSOR_SECONDS, WAITING_SECONDS)
    try:
        return (yield)
    finally:
        _set_limits(0, 0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Tell of what fails."""
    if report.failed:
        tell("!", report.nodeid)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the listed tests, in the order of the list; without a list, all of them."""
    path = os.environ.get(STEP)
    listed = json.loads(Path(path).read_text(encoding="utf-8")) if path else None
    if listed is None:
        return
    ranks = {name: rank for rank, name in enumerate(listed)}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in ranks])
    items[:] = sorted((item for item in items if item.nodeid in ranks), key=lambda item: ranks[item.nodeid])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where none of the listed tests exists any more, none has failed."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK


def tell(mark: str, test: str) -> None:
    """Add a line to the file that is told."""
    path = os.environ.get(TOLD)
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{mark}{test}\n")


def last_told(path: Path) -> tuple[str | None, str | None]:
    """The test that began last, and the one that failed."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    began = next((line[1:] for line in reversed(lines) if line.startswith("+")), None)
    failed = next((line[1:] for line in reversed(lines) if line.startswith("!")), None)
    return began, failed


def _set_limits(processor: float, waiting: float) -> None:
    try:
        from signal import ITIMER_PROF, ITIMER_REAL, setitimer
    except ImportError:  # Windows: what never ends there is for a person to end
        return
    setitimer(ITIMER_PROF, processor)
    setitimer(ITIMER_REAL, waiting)
