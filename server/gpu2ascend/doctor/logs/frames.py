"""The frames of the tracebacks in a log, and the files of a project that they name."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ...project.paths import is_file

_FRAME = re.compile(r"^[^\n]*?\bFile \"(?P<path>[^\"\n]{1,4000})\", line (?P<line>\d{1,9})\b")
_DRAWN = re.compile(
    r"^(?:\[rank\d+\]: ?)?(?:File |│ )(?P<path>[/~][^\s:\"]{1,4000}\.py):(?P<line>\d{1,9}),? in\b"
)
"""A frame as IPython and rich write it."""
_ARROW = re.compile(r"^(?:│ ❱ *\d+ │[ │]*|-+> \d+ +)(?P<code>\S[^\n]*?)[ │]*$")
"""The line of code of such a frame."""
_INSTALLED = ("site-packages", "dist-packages")


class Frame(NamedTuple):
    """A place that a traceback names."""

    path: str
    line: int
    code: str = ""
    """The text of the line, where the traceback shows it."""

    @property
    def is_installed(self) -> bool:
        """Whether it lies in an installed package, or in Python itself."""
        parts = PurePosixPath(self.path.replace("\\", "/")).parts
        return any(part in _INSTALLED for part in parts) or self.path.startswith("<")

    @property
    def package(self) -> str:
        """The installed package in which it lies; empty for other code."""
        parts = PurePosixPath(self.path.replace("\\", "/")).parts
        after = [rest for part, rest in pairwise(parts) if part in _INSTALLED]
        return after[-1].removesuffix(".py") if after else ""


def frame_of(line: str) -> Frame | None:
    """The frame that a line of a traceback names, also behind the prefix of a rank."""
    match = _FRAME.match(line) or _DRAWN.match(line)
    return Frame(match["path"], int(match["line"])) if match is not None else None


def drawn_code(line: str) -> str:
    """The code of a line that an arrow of IPython or rich points at; else empty."""
    match = _ARROW.match(line)
    return match["code"] if match is not None else ""


def file_in_project(project: Path, frame: Frame) -> Path | None:
    """The file of a project that a frame means: the log may be of another machine, with other directories."""
    parts = PurePosixPath(frame.path.replace("\\", "/")).parts
    for start in range(len(parts)):
        rest = parts[start:]
        if ".." in rest or not rest[0].strip("/\\"):
            continue
        path = project.joinpath(*rest)
        if is_file(path):
            return path
    return None
