"""From a run to what is reported of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions

from ...project.paths import shown
from ..environment.emulation import Device
from ..environment.interpreter import Interpreter
from ..request import VerifyRequest
from ..running.records import Record
from ..running.supervise import Ending, Run
from .coverage import coverage_of, files_without
from .explain import explained, rules_in
from .failures import first_failure, place_in
from .missing_files import file_beside
from .model import Failure, OperatorUse, Place, RankResult, Refusal, VerifyResult
from .stacks import hang
from .usual import usual_command

_ALWAYS = ("precision", "speed", "memory", "kernels")
"""What a simulated device cannot show, whatever ran."""
_EXPLAINED = ("verify.cause.", "verify.module.", "verify.removed.")
_NO_FILE = ("RuntimeError", "ImportError", "ModuleNotFoundError")
"""What raises for other reasons than a file that was silently not found."""
_CHOOSES_CUDA = ("NPU201.served", "NPU401.served")
"""What is found where a project has both the NPU and CUDA, and takes CUDA by default."""


_OF_ARGUMENTS = "verify.cause.arguments.cause"


class Observed(NamedTuple):
    """What ran on the device, over all processes."""

    operators: int
    unregistered: tuple[OperatorUse, ...]
    refusals: tuple[Refusal, ...]


def observed(records: Iterable[Record], project: Path, facts: Facts) -> Observed:
    """The operators and refusals of all processes; an operator with its overloads counts once."""
    uses: dict[str, OperatorUse] = {}
    refusals: dict[tuple[str, str, str, Place | None], int] = {}
    for record in records:
        for item in record.notes.get("operators", ()):
            name = _plain(item["name"])
            before = uses.get(name)
            place = before.place if before is not None and before.place else _place(item["line"], project)
            uses[name] = OperatorUse(name, item["count"] + (before.count if before else 0), place)
        for item in record.notes.get("refusals", ()):
            key = (item["kind"], _plain(item["operator"]), item["detail"], _place(item["line"], project))
            refusals[key] = refusals.get(key, 0) + item["count"]
    return Observed(
        len(uses),
        tuple(sorted(_unregistered(uses, facts), key=lambda use: (-use.count, use.name))),
        tuple(
            Refusal(kind, name, detail, count, place)
            for (kind, name, detail, place), count in refusals.items()
        ),
    )


def _unregistered(uses: Mapping[str, OperatorUse], facts: Facts) -> Iterator[OperatorUse]:
    """Those for which torch_npu has no kernel. Without a table of a release nothing can be said."""
    if facts.wheel is None:
        return
    for use in uses.values():
        namespace, _, name = use.name.partition("::")
        if namespace == "aten" and not facts.has_kernel(f"torch.ops.aten.{name}"):
            yield use


def _plain(name: str) -> str:
    return name.partition(".")[0]


def _place(line: Any, project: Path) -> Place | None:
    return None if line is None else place_in(project, str(line[0]), int(line[1]))


def merged(
    request: VerifyRequest, run: Run, interpreter: Interpreter, device: Device, options: MigrationOptions
) -> VerifyResult:
    """The result of a run, explained. Raises ProjectError: the project cannot be examined."""
    ranks = tuple(_ranks(run.records))
    facts = Facts.load(device.release_or(request.version), options.hardware)
    seen = observed(run.records, request.project, facts)
    coverage = coverage_of(request.project, run.records)
    idle = files_without(request.project, coverage)
    is_on_cpu = any(rank.steps for rank in ranks) and all(rank.steps == rank.steps_on_cpu for rank in ranks)
    worlds = [record.world for record in run.records]
    torch = next((record.torch for record in run.records if record.torch), interpreter.torch)
    return VerifyResult(
        project=request.project,
        command=request.command,
        version=str(request.version),
        torch=torch,
        python=interpreter.python,
        ending=run.ending,
        codes=run.codes,
        asked_steps=request.steps,
        asked_ranks=max([request.ranks or 1, *worlds]),
        ranks=ranks,
        seconds=run.seconds,
        seconds_per_step=_seconds_per_step(run.records),
        coverage=coverage,
        not_loaded=idle,
        failure=_failure(request, run, options, idle),
        left_on_cpu=tuple(rules_in(request.project, _CHOOSES_CUDA, options, idle)) if is_on_cpu else (),
        unregistered=seen.unregistered,
        torch_npu=device.torch_npu,
        device_reason=device.reason,
        operators=seen.operators,
        refusals=seen.refusals,
        made_up=tuple(dict.fromkeys(data for record in run.records for data in record.made_up)),
        differences=tuple(_differences(request, torch, device, len(ranks))),
    )


def _ranks(records: Sequence[Record]) -> Iterator[RankResult]:
    """The ranks; where no process is one, those that were not started by another."""
    numbers = {record.pid for record in records}
    chosen = [record for record in records if record.trains]
    chosen += _without_steps(records, {record.rank for record in chosen})
    if not chosen:
        chosen = [record for record in records if record.parent not in numbers]
    for record in sorted(chosen, key=lambda record: record.rank):
        yield RankResult(record.rank, record.steps, record.losses, record.stacks, record.steps_on_cpu)


def _without_steps(records: Sequence[Record], known: Set[int]) -> Iterator[Record]:
    """Ranks that have not come to a step, but for processes that a rank started."""
    places = {record.pid: (record.rank, record.world) for record in records}
    for record in records:
        place = (record.rank, record.world)
        if record.world > 1 and record.rank not in known and places.get(record.parent) != place:
            yield record


def _failure(
    request: VerifyRequest, run: Run, options: MigrationOptions, idle: Collection[str]
) -> Failure | None:
    if run.ending is Ending.DONE:
        return None
    failure = first_failure(run, request.project)
    if failure is None and run.ending is Ending.TIMEOUT:
        failure = hang(run, request.project, request.seconds)
    if failure is None:
        return None
    found = explained(failure, request.project, options, idle)
    elsewhere = next((record.elsewhere for record in run.records if record.elsewhere), "")
    is_open = not (found.rules or any(record.trains for record in run.records)) and not _is_known(found)
    beside = file_beside(elsewhere, request.command[0], request.project) if elsewhere and is_open else None
    if beside is not None:
        found = attrs.evolve(found, cause=beside[0], remedy=beside[1])
    return _with_usual_command(found, request)


def _is_known(failure: Failure) -> bool:
    """Whether a failure has a reason of its own, which is no file that was not found."""
    is_explained = failure.cause is not None and failure.cause.id.startswith(_EXPLAINED)
    return failure.type in _NO_FILE or (is_explained and failure.type != "FileNotFoundError")


def _with_usual_command(failure: Failure, request: VerifyRequest) -> Failure:
    """Of arguments that a script does not take, those that the project gives it."""
    script = next((word for word in request.command if word.endswith(".py")), None)
    if failure.cause is None or failure.cause.id != _OF_ARGUMENTS or script is None:
        return failure
    command = usual_command(request.project, script)
    if command is None:
        return failure
    return attrs.evolve(failure, remedy=Message.of("verify.usual-command", command=shown(command)))


def _seconds_per_step(records: Sequence[Record]) -> float | None:
    """The mean time from one step to the next, of the slowest rank."""
    times = [record.seconds / (record.steps - 1) for record in records if record.steps > 1]
    return max(times) if times else None


def _differences(request: VerifyRequest, torch: str, device: Device, ranks: int) -> Iterator[Message]:
    if device.torch_npu is not None and device.release_or(request.version) != request.version:
        yield Message.of("verify.expect.release", ran=device.torch_npu, version=request.version)
    elif not torch.startswith(str(request.version)):
        yield Message.of("verify.expect.torch", torch=torch, version=request.version)
    if device.torch_npu is not None:
        yield Message.of("verify.expect.emulated")
    if device.has_cuda:
        yield Message.of("verify.expect.without-cuda")
    if request.older:
        yield Message.of("verify.expect.older", packages=", ".join(request.older))
    for name in _ALWAYS:
        yield Message.of(f"verify.expect.{name}")
    if ranks > 1:
        yield Message.of("verify.expect.hccl" if device.torch_npu is None else "verify.expect.hccl-emulated")
