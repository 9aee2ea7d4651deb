"""Jobs for the tests of the worker pool; worker processes import them by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import attrs

from gpu2ascend.project.errors import ProjectError
from gpu2ascend_rules.edits.refusals import Judge
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.outcome import FixOutcome
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile


@attrs.frozen
class Square:
    """Squares numbers; some numbers do worse."""

    parent: int = attrs.field(factory=os.getpid)
    deadly: frozenset[int] = frozenset()
    deadly_once: frozenset[int] = frozenset()
    wrong: frozenset[int] = frozenset()
    scars: str = ""
    """A directory in which to remember who has died."""

    def __call__(self, task: int) -> tuple[int, bool]:
        """The square, and whether another process worked it out."""
        elsewhere = os.getpid() != self.parent
        if elsewhere and (task in self.deadly or (task in self.deadly_once and self._first_time(task))):
            os.kill(os.getpid(), signal.SIGKILL)
        if task in self.wrong:
            raise ProjectError(Message.of("project.cancelled"))
        return task * task, elsewhere

    def give_up(self, task: int) -> tuple[int, bool]:
        """Tell a task that kills."""
        return -task, False

    def _first_time(self, task: int) -> bool:
        scar = Path(self.scars, str(task))
        if scar.exists():
            return False
        scar.touch()
        return True


@attrs.frozen
class Echo:
    """Answers with the task, after the time in which the next task comes."""

    def __call__(self, task: bytes | Unreadable) -> bytes | Unreadable:
        """The task."""
        time.sleep(0.02)
        return task

    def give_up(self, task: bytes | Unreadable) -> bytes | Unreadable:
        """Nothing."""
        return b""


@attrs.frozen
class Unreadable:
    """A task that no other process can read."""

    parent: int = attrs.field(factory=os.getpid)

    def __attrs_post_init__(self) -> None:
        if os.getpid() != self.parent:
            raise ValueError

    def __reduce__(self) -> tuple[type[Unreadable], tuple[int]]:
        return Unreadable, (self.parent,)


@attrs.frozen
class DoesNotStart:
    """A job that kills any process that unpickles it, except the one it was made in."""

    parent: int = attrs.field(factory=os.getpid)

    def __attrs_post_init__(self) -> None:
        if os.getpid() != self.parent:
            os._exit(3)

    def __reduce__(self) -> tuple[type[DoesNotStart], tuple[int]]:
        return DoesNotStart, (self.parent,)

    def __call__(self, task: int) -> int:
        """The task itself."""
        return task

    def give_up(self, task: int) -> int:
        """Never needed."""
        raise AssertionError


def killed_by_a_word(
    source: SourceFile, options: MigrationOptions, project: ProjectView, *, is_sound: Judge | None = None
) -> FixOutcome:
    """The real transform, but the process dies on a file that asks for it."""
    if "KILL ME" in source.text:
        os.kill(os.getpid(), signal.SIGKILL)
    return apply_fixes(source, options, project, is_sound=is_sound)


def defective(
    source: SourceFile, options: MigrationOptions, project: ProjectView, *, is_sound: Judge | None = None
) -> FixOutcome:
    """The real transform with two defects."""
    if "RAISE" in source.text:
        raise RuntimeError("deliberate")
    if "BREAK" in source.text:
        return FixOutcome("def broken(:\n", (), (), 1)
    return apply_fixes(source, options, project, is_sound=is_sound)
