"""Many cases in one test, each of them examined, and all that fail listed.

An item of pytest costs more to collect, in every process, than a case of a rule takes to run. Tests over the
examples of the rules are therefore one item a rule.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

_SHOWN = 10
"""How many failures are shown as a whole; of the others, only the names are."""

Case = Callable[[object], AbstractContextManager[None]]
"""Gives the block in which a case is examined, by the name of the case."""


@contextmanager
def every_case() -> Iterator[Case]:
    """Let each case be examined, whatever becomes of those before it.
    Raises AssertionError: a case failed, or there was none."""
    failures: dict[str, str] = {}
    names: list[str] = []

    @contextmanager
    def case(name: object) -> Iterator[None]:
        names.append(str(name))
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            failures[names[-1]] = _failure_text(error)

    yield case
    assert names, "there is no case"
    if failures:
        shown = (f"--- {name}\n{what}" for name, what in list(failures.items())[:_SHOWN])
        head = f"{len(failures)} of {len(names)} cases fail: {', '.join(failures)}"
        raise AssertionError("\n".join([head, *shown]))


def _failure_text(error: BaseException) -> str:
    """Where a case failed, below the test itself, and with what."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    places = (f"{Path(frame.filename).name}:{frame.lineno}: {frame.line}" for frame in frames)
    return "\n".join([*places, "".join(traceback.format_exception_only(error)).rstrip()])
