"""Analysis off the event loop: small files in a thread, large ones in processes, nothing twice.

The parser holds the interpreter lock while it works. Below :data:`LARGE` that is a few milliseconds; above, a
process does it, which is started when the first such file is opened. What a key needs never waits for what a
chosen fix needs, nor does work on one large document for that on another.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from gpu2ascend_rules.hosting import KeptPrograms, NotebookSource, ShellPart
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.registry import kind_called
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.project.decisions import ProjectDecisions
from gpu2ascend_rules.model.project.project_view import STANDALONE, ProjectView, Standalone
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile

from ...project.errors import out_of_time
from ...project.examination import Examination
from ...project.examine import Listener, Request, examine
from ...project.index.view import ProjectFiles
from ...project.inspect.one_text import program_of_source
from ...project.processes.threads import Lane
from ...project.processes.workers import ended_if_stuck
from ...project.report.result import FileStatus
from .elsewhere import Crew, DiedError, Elsewhere

_Result = TypeVar("_Result")
_Parameters = ParamSpec("_Parameters")
_Text = TypeVar("_Text", bound=TextFile)

LARGE = 200_000
"""Bytes from which a file is analysed in a process."""
LARGE_TO_EDIT = 50_000
"""Bytes from which edits are made in a process: they are checked again, pass by pass."""
_CREW = 2
"""Processes for large documents, and for their edits."""
_PROGRAMS = KeptPrograms()
"""Of the process for what may take long."""
_REMEMBERED = 4
"""Parsed texts that such a process keeps for the next question about them."""


class Outcome(NamedTuple):
    """An examined file, and what went wrong on the way."""

    examination: Examination
    failures: tuple[tuple[str, str], ...] = ()
    """Rules that failed, by code, with the traceback."""


class OutOfTimeError(Exception):
    """A request took longer than one file may take, and was given up."""


class Worker:
    """Runs analyses; each executor is made when it is first needed."""

    def __init__(self, on_death: Callable[[], None] = lambda: None) -> None:
        self._on_death = on_death
        self._keys = Lane("keys")
        self._requests = Lane("requests")
        self._documents = Crew(_CREW)
        self._edits = Crew(_CREW)
        self._background = Elsewhere(yield_to_the_editor)

    async def findings(
        self, source: TextFile, options: MigrationOptions, project: ProjectView = STANDALONE
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
        work = partial(check_text, _packed(source), options, project)
        try:
            return await self._in_process(self._documents, source.path, work)
        except DiedError:
            with suppress(DiedError):  # it need not have been this file that was too much for it
                return await self._in_process(self._documents, source.path, work)
            problem = Message.of("lsp.not-examined")
            return Outcome(Examination(path=source.path, status=FileStatus.FAILED, problem=problem))

    async def in_thread(self, work: Callable[[], _Result]) -> _Result:
        """The result of something small that a key needs, and that would be felt on the event loop.

        Raises:
            OutOfTimeError: it was not that small, and was given up.
        """
        return await self._keys.run(partial(_limited, work))

    async def aside(self, work: Callable[[], _Result]) -> _Result:
        """The result of something that a user has asked for, and that no key waits for.

        Raises:
            OutOfTimeError: it took too long, and was given up.
        """
        return await self._requests.run(partial(_limited, work))

    async def on_source(
        self,
        look: Callable[Concatenate[_Text, _Parameters], _Result],
        source: _Text,
        *arguments: _Parameters.args,
        **named: _Parameters.kwargs,
    ) -> _Result:
        """The result of a function of a module that looks at a file: of a large one, in a process."""
        if len(source.data) < LARGE:
            return await self.in_thread(partial(look, source, *arguments, **named))
        work = partial(_on_text, look, _packed(source), *arguments, **named)
        return await self._in_process(self._documents, source.path, work)

    async def edits_of(
        self,
        make: Callable[Concatenate[_Text, _Parameters], _Result],
        source: _Text,
        *arguments: _Parameters.args,
        **named: _Parameters.kwargs,
    ) -> _Result:
        """The result of a function of a module that makes edits of a file, beside all checks.

        Raises:
            DiedError: the process died on it.
            OutOfTimeError: it took too long, and was given up.
        """
        if len(source.data) < LARGE_TO_EDIT:
            return await self.aside(partial(make, source, *arguments, **named))
        work = partial(_on_text, make, _packed(source), *arguments, **named)
        return await self._in_process(self._edits, source.path, work)

    async def edits_in(
        self, content: str | bytes, path: str, make: Callable[[str, str | bytes], _Result]
    ) -> _Result:
        """The result of a function of a module that makes edits of a file's content, beside all checks.

        Raises:
            DiedError: the process died on it.
            OutOfTimeError: it took too long, and was given up.
        """
        work = partial(make, path, content)
        if len(content) < LARGE_TO_EDIT:
            return await self.aside(work)
        return await self._in_process(self._edits, path, partial(_in_time, work))

    async def _in_process(self, crew: Crew, about: str, work: Callable[[], _Result]) -> _Result:
        """The result of work on a large document.

        Raises:
            DiedError: the process died. This work is lost, the next is not.
        """
        try:
            return await crew.run(about, work)
        except DiedError:
            self._on_death()
            raise

    async def in_background(self, work: Callable[[], _Result]) -> _Result | None:
        """The result of work that may take long and that nobody waits for at the keyboard.

        It runs in a process of low priority, apart from that for documents. ``None`` if the process died.
        """
        try:
            return await self._background.run(work)
        except DiedError:
            self._on_death()
            return None

    async def decide(self, project: ProjectView, options: MigrationOptions) -> None:
        """Let a project know what is decided about its words, which takes long, so that no key waits for it.

        The process that does it knows of earlier states of the project what has not changed since.
        """
        if isinstance(project, ProjectFiles) and project.program.is_undecided(options):
            decided = await self.in_background(partial(_decided, project, options))
            if decided is not None:
                project.program.adopt(decided, options)

    def close(self) -> None:
        """Stop; what is being done is given up."""
        for place in (self._keys, self._requests, self._documents, self._edits, self._background):
            place.close()


def _decided(project: ProjectFiles, options: MigrationOptions) -> ProjectDecisions:
    """What is decided about a project, in the process that keeps what it found of earlier states."""
    return project.program.decided(options, _PROGRAMS)


def yield_to_the_editor() -> None:
    """Lower the priority of this process."""
    with suppress(AttributeError, OSError):  # Windows has no such call
        os.nice(5)


def _in_time(work: Callable[[], _Result]) -> _Result:
    """The result of work on one file, in a process of its own."""
    with ended_if_stuck():
        return _limited(work)


class _Packed(NamedTuple):
    """A file on its way to another process, without its tree."""

    text: str
    path: str
    kind: str = ""
    """The name of the kind that it is of; empty for Python."""
    written: str = ""
    """The cells of a notebook that has shell code, as they are."""
    parts: tuple[ShellPart, ...] = ()
    """Where their shell code stands."""


def _packed(source: TextFile) -> _Packed:
    if isinstance(source, KindFile):
        return _Packed(source.text, source.path, source.kind.name)
    if isinstance(source, NotebookSource):
        return _Packed(source.text, source.path, written=source.written, parts=source.cell_parts)
    return _Packed(source.text, source.path)


def _on_text(look: Callable[..., _Result], packed: _Packed, *arguments: Any, **named: Any) -> _Result:
    """What a function makes of a text, in a process of its own."""
    return _in_time(lambda: look(_parsed(packed), *arguments, **named))


@lru_cache(_REMEMBERED)
def _parsed(packed: _Packed) -> TextFile:
    """The text as it was looked at last, with what has been found out about it since."""
    if packed.kind:
        known = kind_called(packed.kind)
        return known.file(known, packed.text, packed.path)
    if packed.parts:
        return NotebookSource(packed.text, packed.path, packed.written, packed.parts)
    return SourceFile(packed.text, packed.path)


def _limited(work: Callable[[], _Result]) -> _Result:
    """The result of work on one file.

    Raises:
        OutOfTimeError: it took too long.
    """
    try:
        with time_limit():
            return work()
    except TimeLimitError:
        raise OutOfTimeError(render(out_of_time())) from None


def check_source(
    source: TextFile,
    options: MigrationOptions,
    project: ProjectView = STANDALONE,
    is_cancelled: Callable[[], bool] | None = None,
) -> Outcome:
    """The findings of a file, and the rules that failed. One that is in no project is a program by itself.

    Raises:
        CheckCancelledError: it was cancelled.
        OptionError: the options choose no version.
    """
    failures: list[tuple[str, str]] = []

    def note(code: str, error: Exception) -> None:
        failures.append((code, "".join(traceback.format_exception(error)).rstrip()))

    if isinstance(project, Standalone) and isinstance(source, SourceFile):
        project = program_of_source(source)
    listener = Listener(note, is_cancelled)
    request = Request(options=options, is_lenient=True)  # the language has servers that say what is wrong
    done = examine(source.path, source, request, project, listener=listener)
    return Outcome(done, tuple(failures))


def check_text(packed: _Packed, options: MigrationOptions, project: ProjectView) -> Outcome:
    """The findings of a text, in a process of its own."""
    with ended_if_stuck():
        return check_source(_parsed(packed), options, project)
