"""The launch scripts of a migrated project, filled in from their templates.

The numbers that are in the templates (port 29688, eight devices, the names of the variables) are those
that users of Ascend know from the vendor's own template; what each way of launching must pass on is that of
its documentation: torch.distributed.run and launch, torch.multiprocessing.spawn, torch_npu_run.
"""

from __future__ import annotations

import enum
from pathlib import PurePosixPath
from typing import NamedTuple

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.choices import Launcher

from ...texts.shell import shell_word
from .environment import EnvironmentFile, Need, environment_file, filled, template

DEFAULT_SCRIPT = "run_distributed_npu.sh"
RANK_TABLE_SCRIPT = "run_distributed_ascend.sh"
MSRUN_SCRIPT = "run_msrun.sh"
PLACEHOLDER = "please input your shell script here"
"""What is in the place of a command that could not be determined. A script with it refuses to run."""
_SPAWNER = "launch_spawn.py"
_EXECUTABLE, _PLAIN = 0o755, 0o644


class LaunchFile(NamedTuple):
    """One file for the top directory of a migrated project."""

    name: str
    text: str
    mode: int


class _ScriptPart(enum.Enum):
    """What several scripts have in common."""

    USAGE = "usage"
    HOSTS = "hosts"
    PROCESSES = "processes"
    WAIT = "wait"


_SOURCED = "# shellcheck source=/dev/null\nsource ./@ENVIRONMENT@\n"
_SAID = {
    "SAY_COMMAND": "project.launch-command",
    "SAY_USAGE": "project.launch-usage",
    "SAY_ARGUMENTS": "project.launch-arguments",
    "SAY_FILE": "project.launch-file",
    "SAY_RANKS": "project.launch-ranks",
    "SAY_RANK": "project.launch-rank",
    "SAY_EVERY_HOST": "project.launch-every-host",
    "SAY_ADDRESS": "project.launch-address",
    "SAY_FAILED": "project.launch-failed",
}
"""What scripts print; a text is between double quotes there."""
_LOGS = {
    DEFAULT_SCRIPT: "output_npu_*.log",
    RANK_TABLE_SCRIPT: "train*.log",
    "run_shell.sh": "output_rank_*.log",
}


def launch_files(
    entry: str | None,
    launcher: Launcher | None = None,
    nnodes: int = 1,
    environment: EnvironmentFile | None = None,
    language: str = "en",
) -> list[LaunchFile]:
    """The scripts for a project.

    ``entry`` is the training script, as a path from the project's directory; ``None`` if the command that
    starts the training is not known. Without a launcher there is the one script for a single host; with
    one, also its script for one host or ``nnodes``, the form with a rank table, and the environment. The
    scripts source ``environment``; without one, that of a project which trains in several processes. What
    they print is in ``language``.
    """
    environment = environment or environment_file(needs=(Need.COLLECTIVES,))
    sourced = {"ENVIRONMENT": environment.name}
    command = PLACEHOLDER if entry is None else f'python3 -u {_quoted(entry)} "$@"'
    made = [_script(DEFAULT_SCRIPT, {"COMMAND": command, **sourced}, language)]
    if launcher is None:
        return made
    name = f"run_{launcher.value}.sh"
    script = _quoted(entry) if entry is not None else '"${ENTRY:?the training script}"'
    made += [
        _script(name, {"ENTRY": script, "NNODES": str(nnodes), "NAME": name, **sourced}, language),
        _script(RANK_TABLE_SCRIPT, {"COMMAND": command, **sourced}, language),
        LaunchFile(*environment, _PLAIN),
    ]
    if launcher is Launcher.SPAWN:
        made.append(LaunchFile(_SPAWNER, template(_SPAWNER), _PLAIN))
    return made


def msrun_files(entry: str | None, language: str = "en") -> list[LaunchFile]:
    """The scripts for a project that was migrated to MindSpore: by msrun, and with a rank table.

    ``entry`` and ``language`` are as for :func:`launch_files`. MindSpore sets its own environment.
    """
    started = PLACEHOLDER if entry is None else f'start {_quoted(entry)} "$@"'
    command = PLACEHOLDER if entry is None else f'python3 -u {_quoted(entry)} "$@"'
    return [
        _script(MSRUN_SCRIPT, {"COMMAND": started}, language),
        _script(RANK_TABLE_SCRIPT, {"COMMAND": command}, language),
    ]


def _quoted(path: str) -> str:
    """A path as the shell reads it; one that could be taken for an option begins with ``./``."""
    return shell_word(PurePosixPath(path))


def _script(name: str, values: dict[str, str], language: str) -> LaunchFile:
    text = template(name)
    if "ENVIRONMENT" not in values:
        text = text.replace(_SOURCED, "")
    for part in _ScriptPart:
        if f"@{part.name}@\n" in text:
            text = text.replace(f"@{part.name}@\n", template(f"parts/{part.value}.sh"))
    logs = _LOGS.get(name, "")
    said = {
        key: render(Message.of(message, placeholder=PLACEHOLDER, logs=logs), language)
        for key, message in _SAID.items()
    }
    return LaunchFile(name, filled(text, {**said, **values}), _EXECUTABLE)
