"""Runs git so that a repository cannot have it run anything, and the only place that starts it.

git is named by its absolute path and started without a shell, in the top directory. Of the environment it
gets what is known to be harmless. The settings of a repository may name programs: those that
commands of plumbing would run are turned off here, and so is everything that reaches another host. What is
left are filters of ``.gitattributes``, which run where git reads or writes files of a work tree: so no
command is run that does. Settings of the user count, since they are not the project's: who may be trusted,
and who the author is.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message

from ..errors import InputError, reason
from ..paths import is_file, shown

_PLACES = (
    "/usr/bin/git",
    "/usr/local/bin/git",
    "/opt/homebrew/bin/git",
    "/bin/git",
    "C:/Program Files/Git/cmd/git.exe",
)
"""Where git is installed. PATH is not asked: it may lead into a project."""
_SECONDS = 120
_NOTHING = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "false",
    "core.sshCommand": "false",
    "core.gitProxy": "false",
    "core.alternateRefsCommand": "false",
    "core.untrackedCache": "false",
    "credential.helper": "",
    "diff.external": "",
    "log.showSignature": "false",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "protocol.allow": "never",
}
"""Settings that name programs, or have git start some, and what they are instead."""
_VARIABLES = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
}
_KEPT = ("HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE")
_PEOPLE = ("GIT_AUTHOR_", "GIT_COMMITTER_")
"""The variables of the environment that git gets: none names a repository, a configuration or a program."""


class Answer(NamedTuple):
    """What git printed."""

    code: int
    output: bytes
    error: str

    @property
    def line(self) -> str:
        """The output as one line of text, as a path may be."""
        return os.fsdecode(self.output.removesuffix(b"\n").removesuffix(b"\r"))


def git_program() -> str | None:
    """The absolute path of git; None where it is not installed."""
    return next((place for place in _PLACES if is_file(Path(place))), None)


def run_git(
    directory: Path, *arguments: str, given: bytes = b"", variables: Mapping[str, str] | None = None
) -> Answer:
    """Run a command of plumbing in a directory, isolated, and wait for its end.

    Args:
        arguments: Of a command that reads and writes no file of the work tree; see the module. What a user
            or a project names must not begin with a dash.
        given: The standard input.
        variables: More of the environment, such as ``GIT_INDEX_FILE``.

    Raises:
        InputError: git is not installed, cannot be started, or does not end.
    """
    settings = [word for name, value in _NOTHING.items() for word in ("-c", f"{name}={value}")]
    flags = ("--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs")
    return _run(directory, [*flags, *settings], arguments, given, _environment(variables or {}))


def run_hook(directory: Path, name: str, *arguments: str) -> Answer:
    """Run a hook of a repository as git itself does: only where the user asks for it.
    Raises InputError: git is not installed, cannot be started, or does not end."""
    words = ["--", *arguments] if arguments else []
    command = ("hook", "run", "--ignore-missing", name, *words)
    return _run(directory, [], command, b"", {**os.environ, "GIT_EDITOR": ":"})


def _run(
    directory: Path, flags: Sequence[str], command: Sequence[str], given: bytes, variables: Mapping[str, str]
) -> Answer:
    program = git_program()
    if program is None:
        raise InputError(Message.of("git.missing", places=", ".join(_PLACES[:3])))
    try:
        done = subprocess.run(
            [program, *flags, "-C", str(directory), *command],
            input=given,
            capture_output=True,
            cwd=Path(program).anchor,
            env=variables,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(Message.of("git.hangs", path=shown(directory), seconds=_SECONDS)) from error
    except OSError as error:
        raise InputError(Message.of("git.cannot-start", path=program, reason=reason(error))) from error
    return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip())


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    """What is known to be harmless, who the author is, and a path that leads to the system only."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_PEOPLE)}
    if os.name != "nt":
        kept["PATH"] = "/usr/bin:/bin"
    return {**kept, **_VARIABLES, **more}
