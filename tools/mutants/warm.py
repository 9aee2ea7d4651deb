"""A plugin of pytest: a process that has collected the tests runs some in forks, each for one mutant.

Requests come as lines of JSON (:class:`Request`) in one pipe, and go back as exit codes in another;
``GPU2ASCEND_MUTANT_PIPES`` has their numbers.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from _pytest.mark.expression import Expression

from .selection import TOLD
from .swapping import ImportChanges, put_in

PIPES = "GPU2ASCEND_MUTANT_PIPES"
PASSED, FAILED, IMPORT_CHANGES = 0, 1, 77


class Request(NamedTuple):
    """Steps to run, on a module whose text differs from the one that was imported."""

    steps: list[tuple[list[str], list[str] | None, str]]
    """The fields of each :class:`~.plan.Step`."""
    told: str
    """The file that is told of the tests; see ``selection``."""
    path: str
    old: str
    new: str


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Serve, in place of running what was collected."""
    reading, writing = map(int, os.environ[PIPES].split(","))
    by_file: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in session.items:
        by_file[item.nodeid.partition("::")[0]].append(item)
    requests, answers = os.fdopen(reading, encoding="utf-8"), os.fdopen(writing, "w", encoding="utf-8")
    with requests, answers:
        answers.write("collected\n")
        answers.flush()
        for line in requests:
            answers.write(f"{_in_fork(session, by_file, Request(*json.loads(line)))}\n")
            answers.flush()
    return True


def _in_fork(session: pytest.Session, by_file: dict[str, list[pytest.Item]], request: Request) -> int:
    """The exit code of a fork that runs a request; below 0, the signal that ended it."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what its tests have started and not ended
        return os.waitstatus_to_exitcode(status)
    code = FAILED
    try:
        os.setpgid(0, 0)
        os.environ[TOLD] = request.told
        code = _run(session, by_file, request)
    finally:
        os._exit(code)


def _run(session: pytest.Session, by_file: dict[str, list[pytest.Item]], request: Request) -> int:
    try:
        put_in(Path(request.path), request.old, request.new)
    except ImportChanges:
        return IMPORT_CHANGES
    items = list(_items(by_file, request.steps))
    session.items = items
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return FAILED
    return PASSED


def _items(
    by_file: dict[str, list[pytest.Item]], steps: Sequence[tuple[list[str], list[str] | None, str]]
) -> Iterator[pytest.Item]:
    seen: set[str] = set()
    for files, listed, marks in steps:
        found = {item.nodeid: item for file in files for item in by_file.get(file, ())}
        wanted = Expression.compile(marks)
        for name in found if listed is None else listed:
            item = found.get(name)
            if item is not None and name not in seen and wanted.evaluate(_matcher(item)):
                seen.add(name)
                yield item


def _matcher(item: pytest.Item):  # type: ignore[no-untyped-def]  # pytest's own type is private
    marks = {mark.name for mark in item.iter_markers()}
    return lambda name, /, **_: name in marks
