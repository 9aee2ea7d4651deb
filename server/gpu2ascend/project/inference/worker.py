"""The process that asks jedi. It reads the project's files and never runs a line of them.

What makes that so, beside jedi's own care: jedi works in this process and starts no interpreter, so no
virtual environment of the project is run; no directory that it could import an extension module from is on
its path; no module is imported for its contents; and an audit hook ends any attempt to run code that lies
in the project, or to start a program. It also ends an attempt to open what is no regular file there, which
might block for ever, or a link that leads out.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.type_oracle import Question
from gpu2ascend_rules.model.versions import Version

from ..files.writing.copying import MAX_BYTES

if TYPE_CHECKING:
    from .answers import Answers

READY = "ready"
_PROGRAMS = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn"})
_MAX_RECURSION = 3000


class ForbiddenError(RuntimeError):
    """Something tried to run the project's code, or a program."""


def serve(channel: Connection, private: str, root: str, version: Version, hardware: Hardware) -> None:
    """Answer questions until the parent is gone; ``READY`` first, then for each question its answer.

    Args:
        private: A directory for what jedi is to read. The parent removes it, and this process does when the
            parent is gone.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    questions: SimpleQueue[Question] = SimpleQueue()
    threading.Thread(target=_receive, args=(channel, questions, private), daemon=True).start()
    _leave_project_off_the_path(root)
    with suppress(OSError):
        answers = _prepared(Path(private), root, Facts.load(version, hardware))
        _forbid_running(root)
        channel.send(READY)
        while True:
            channel.send(_answer(answers, questions.get()))


def _receive(channel: Connection, questions: SimpleQueue[Question], private: str) -> None:
    """Take questions; end this process with its parent, also in the middle of one that takes for ever."""
    with suppress(OSError, EOFError):
        while True:
            questions.put(channel.recv())
    try:
        os.chdir(Path(private).parent)  # Windows keeps the current directory
        shutil.rmtree(private, ignore_errors=True)
    finally:
        os._exit(1)


def _prepared(private: Path, root: str, facts: Facts) -> Answers:
    from .answers import Answers
    from .stubs import write_stubs

    os.chdir(private)
    _read_no_large_files()
    stubs = private / "stubs"
    write_stubs(stubs, facts)
    sys.setrecursionlimit(_MAX_RECURSION)
    return Answers(root, stubs, cache=private / "cache")


def _read_no_large_files() -> None:
    """A file over the size that the program reads is empty to jedi, which reads whole files."""
    from parso import file_io

    kind: Any = file_io.FileIO
    read = kind.read

    def bounded(self: Any) -> Any:
        return read(self) if os.path.getsize(self.path) <= MAX_BYTES else ""  # noqa: PTH202

    kind.read = bounded


def _answer(answers: Answers, question: Question) -> str | None:
    """What jedi says; nothing where it fails, as it does now and then on unusual code."""
    try:
        return answers.class_of(question)
    except Exception:
        return None


def _leave_project_off_the_path(root: str) -> None:
    """Python that is started in a project has it on the path. Installed packages below it may stay."""
    top = os.path.realpath(root)
    sys.path[:] = [
        entry
        for entry in sys.path
        if entry and (not _is_below(entry, top) or Path(entry).name in ("site-packages", "dist-packages"))
    ]


def _forbid_running(root: str) -> None:
    top = os.path.realpath(root)
    own = tuple(os.path.realpath(entry) for entry in sys.path)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _PROGRAMS:
            raise ForbiddenError(event)
        if event == "open" and _must_stay_closed(arguments[0], top, own):
            raise ForbiddenError(event)
        path = _code_file(event, arguments)
        if path is not None and _is_below(path, top) and not any(_is_below(path, entry) for entry in own):
            raise ForbiddenError(path)

    sys.addaudithook(hook)


def _must_stay_closed(path: object, top: str, own: tuple[str, ...]) -> bool:
    """Whether a path in the project is that of a pipe or device, or leads out of the project."""
    if not isinstance(path, str) or not os.path.abspath(path).startswith(top + os.sep):  # noqa: PTH100
        return False
    if os.path.lexists(path) and not os.path.isfile(path):  # noqa: PTH113
        return True
    return not any(_is_below(path, entry) for entry in (top, *own))


def _code_file(event: str, arguments: tuple[Any, ...]) -> str | None:
    """The file of code that is about to run, or of an extension module that is about to be loaded."""
    if event == "exec" and arguments:
        return getattr(arguments[0], "co_filename", None)
    if event == "import" and len(arguments) > 1 and isinstance(arguments[1], str):
        return arguments[1]
    return None


def _is_below(path: str, top: str) -> bool:
    real = os.path.realpath(path)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)
