"""Verifies a project: an interpreter is found or made, the project runs, and what it showed is merged."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.targets.registry import target_named

from ..project.errors import InputError, writing
from ..project.leftovers import scratch_folder
from ..project.manifest.marker import read_marker
from ..project.paths import is_directory, is_file, shown
from .comparing import compared
from .environment.emulation import Choice, Device, device_of, has_wheels
from .environment.interpreter import FIRST_WITH_DEVICE, Interpreter, inspect_interpreter
from .environment.private import NoWheelError, private_environment
from .environment.requirements import follows_torch, wanted_packages
from .request import VerifyRequest, original_of
from .result.explain import removed_name
from .result.faults import blamed, without_made_up
from .result.merge import merged
from .result.missing_files import ELSEWHERE, command_in
from .result.model import Failure, VerifyResult
from .running.entry import command_of, require_script
from .running.kept import kept_lines
from .running.programs import Hearing
from .running.release import limits, put_torch_npu
from .running.supervise import Ending, Plan, Run, run_project
from .running.words import devices_named, words_of_original
from .showing.filling import fill_page

_PACKAGE = "gpu2ascend_simulator"
_DEVICES, _VISIBLE = "GPU2ASCEND_NPU_COUNT", 2
"""The variable for how many NPUs a process sees, and as many as it sees without."""
_MOST_OLDER = 4
"""Releases that a run begins again for: each one is an environment."""
_Again: TypeAlias = tuple[VerifyRequest, Interpreter]
"""What is run in place of a command that failed."""


def fill_folder(folder: Path) -> None:
    """Put what takes part in the processes into an empty folder."""
    with as_file(files(_PACKAGE)) as package:
        shutil.copytree(package, folder / _PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(package / "session" / "site" / "sitecustomize.py", folder / "sitecustomize.py")


class Listener(NamedTuple):
    """What a front end receives and answers while a project is verified."""

    tell: Callable[[Message], None]
    """What will be installed, and what is run."""
    heard: Callable[[int, str], None]
    """Each line that a process prints, with its number."""
    cancelled: Callable[[], bool] = lambda: False
    installing: Callable[[str], None] = lambda line: None
    """Each line that venv and pip print."""


def verify(request: VerifyRequest, options: MigrationOptions, listener: Listener) -> VerifyResult:
    """Run the project on the simulated device, and with a source the original on the CPU.

    This executes code of the project. Of a migrated project the report page says then what the run showed.

    Raises:
        InputError: the project, the command or the interpreter is not one that can be run.
        OutputError: there is no room for what is made.
        CancelledError: the listener cancelled; nothing is left running.
    """
    options = _options_of(request, options)
    _require_directories(request)
    if not options.target.is_simulated:
        raise InputError(Message.of("verify.not-simulated", path=shown(request.project)))
    interpreter = _interpreter(request, listener)
    result = _result(request, options, interpreter, listener)
    page = fill_page(result, time.time())
    if page is not None:
        listener.tell(Message.of("verify.page", path=shown(page)))
    return attrs.evolve(result, page=page)


def _options_of(request: VerifyRequest, options: MigrationOptions) -> MigrationOptions:
    """The options by which the project is judged: with the target that it was migrated to."""
    marker = read_marker(request.project)
    named = target_named(marker.target) if marker is not None and marker.target is not None else None
    return attrs.evolve(options, version=request.version, target=named or options.target)


def _result(
    request: VerifyRequest, options: MigrationOptions, interpreter: Interpreter, listener: Listener
) -> VerifyResult:
    with scratch_folder() as folder:
        place = folder.resolve()
        device, run = _run(request, interpreter, options, place, listener)
        result = merged(request, run, interpreter, device, options)
        again = _older(request, result.failure, listener)
        again = again or _in_its_folder(request, result.failure, interpreter, listener)
        if again is None and run.ending is Ending.DONE and request.source is not None:
            original = _run_original(request, request.source, interpreter, device, place, listener)
            return attrs.evolve(result, comparison=compared(result.losses, run, original, request.source))
        if again is None and result.failure is None:
            return result
        if again is None:
            failure = _blamed(request, result, interpreter, device, place, listener)
            return attrs.evolve(result, failure=without_made_up(failure) if result.made_up else failure)
    return _result(again[0], options, again[1], listener)


def _older(request: VerifyRequest, failure: Failure | None, listener: Listener) -> _Again | None:
    """The same with the releases that the code was written for, where a package has removed what it asks for
    and the environment is ours."""
    removed = removed_name(failure) if failure is not None and request.python is None else None
    if removed is None or follows_torch(removed.package) or removed.specifier in request.older:
        return None
    if len(request.older) == _MOST_OLDER:
        return None
    listener.tell(Message.of("verify.older", packages=removed.specifier))
    asked = attrs.evolve(request, older=(*request.older, removed.specifier))
    try:
        return asked, _interpreter(asked, listener)
    except InputError as error:
        listener.tell(error.message)
        return None


def _in_its_folder(
    request: VerifyRequest, failure: Failure | None, interpreter: Interpreter, listener: Listener
) -> _Again | None:
    """The same with the script started where it finds the files that it reads."""
    cause = failure.cause if failure is not None else None
    script = request.command[0]
    if cause is None or cause.id != ELSEWHERE or request.ranks is not None or shutil.which("bash") is None:
        return None
    given = dict(cause.arguments)
    folder = PurePosixPath(str(given["folder"]))
    if not PurePosixPath(script).is_relative_to(folder) or not is_file(request.project / script):
        return None
    named = (word.rpartition("=")[2] for word in request.command[1:])
    if any(word and (request.project / word).exists() for word in named):  # not found from there
        return None
    listener.tell(Message.of("verify.elsewhere", path=given["path"], folder=given["folder"]))
    return attrs.evolve(request, command=command_in(folder, request.command)), interpreter


def _blamed(
    request: VerifyRequest,
    result: VerifyResult,
    interpreter: Interpreter,
    device: Device,
    place: Path,
    listener: Listener,
) -> Failure:
    """The failure with whose fault it is: where the original is at hand, it runs to the same place."""
    assert result.failure is not None
    source = request.source or original_of(request.project)
    steps = max((rank.steps for rank in result.ranks), default=0)
    if source is None or not request.runs_original or result.ending is Ending.TIMEOUT:
        return blamed(result.failure, steps, None)
    asked = attrs.evolve(request, steps=steps + 1)
    try:
        original = _run_original(asked, source, interpreter, device, place, listener)
    except InputError:  # it has not the script, or not the launcher
        return blamed(result.failure, steps, None)
    return blamed(result.failure, steps, original, source)


def _require_directories(request: VerifyRequest) -> None:
    for directory in (request.project, *((request.source,) if request.source is not None else ())):
        if not is_directory(directory):
            raise InputError(Message.of("verify.no-project", path=shown(directory)))


def _interpreter(request: VerifyRequest, listener: Listener) -> Interpreter:
    require_script(request.command, request.project)  # before anything is installed for it
    path = request.python
    if path is None and request.device is not Choice.PYTHON and has_wheels():
        try:
            path = _environment(request, request.version, listener)
        except NoWheelError as error:
            if request.device is Choice.EMULATED:
                raise
            listener.tell(error.message)
    return inspect_interpreter(path or _environment(request, None, listener))


def _environment(request: VerifyRequest, release: Version | None, listener: Listener) -> Path:
    """The interpreter of an environment of ours, with torch_npu of a release or without it."""
    wanted = wanted_packages(
        request.project, allows_sources=request.allows_sources, release=release, older=request.older
    )
    hearing = Hearing(listener.installing, listener.cancelled)
    return private_environment(wanted, request.index, request.torch_index, listener.tell, hearing)


def _run(
    request: VerifyRequest,
    interpreter: Interpreter,
    options: MigrationOptions,
    place: Path,
    listener: Listener,
) -> tuple[Device, Run]:
    """Run the migrated project."""
    kept = kept_lines(request.project, options)
    named = devices_named(request.command)
    more = {_DEVICES: str(named)} if named > _VISIBLE and _DEVICES not in os.environ else {}
    plan = _plan(request, interpreter, place / "npu", request.project)
    plan = attrs.evolve(plan, kept=kept, variables=more)
    _fill(plan.folder)
    device = device_of(interpreter, plan.folder, request.device)
    if device.torch_npu is not None:
        refused = limits(device.release_or(request.version))
        plan = attrs.evolve(plan, variables={**plan.variables, **device.variables}, limits=refused)
        return device, _started("verify.runs-emulated", plan, listener, version=device.torch_npu)
    if not interpreter.has_device:
        given = {"torch": interpreter.torch, "needed": FIRST_WITH_DEVICE, "why": device.reason or ""}
        raise InputError(Message.of("verify.no-device", path=shown(interpreter.path), **given))
    with writing(plan.folder):
        put_torch_npu(plan.folder, request.version)
    return device, _started("verify.runs", plan, listener)


def _run_original(
    request: VerifyRequest,
    source: Path,
    interpreter: Interpreter,
    device: Device,
    place: Path,
    listener: Listener,
) -> Run:
    """Run what was migrated, with CUDA mapped to the CPU."""
    request = attrs.evolve(request, command=words_of_original(request.command))
    without_npu = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    plan = _plan(request, interpreter, place / "cpu", source)
    plan = attrs.evolve(plan, mode="cpu", variables={**device.paths, **without_npu})
    _fill(plan.folder)
    return _started("verify.runs-original", plan, listener)


def _fill(folder: Path) -> None:
    with writing(folder):
        folder.mkdir(parents=True)
        fill_folder(folder)


def _plan(request: VerifyRequest, interpreter: Interpreter, place: Path, directory: Path) -> Plan:
    command = command_of(request.command, directory, interpreter.path)
    if command.is_launcher and request.ranks is not None:
        raise InputError(Message.of("verify.ranks-of-launcher", name=shown(request.command[0])))
    return Plan(
        command=command,
        python=interpreter.path,
        directory=directory,
        folder=place / "path",
        records=place / "records",
        ranks=request.ranks,
        steps=request.steps,
        seconds=request.seconds,
        seed=request.seed,
        compares=request.source is not None,
        fakes_data=request.fakes_data,
    )


def _started(message_id: str, plan: Plan, listener: Listener, **more: str) -> Run:
    command, directory = shown(" ".join(plan.command.arguments)), shown(plan.directory)
    listener.tell(Message.of(message_id, command=command, directory=directory, **more))
    return run_project(plan, listener.heard, listener.cancelled)
