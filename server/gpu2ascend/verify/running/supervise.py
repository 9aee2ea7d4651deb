"""One run: the processes are started, watched until all ranks are done or something ends them, and ended."""

from __future__ import annotations

import enum
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message

from ...project.errors import CancelledError, InputError, reason
from ...project.paths import shown
from .entry import Command, console_scripts, environment_of, environments_of_ranks, packages_of
from .memory import memory_of_device
from .processes import Heard, Processes
from .records import Record, read_records
from .starters import put_starters

_PAUSE = 0.1
_GRACE = 5.0
"""Seconds after the end of a rank in which the others may end by themselves, and say why."""
_LEAVING = 3.0
"""Seconds in which processes write their last record when they are asked to finish."""
_LATE = 3.0
"""Seconds after the deadline until all stacks are written."""
FINISH = "finish"


class Ending(enum.Enum):
    """How a run ended."""

    DONE = "done"
    """Every rank made the steps that were asked for."""
    EXITED = "exited"
    """The processes ended before."""
    TIMEOUT = "timeout"


@attrs.frozen(kw_only=True)
class Plan:
    """A run to be made."""

    command: Command
    python: Path
    directory: Path
    folder: Path
    """On PYTHONPATH: what takes part in the processes."""
    records: Path
    ranks: int | None
    steps: int
    seconds: float
    seed: int
    mode: str = "npu"
    """``npu``, or ``cpu`` for an original with CUDA mapped to the CPU."""
    compares: bool = False
    fakes_data: bool = False
    """Whether samples are made up in place of data that is not here."""
    kept: Mapping[str, Sequence[int]] = attrs.field(factory=dict)
    """Lines that may ask for CUDA, by path."""
    variables: Mapping[str, str] = attrs.field(factory=dict)
    """Of the environment of every process, before all others."""
    limits: Mapping[str, Mapping[str, object]] = attrs.field(factory=dict)
    """Data types that operators do not take, where the module torch_npu does not know them."""


@attrs.frozen(kw_only=True)
class Run:
    """A run that has ended."""

    ending: Ending
    records: tuple[Record, ...]
    codes: tuple[int | None, ...]
    """Of the processes that the command started, in the order of ranks; None for one that was killed."""
    errors: tuple[tuple[str, ...], ...]
    """The last lines of the standard error of each."""
    seconds: float


def run_project(plan: Plan, heard: Heard, cancelled: Callable[[], bool]) -> Run:
    """Run a project.

    Raises:
        InputError: the command cannot be started.
        CancelledError: ``cancelled`` became true; nothing is left running.
    """
    began = time.time()
    settings = _write_settings(plan, began + plan.seconds)
    put_starters(plan.folder, plan.python, console_scripts(plan.directory))
    common = environment_of(plan.folder, settings, plan.python, packages_of(plan.directory))
    common |= {**memory_of_device(plan.ranks), **plan.variables}
    environments = environments_of_ranks(common, plan.ranks)
    try:
        processes = Processes(plan.command.arguments, environments, plan.directory, heard)
    except OSError as error:
        name = shown(plan.command.arguments[0])
        raise InputError(Message.of("verify.cannot-start", name=name, reason=reason(error))) from error
    codes: Sequence[int | None] = ()
    try:
        ending = _watch(plan, processes, began + plan.seconds, cancelled)
        codes = processes.codes()
        _let_finish(plan.records, processes)
    finally:
        processes.end([record.pid for record in read_records(plan.records) if record.ended is None])
    return Run(
        ending=ending,
        records=tuple(read_records(plan.records)),
        codes=tuple(codes),
        errors=tuple(tuple(lines) for lines in processes.errors),
        seconds=time.time() - began,
    )


def _write_settings(plan: Plan, deadline: float) -> Path:
    plan.records.mkdir(mode=0o700, exist_ok=True)
    path = plan.folder / f"{plan.mode}.settings"
    settings = {
        "root": os.path.realpath(plan.directory),
        "records": str(plan.records),
        "steps": plan.steps,
        "deadline": deadline,
        "seed": plan.seed,
        "supervisor": os.getpid(),
        "mode": plan.mode,
        "compares": plan.compares,
        "kept": plan.kept,
        "limits": plan.limits,
        "fakes_data": plan.fakes_data,
    }
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path


def _watch(plan: Plan, processes: Processes, deadline: float, cancelled: Callable[[], bool]) -> Ending:
    first_end: float | None = None
    while True:
        if cancelled():
            raise CancelledError()
        codes = processes.codes()
        records = read_records(plan.records)
        if _are_done(records, plan.ranks):
            return Ending.DONE
        if all(code is not None for code in codes):
            return Ending.EXITED
        now = time.time()
        if first_end is None and _someone_failed(codes, records):
            first_end = now
        if first_end is not None and now > first_end + _GRACE:
            return Ending.EXITED
        if now > deadline + _LATE:
            return Ending.TIMEOUT
        time.sleep(_PAUSE)


def _someone_failed(codes: Sequence[int | None], records: Sequence[Record]) -> bool:
    """Whether a process ended with an error, or a rank that waits for others in vain did."""
    if any(codes):
        return True
    return any(record.failure is not None and record.ended is not None for record in records)


def _are_done(records: Sequence[Record], ranks: int | None) -> bool:
    done = [record for record in records if record.is_done]
    needed = max([ranks or 1, *(record.world for record in done)])
    return len({record.rank if needed > 1 else record.pid for record in done}) >= needed


def _let_finish(records: Path, processes: Processes) -> None:
    """Give every process the time to write what it has noted."""
    (records / FINISH).touch()
    until = time.time() + _LEAVING
    while time.time() < until and any(code is None for code in processes.codes()):
        time.sleep(_PAUSE / 2)
