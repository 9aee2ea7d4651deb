"""Analysis off the event loop: small files in a thread, large ones in a process, nothing twice.

The parser holds the interpreter lock while it works. Below :data:`LARGE` that is a few milliseconds; above, a
process does it, which is started when the first such file is opened.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from gpu2ascend_rules.check import CheckCancelledError, check
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.model.project_view import STANDALONE, ProjectView
from gpu2ascend_rules.options.options import MigrationOptions, OptionError
from gpu2ascend_rules.text.source_file import SourceFile

from ...project.processes.workers import detach_streams

_Result = TypeVar("_Result")
_Parameters = ParamSpec("_Parameters")

LARGE = 200_000
"""Bytes from which a file is analysed in a process."""


class Outcome(NamedTuple):
    """What came of looking at a file."""

    findings: tuple[Finding, ...]
    failures: tuple[tuple[str, str], ...] = ()
    """Rules that failed, by code, with the traceback."""


class Worker:
    """Runs analyses; each executor is made when it is first needed."""

    def __init__(self, on_death: Callable[[], None] = lambda: None) -> None:
        self._on_death = on_death
        self._threads: Executor | None = None
        self._processes: Executor | None = None
        self._background: Executor | None = None

    async def findings(
        self, source: SourceFile, options: MigrationOptions, project: ProjectView = STANDALONE
    ) -> Outcome:
        """The findings of a file. To cancel this ends the look at a small file: the next begins at once.

        Raises:
            OptionError: the options choose no version.
        """
        if len(source.data) < LARGE:
            cancelled = threading.Event()
            try:
                return await self.in_thread(partial(check_source, source, options, project, cancelled.is_set))
            finally:
                cancelled.set()
        work = partial(check_text, source.text, source.path, options, project)
        try:
            return await self._in_process(work)
        except BrokenProcessPool:
            with suppress(BrokenProcessPool):  # it need not have been this file that was too much for it
                return await self._in_process(work)
            return Outcome(())

    async def in_thread(self, work: Callable[[], _Result]) -> _Result:
        """The result of something small that would still be felt on the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread_pool(), work)

    async def on_source(
        self,
        look: Callable[Concatenate[SourceFile, _Parameters], _Result],
        source: SourceFile,
        *arguments: _Parameters.args,
        **named: _Parameters.kwargs,
    ) -> _Result:
        """The result of a function of a module that looks at a file: of a large one, in the process."""
        loop = asyncio.get_running_loop()
        if len(source.data) < LARGE:
            work = partial(look, source, *arguments, **named)
            return await loop.run_in_executor(self._thread_pool(), work)
        work = partial(_on_text, look, source.text, source.path, *arguments, **named)
        return await self._in_process(work)

    async def _in_process(self, work: Callable[[], _Result]) -> _Result:
        """The result of work in the process for large documents.

        Raises:
            BrokenProcessPool: the process died. This work is lost, the next is not.
        """
        processes = self._process_pool()
        try:
            return await asyncio.get_running_loop().run_in_executor(processes, work)
        except BrokenProcessPool:
            if self._processes is processes:
                self._processes = None
                self._on_death()
            raise

    async def in_background(self, work: Callable[[], _Result]) -> _Result | None:
        """The result of work that may take long and that nobody waits for at the keyboard.

        It runs in a process of low priority, apart from that for documents. ``None`` if the process died.
        """
        if self._background is None:
            self._background = _process(start_background)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._background, work)
        except BrokenProcessPool:
            self._background = None  # the next work gets a new one
            self._on_death()
            return None

    def close(self) -> None:
        """Stop; what is being done is given up."""
        for executor in (self._threads, self._processes, self._background):
            if executor is not None:
                executor.shutdown(wait=False, cancel_futures=True)

    def _thread_pool(self) -> Executor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(1, thread_name_prefix="analysis")
        return self._threads

    def _process_pool(self) -> Executor:
        if self._processes is None:
            self._processes = _process(detach_streams)
        return self._processes


def start_background() -> None:
    """Make this process one that yields to the editor."""
    detach_streams()
    with suppress(AttributeError, OSError):  # Windows has no such call
        os.nice(5)


def _process(begin: Callable[[], None]) -> Executor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), initializer=begin)


def _on_text(look: Callable[..., _Result], text: str, path: str, *arguments: Any, **named: Any) -> _Result:
    """What a function makes of a text, in a process of its own."""
    return look(SourceFile(text, path), *arguments, **named)


def check_source(
    source: SourceFile,
    options: MigrationOptions,
    project: ProjectView = STANDALONE,
    is_cancelled: Callable[[], bool] | None = None,
) -> Outcome:
    """The findings of a file, and the rules that failed.

    Raises:
        CheckCancelledError: it was cancelled.
        OptionError: the options choose no version.
    """
    failures: list[tuple[str, str]] = []

    def note(code: str, error: Exception) -> None:
        failures.append((code, "".join(traceback.format_exception(error)).rstrip()))

    try:
        findings = check(source, options, project, on_error=note, is_cancelled=is_cancelled)
    except (OptionError, CheckCancelledError):
        raise
    except Exception as error:  # not even the engine's own mistakes end the session
        note("", error)
        findings = ()
    return Outcome(findings, tuple(failures))


def check_text(text: str, path: str, options: MigrationOptions, project: ProjectView) -> Outcome:
    """The findings of a text, in a process of its own."""
    return check_source(SourceFile(text, path), options, project)
