"""What is noted of a process, and the file that it is written to."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .settings import Settings


@dataclass
class Record:
    """One process. The file holds these fields by their names.

    Attributes:
        pid: its number.
        parent: that of the process which started it.
        program: what it runs, as ``sys.argv`` has it.
        rank: its rank when it last made a step; that of the environment before.
        world: the number of ranks that train together, as far as the process knows.
        steps: steps of an optimizer that were made.
        steps_on_cpu: those of optimizers without a parameter on the device.
        is_done: whether as many steps were made as asked for.
        losses: what ``backward`` was called on, as numbers, in order.
        lines: the executed lines of each file of the project, by the path relative to it.
        failure: the exception that ended it.
        torch: the release of torch that ran.
        notes: what the device noted; see :mod:`.device_notes`.
        made_up: the data sets whose samples were made up.
        elsewhere: a file that was opened where the process began, and is beside its script only.
        seconds: from the first to the last step, for the time of one.
        ended: when it ended, in seconds since the epoch; None while it runs.
    """

    pid: int
    parent: int
    program: list[str]
    rank: int = 0
    world: int = 1
    steps: int = 0
    steps_on_cpu: int = 0
    is_done: bool = False
    losses: list[float] = field(default_factory=list)
    lines: dict[str, list[int]] = field(default_factory=dict)
    failure: dict[str, Any] | None = None
    torch: str | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    made_up: list[str] = field(default_factory=list)
    elsewhere: str = ""
    seconds: float = 0.0
    ended: float | None = None


class Recorder:
    """Writes the record of this process, whole each time, from whichever thread."""

    def __init__(self, settings: Settings, program: list[str]) -> None:
        self.settings = settings
        rank, world = _of_environment("RANK", 0), _of_environment("WORLD_SIZE", 1)
        self.record = Record(os.getpid(), os.getppid(), program, rank=rank, world=max(world, 1))
        self.collectors: list[Any] = []
        """Called before the record is written: each completes its part of it."""
        self.before_failure: Callable[[str], None] = lambda text: None
        """Called with the text of what went wrong; may not return."""
        self._exit: tuple[int, dict[str, Any]] | None = None
        self._lock = threading.RLock()

    @property
    def path(self) -> Path:
        """The file of the record."""
        return Path(self.settings.records, f"{self.record.pid}.json")

    def note_failure(self, failure: dict[str, Any]) -> None:
        """Note what went wrong; the first failure of a process counts."""
        self.before_failure(failure["text"])
        if self.record.failure is None:
            self.record.failure = failure
            self.write()

    def note_exit(self, failure: dict[str, Any]) -> None:
        """Note why the process is about to leave, if it really does."""
        if failure["type"] != "SystemExit":
            self.before_failure(failure["text"])
        self._exit = self.record.steps, failure

    def note_made_up(self, data: str) -> None:
        """Note that samples are not those of a data set; said at once, too, by the first process."""
        if data in self.record.made_up:
            return
        self.record.made_up.append(data)
        self.write()
        said = Path(self.settings.records, f"{zlib.crc32(data.encode())}.said")
        try:
            said.touch(exist_ok=False)
        except OSError:
            return
        text = f"gpu2ascend: SYNTHETIC DATA in place of {data}\n"  # in one piece, beside other processes
        print(text, end="", file=sys.stderr, flush=True)

    def say_changed(self, how: str, error: str) -> None:
        """Say that made-up data is changed after an error, and the program starts again."""
        text = f"gpu2ascend: SYNTHETIC DATA is changed: {how}, after: {error}; starting again\n"
        print(text, end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Note that the process ends."""
        if self._exit is not None and self._exit[0] == self.record.steps and self.record.failure is None:
            self.record.failure = self._exit[1]
        self.record.ended = time.time()
        self.write()

    def write(self) -> None:
        """Write everything noted so far. A directory that is gone means that nobody reads it any more."""
        if os.getpid() != self.record.pid:
            return  # a forked process that does not know it
        with self._lock:
            for collect in self.collectors:
                collect(self.record)
            temporary = self.path.with_suffix(".tmp")
            try:
                temporary.write_text(json.dumps(dataclasses.asdict(self.record)), encoding="utf-8")
                temporary.replace(self.path)
            except OSError:
                return


def _of_environment(name: str, default: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else default
