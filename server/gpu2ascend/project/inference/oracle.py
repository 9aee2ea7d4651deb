"""jedi as a ``TypeOracle``: asked through a process that can be killed, within limits.

jedi answers in milliseconds mostly, in seconds now and then, and on some code never. What it does not
answer in time stays unresolved, and so does everything beyond the limits: they bound what a migration costs.
Questions are asked in the order of the files, so that the same ones are asked every time.
"""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType

import attrs

from gpu2ascend_rules.model.type_oracle import Question
from gpu2ascend_rules.options.options import MigrationOptions

from ..leftovers import Scratch, new_scratch
from ..own_packages import LOOK_UP, is_installed
from ..processes.interrupts import interrupts_deferred
from ..processes.spawn import Process, start


@attrs.frozen(kw_only=True)
class Limits:
    """How much may be asked. Times are in seconds."""

    to_start: float = 30.0
    for_a_question: float = 20.0
    """Against what never ends: a question that takes a second must not fail because the machine is busy."""
    in_all: float = 60.0
    questions: int = 200
    restarts: int = 2
    """How often a process that did not answer is replaced."""


class JediOracle:
    """A ``gpu2ascend_rules.model.type_oracle.TypeOracle`` for one project.

    The process starts at the first question.
    Use it as a context manager: leaving it ends the process.
    """

    def __init__(self, root: Path, options: MigrationOptions, limits: Limits | None = None) -> None:
        self._root = root
        self._options = options
        self._limits = limits if limits is not None else Limits()
        self._process: Process | None = None
        self._private: Scratch | None = None
        """The directory of the process. This one removes it, for the process is killed."""
        self._starts = 0
        self._asked = 0
        self._spent = 0.0
        self._known: dict[Question, str | None] = {}

    def __enter__(self) -> JediOracle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def class_of(self, question: Question) -> str | None:
        """See :class:`gpu2ascend_rules.model.type_oracle.TypeOracle`.

        Never raises; asks about a question once.
        """
        if question not in self._known:
            self._known[question] = self._ask(question) if self._may_ask() else None
        return self._known[question]

    def close(self) -> None:
        """End the process, and remove what it wrote."""
        with interrupts_deferred():
            if self._process is not None:
                self._process.kill()
                self._process.join()
                self._process.channel.close()
                self._process = None
            if self._private is not None:
                self._private.remove()
                self._private = None

    def _may_ask(self) -> bool:
        limits = self._limits
        within = self._asked < limits.questions and self._spent < limits.in_all
        return within and is_installed(LOOK_UP)

    def _ask(self, question: Question) -> str | None:
        self._asked += 1
        began = time.monotonic()
        try:
            if self._process is None and not self._start():
                return None
            return self._answer(question)
        finally:
            self._spent += time.monotonic() - began

    def _answer(self, question: Question) -> str | None:
        if self._process is None:
            return None
        channel = self._process.channel
        try:
            channel.send(question)
            if channel.poll(self._limits.for_a_question):
                answer: str | None = channel.recv()
                return answer
        except (OSError, EOFError):
            pass
        self.close()  # dead, or lost in thought
        return None

    def _start(self) -> bool:
        """Have a process that is ready; false when none is to be had."""
        if self._starts > self._limits.restarts:
            return False
        self._starts += 1
        from .worker import READY, serve

        version, hardware = self._options.require_version(), self._options.hardware
        try:
            with interrupts_deferred():
                self._private = new_scratch()
                self._process = start(serve, str(self._private.path), str(self._root), version, hardware)
            channel = self._process.channel
            if channel.poll(self._limits.to_start) and channel.recv() == READY:
                return True
        except (OSError, EOFError):
            pass
        self.close()
        return False
