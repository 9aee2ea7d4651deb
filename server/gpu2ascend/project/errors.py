"""What can be wrong with a request as a whole. A front end shows the message and exits with 2.

Trouble with a single file is no error: it is reported in that file's outcome and the others go on.
"""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gpu2ascend_rules.limits.checkpoints import SECONDS_PER_FILE
from gpu2ascend_rules.model.finding import Message

from .paths import shown

DEBUG = "GPU2ASCEND_DEBUG"
"""The variable by which a user asks for tracebacks of defects of ours."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class ProjectError(Exception):
    """The request cannot be carried out; nothing was written. ``message`` says what to do."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(message)

    def __str__(self) -> str:
        from gpu2ascend_rules.messages import render  # not when only the exceptions' names are needed

        return render(self.message)


class InputError(ProjectError):
    """The input is missing, no directory, unreadable, or holds no Python."""


class OutputError(ProjectError):
    """The output is in the way of the input, exists already, or cannot be written."""


class KeptError(ProjectError):
    """A file was left as it is, because to write it would undo what somebody wrote or decided."""


class SettingsError(ProjectError):
    """``pyproject.toml`` cannot be read, or its ``[tool.gpu2ascend]`` holds what is no option."""


class RuleFileProblem(ProjectError):
    """The user's rule file cannot be read or used, or some rule of it matches nothing."""

    def __init__(self, mistakes: Sequence[Message]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__(_joined(self.mistakes))
        self.args = (self.mistakes,)  # by which it is made again on its way between processes


def _joined(messages: Sequence[Message]) -> Message:
    """Messages, a line each, as one."""
    first, *others = messages
    return Message.of("custom.and", first=first, rest=_joined(others)) if others else first


class VersionNotFoundError(ProjectError):
    """No PyTorch version was given, and the project does not name exactly one."""


class CancelledError(ProjectError):
    """The caller's ``cancelled`` said so. Nothing is left behind."""

    def __init__(self) -> None:
        super().__init__(Message.of("project.cancelled"))


def write_error(error: OSError, path: object) -> OutputError:
    """The error to raise when the operating system refuses to write to ``path``."""
    name = "project.disk-full" if error.errno in _FULL else "project.cannot-write"
    return OutputError(Message.of(name, path=shown(path), reason=reason(error)))


def reason(error: OSError) -> str:
    """What the operating system says is wrong, without the number and the path."""
    return error.strerror or type(error).__name__


def defect(error: Exception) -> Message:
    """What to report about an exception that should not have happened: a defect of ours."""
    detail = f"{type(error).__name__}: {error}"
    return Message.of("project.defect", detail=shown(detail[:500]))


def traceback_of(error: Exception) -> str:
    """Where a defect of ours was raised, if the user asked for tracebacks; else nothing."""
    return "".join(traceback.format_exception(error)) if os.environ.get(DEBUG) else ""


@contextmanager
def writing(path: object) -> Iterator[None]:
    """Turns an ``OSError`` raised while writing to ``path`` into an :class:`OutputError`."""
    try:
        yield
    except OSError as error:
        raise write_error(error, path) from error


LIMITS = frozenset(
    {"project.too-large", "project.time-limit", "project.nested", "lsp.too-large", "lsp.not-examined"}
)
"""The messages of files that were not examined, or not as a whole, for what it would cost."""


def limit_of(problem: Message | None) -> Message | None:
    """A problem with a file if it is a limit; not what is wrong with the file itself."""
    return problem if problem is not None and problem.id in LIMITS else None


def out_of_time() -> Message:
    """What to report of a file that took too long."""
    return Message.of("project.time-limit", seconds=int(SECONDS_PER_FILE))
