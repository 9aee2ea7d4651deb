"""A plugin of pytest that runs the tests of a list, and gives up those that run away.

``GPU2ASCEND_MUTANT_TESTS`` is a JSON file with node ids. A command line could not hold thousands of them,
with all the characters that they have.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

LISTED = "GPU2ASCEND_MUTANT_TESTS"
PROCESSOR_SECONDS = 120
"""What the tests of one mutant may take. Wall clock would judge the machine and what else runs on it."""


def pytest_configure() -> None:
    """Let the system end a mutant that never ends, where it can."""
    try:
        import resource
    except ImportError:  # Windows: the runner's own limit ends it, later
        return
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the listed tests, in the order of the list; without a list, all of them."""
    path = os.environ.get(LISTED)
    if not path:
        return
    ranks = {name: rank for rank, name in enumerate(json.loads(Path(path).read_text(encoding="utf-8")))}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in ranks])
    items[:] = sorted((item for item in items if item.nodeid in ranks), key=lambda item: ranks[item.nodeid])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where none of the listed tests exists any more, none has failed."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
