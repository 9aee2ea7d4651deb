"""A script that failed on an assumption starts again with a better one."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from .arrays import Assumed
from .refining import refined
from .structures import place_of

_MOST = 24
"""Times that a script starts again."""
_LONGEST = 200
_TRACEBACK = "Traceback (most recent call last)"
_COUNTED = "GPU2ASCEND_STARTED_AGAIN"


class Restart:
    """What a process needs to start again as it began."""

    def __init__(self, folder: Path, say: Callable[[str, str], None]) -> None:
        self._folder = folder
        self._say = say
        self._pid = os.getpid()
        self._directory = os.getcwd()  # noqa: PTH109
        self._variables = dict(os.environ)

    def after(self, text: str) -> None:
        """Start again, if the text of an error shows what was assumed wrongly; else return."""
        count = int(self._variables.get(_COUNTED, "0"))
        place = place_of(self._folder)
        if not self._can() or count >= _MOST or not place.is_dir():
            return
        last = text.strip().rpartition("\n")[2]
        # Of another process the text has the traceback, too, with numbers of lines.
        said = refined(last if _TRACEBACK in text else text, Assumed(place))
        if said is None:
            return
        self._say(said, last[:_LONGEST])
        shutil.rmtree(self._folder, ignore_errors=True)
        for child in multiprocessing.active_children():
            child.kill()
        sys.stdout.flush()
        sys.stderr.flush()
        os.chdir(self._directory)
        _begin({**self._variables, _COUNTED: str(count + 1)})

    def _can(self) -> bool:
        """Only a process that is alone: others of a group, or one that started it, would wait for it."""
        is_own = os.getpid() == self._pid and multiprocessing.parent_process() is None
        is_kept = sys.orig_argv[1:] and "-" not in sys.orig_argv  # of standard input nothing is left
        return os.name == "posix" and is_own and bool(is_kept) and os.environ.get("WORLD_SIZE", "1") == "1"


def _begin(variables: Mapping[str, str]) -> None:
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], variables)
