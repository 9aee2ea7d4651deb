"""What went wrong first in a run, with its traceback reduced to the lines of the project."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ...doctor.logs.frames import frame_of
from ..running.records import Record
from ..running.supervise import Ending, Run
from .model import Failure, Place

_ERROR = re.compile(r"^(?:\[rank\d+\]:\s*)?(?P<type>[A-Za-z_][\w.]*): (?P<text>.*)$")
_THROWN = re.compile(r"\s*what\(\):\s*(?P<text>.+)")
"""What an exception of C++ says that nothing caught."""
_BEGIN = "Traceback (most recent call last)"
_OF_LAUNCHERS = ("ChildFailedError", "ProcessExitedException", "CalledProcessError")
_INSTALLED = ("site-packages", "dist-packages")


def first_failure(run: Run, project: Path) -> Failure | None:
    """The failure that came first; None where nothing failed with an exception or an exit code.

    When time was up, ranks that lost the others are no reason.
    """
    failed = [record for record in run.records if record.failure is not None]
    if run.ending is Ending.TIMEOUT and all(map(_is_consequence, failed)):
        return None
    killed = next((record for record in run.records if record.signal), None)
    if killed is not None and all(map(_is_consequence, failed)):
        return _of_signal(killed, chain.from_iterable(run.errors), project)
    if set(run.codes) == {0}:  # what was left with an error was caught
        failed = [record for record in failed if not _is_exit(record)]
    if failed:
        return _of_record(min(failed, key=_likely), project)
    return _of_exit(run, project)


def _of_exit(run: Run, project: Path) -> Failure | None:
    """The failure of the first rank that ended with an error."""
    for number, code in enumerate(run.codes):
        if code:
            return _of_text(run.errors[number], number, code, project)
    return None


def _likely(record: Record) -> tuple[bool, bool, float]:
    """By what the reason comes first: what a launcher or a peer reports is that of another process, and an
    exit without an exception often is."""
    return _is_consequence(record), _is_exit(record), record.ended or float("inf")


def _is_consequence(record: Record) -> bool:
    failure = record.failure or {}
    text, kind = str(failure.get("text", "")), str(failure.get("type", ""))
    return kind in _OF_LAUNCHERS or "Connection closed by peer" in text


def _is_exit(record: Record) -> bool:
    return (record.failure or {}).get("type") == "SystemExit"


def _of_record(record: Record, project: Path) -> Failure:
    failure: Mapping[str, Any] = record.failure or {}
    text = str(failure["text"])
    inner = _places(_frames_in(text.splitlines()), project)
    outer = _places(
        ((frame["path"], frame["line"], frame["function"]) for frame in failure["frames"]), project
    )
    kind, said = str(failure["type"]), text
    if inner:
        kind, said = _last_error(text.splitlines()) or (kind, said)
    return Failure(rank=record.rank, type=kind, text=said.strip(), traceback=(*outer, *inner))


def _of_signal(record: Record, errors: Iterable[str], project: Path) -> Failure:
    """A failure that ended the process without an exception: where its current thread was."""
    said, _, stacks = record.signal.partition("\n")
    current = stacks[max(stacks.find("Current thread"), 0) :].partition("\n\n")[0]
    places = _places(_frames_in(current.splitlines()), project)
    text = said.removeprefix("Fatal Python error: ")
    thrown = next((match["text"] for match in map(_THROWN.match, errors) if match is not None), "")
    text = f"{text}: {thrown}" if thrown else text
    return Failure(rank=record.rank, type="signal", text=text, traceback=places[::-1])


def _of_text(lines: Sequence[str], rank: int, code: int, project: Path) -> Failure:
    """A failure that only the standard error shows: it was caught, printed, and made an exit code."""
    begin = max((at for at, line in enumerate(lines) if _BEGIN in line), default=None)
    if begin is None:
        said = next((line for line in reversed(lines) if line.strip()), "")
        return Failure(rank=rank, type=_code(code), text=said.strip(), traceback=())
    shown = lines[begin:]
    kind, text = _last_error(shown) or (_code(code), "")
    return Failure(rank=rank, type=kind, text=text, traceback=_places(_frames_in(shown), project))


def _code(code: int) -> str:
    """An exit code, or the signal that it means."""
    try:
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    except ValueError:
        return f"exit code {code}"


def _last_error(lines: Sequence[str]) -> tuple[str, str] | None:
    matches = [match for match in map(_ERROR.match, lines) if match is not None]
    return (matches[-1]["type"].rpartition(".")[2], matches[-1]["text"]) if matches else None


def _frames_in(lines: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    for line in lines:
        frame = frame_of(line)
        if frame is not None:
            yield frame.path, frame.line, line.rpartition(" in ")[2] if " in " in line else ""


def _places(frames: Iterable[tuple[str, int, str]], project: Path) -> tuple[Place, ...]:
    found = (place_in(project, path, line, function) for path, line, function in frames)
    return tuple(place for place in found if place is not None)


def place_in(project: Path, path: str, line: int, function: str = "") -> Place | None:
    """A line as a place of the project; None of what is not its code."""
    if path.startswith("<"):
        return None
    real, top = os.path.realpath(path), os.path.realpath(project).rstrip(os.sep) + os.sep
    if not real.startswith(top):
        return None
    relative = real[len(top) :].replace(os.sep, "/")
    if any(part in _INSTALLED for part in relative.split("/")):
        return None
    return Place(relative, int(line), function)
