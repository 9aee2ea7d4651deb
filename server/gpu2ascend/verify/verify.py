"""Verifies a project: an interpreter is found or made, the project runs, and what it showed is merged."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions

from ..project.errors import InputError, writing
from ..project.paths import is_directory, shown
from .comparing import compared
from .environment.interpreter import Interpreter, inspect_interpreter
from .environment.private import private_environment
from .environment.requirements import wanted_packages
from .request import VerifyRequest
from .result.merge import merged
from .result.model import VerifyResult
from .running.entry import command_of, require_script
from .running.folder import FIRST_TO_LOAD_ITSELF, fill_folder
from .running.supervise import Ending, Plan, Run, run_project


class Listener(NamedTuple):
    """What a front end receives and answers while a project is verified."""

    tell: Callable[[Message], None]
    """What will be installed, and what is run."""
    heard: Callable[[int, str], None]
    """Each line that a process prints, with its number."""
    cancelled: Callable[[], bool] = lambda: False


def verify(request: VerifyRequest, options: MigrationOptions, listener: Listener) -> VerifyResult:
    """Run the project on the simulated device, and with a source the original on the CPU.

    This executes code of the project.

    Raises:
        InputError: the project, the command or the interpreter is not one that can be run.
        OutputError: there is no room for what is made.
        CancelledError: the listener cancelled; nothing is left running.
    """
    options = attrs.evolve(options, version=request.version)
    _require_directories(request)
    interpreter = _interpreter(request, listener)
    with tempfile.TemporaryDirectory(prefix="gpu2ascend-verify-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve() / "path"
        with writing(folder):
            folder.mkdir()
            fill_folder(folder, request.version)
        run = _run(request, interpreter, folder, listener, "npu", request.project)
        result = merged(request, run, interpreter, options)
        if request.source is None or run.ending is not Ending.DONE:
            return result
        original = _run(request, interpreter, folder, listener, "cpu", request.source)
        return attrs.evolve(result, comparison=compared(result.losses, original, request.source))


def _require_directories(request: VerifyRequest) -> None:
    for directory in (request.project, *((request.source,) if request.source is not None else ())):
        if not is_directory(directory):
            raise InputError(Message.of("verify.no-project", path=shown(directory)))


def _interpreter(request: VerifyRequest, listener: Listener) -> Interpreter:
    require_script(request.command, request.project)  # before anything is installed for it
    path = request.python
    if path is None:
        wanted = wanted_packages(request.project)
        path = private_environment(wanted, request.index, request.torch_index, listener.tell)
    return inspect_interpreter(path)


def _run(
    request: VerifyRequest,
    interpreter: Interpreter,
    folder: Path,
    listener: Listener,
    mode: str,
    directory: Path,
) -> Run:
    command = command_of(request.command, directory, interpreter.path)
    if command.is_launcher and request.ranks is not None:
        raise InputError(Message.of("verify.ranks-of-launcher", name=shown(request.command[0])))
    plan = Plan(
        command=command,
        python=interpreter.path,
        directory=directory,
        folder=folder,
        records=folder.parent / f"records-{mode}",
        ranks=request.ranks,
        steps=request.steps,
        seconds=request.seconds,
        seed=request.seed,
        mode=mode,
        version=str(request.version),
        loads_torch_npu=mode == "npu" and request.version >= FIRST_TO_LOAD_ITSELF,
        compares=request.source is not None,
    )
    key = "verify.runs" if mode == "npu" else "verify.runs-original"
    listener.tell(Message.of(key, command=shown(" ".join(command.arguments)), directory=shown(directory)))
    return run_project(plan, listener.heard, listener.cancelled)
