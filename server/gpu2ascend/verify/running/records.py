"""What the processes of a run wrote down: see ``gpu2ascend_simulator.session``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from ...project.paths import is_file
from ...project.regular_files import read_regular

_MAX_BYTES = 50_000_000
_ANY_SUFFIX = ".json"
STACKS = ".stacks"
SIGNAL = ".signal"
TRACE = ".trace"
_OURS = re.compile(r"gpu2ascend_simulator[/\\\\]session")


@attrs.frozen(kw_only=True)
class Record:
    """One process, as it saw itself last."""

    pid: int
    parent: int
    program: tuple[str, ...]
    rank: int
    world: int
    steps: int
    steps_on_cpu: int = 0
    is_done: bool
    losses: tuple[float, ...]
    lines: Mapping[str, tuple[int, ...]]
    failure: Mapping[str, Any] | None
    torch: str | None
    notes: Mapping[str, Any]
    seconds: float
    ended: float | None
    made_up: tuple[str, ...] = ()
    elsewhere: str = ""
    """A file that is beside the script, and not where it was started."""
    stacks: str = ""
    """Its threads' stacks, if it ran out of time."""
    signal: str = ""
    """Why and where a signal ended it, if one did."""
    trace: Path | None = None
    """Where its tensors are, if it trained and they were to be compared."""

    @property
    def trains(self) -> bool:
        """Whether it is a rank: it made a step."""
        return self.steps > 0


def read_records(folder: Path) -> list[Record]:
    """The records of a run, by rank and process. One that is just being written is left for the next time."""
    found = list(_records(folder))
    return sorted(found, key=lambda record: (record.rank, record.pid))


def _records(folder: Path) -> Iterator[Record]:
    for path in sorted(folder.glob(f"*{_ANY_SUFFIX}")):
        try:
            record = _record(json.loads(read_regular(path, _MAX_BYTES)), _stacks(path))
            trace = path.with_suffix(TRACE)
            yield attrs.evolve(
                record, signal=_text(path.with_suffix(SIGNAL)), trace=trace if is_file(trace) else None
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue


def _record(content: Mapping[str, Any], stacks: str) -> Record:
    return Record(
        pid=int(content["pid"]),
        parent=int(content["parent"]),
        program=tuple(map(str, content["program"])),
        rank=int(content["rank"]),
        world=int(content["world"]),
        steps=int(content["steps"]),
        steps_on_cpu=int(content["steps_on_cpu"]),
        is_done=bool(content["is_done"]),
        losses=tuple(map(float, content["losses"])),
        lines={str(path): tuple(map(int, lines)) for path, lines in content["lines"].items()},
        failure=content["failure"],
        torch=content["torch"],
        notes=content["notes"] or {},
        made_up=tuple(map(str, content["made_up"])),
        elsewhere=str(content["elsewhere"]),
        seconds=float(content["seconds"]),
        ended=content["ended"],
        stacks=stacks,
    )


def _stacks(path: Path) -> str:
    threads = re.split(r"\n(?=Thread 0x|Current thread 0x)", _text(path.with_suffix(STACKS)).strip())
    return "\n".join(thread for thread in threads if not _OURS.search(thread) or "wait_for_the_end" in thread)


def _text(path: Path) -> str:
    try:
        return read_regular(path, _MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
