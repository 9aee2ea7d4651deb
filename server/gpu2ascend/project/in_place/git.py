"""git, and the only place where this program starts it.

It is named by its absolute path, and what a repository or a user could have it run is turned off: monitors of
the file system, hooks, pagers, signing, transports. No command is used that reads files of the work tree, so
that filters, textconv and external differences never run.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ..errors import InputError
from ..paths import is_file, shown

_PLACES = (
    "/usr/bin/git",
    "/usr/local/bin/git",
    "/opt/homebrew/bin/git",
    r"C:\Program Files\Git\cmd\git.exe",
)
"""Where git is installed. PATH is not asked: it may lead into a project."""
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.untrackedCache": "false",
    "core.sshCommand": "false",
    "credential.helper": "",
    "commit.gpgSign": "false",
    "protocol.allow": "never",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_KEPT = ("HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE")
_OWN = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
_PEOPLE = ("GIT_AUTHOR_", "GIT_COMMITTER_")


class GitFailedError(Exception):
    """A command of git ended with an error; the text is what it printed."""


class Git:
    """git in one directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._path = git_path()

    def __call__(self, *arguments: str, given: bytes = b"", index: Path | None = None) -> bytes:
        """What a command prints.

        Args:
            given: Its standard input.
            index: A file that takes the place of the repository's index.

        Raises:
            GitFailedError: it ended with an error.
        """
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        more = {"GIT_INDEX_FILE": str(index)} if index is not None else {}
        return self._run([*settings, *arguments], {**environment(), **more}, given)

    def hook(self, name: str, *arguments: str) -> None:
        """Run a hook of the repository, as the user asked for.

        Raises:
            GitFailedError: it refuses, or this git cannot run single hooks.
        """
        words = ["--", *arguments] if arguments else []
        self._run(["hook", "run", "--ignore-missing", name, *words], {**os.environ, "GIT_EDITOR": ":"}, b"")

    def text(self, *arguments: str) -> str:
        """The line that a command prints.

        Raises:
            GitFailedError: it ended with an error.
        """
        return os.fsdecode(self(*arguments).removesuffix(b"\n"))

    def _run(self, arguments: list[str], variables: Mapping[str, str], given: bytes) -> bytes:
        command = [self._path, "-C", str(self._directory), *arguments]
        try:
            done = subprocess.run(command, input=given, capture_output=True, env=variables, check=False)
        except OSError as error:
            raise GitFailedError(str(error)) from error
        if done.returncode:
            raise GitFailedError((done.stderr or done.stdout).decode("utf-8", "replace").strip())
        return done.stdout


def git_path() -> str:
    """The absolute path of git.

    Raises:
        InputError: it is not installed in any of the usual places.
    """
    path = next((place for place in _PLACES if is_file(Path(place))), None)
    if path is None:
        raise InputError(Message.of("in-place.no-git", places=", ".join(_PLACES)))
    return path


def environment() -> dict[str, str]:
    """The variables that git gets: none that names a repository, a configuration or a program."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_PEOPLE)}
    return {**kept, **_OWN}


def records(output: bytes) -> Iterator[str]:
    """What a command prints with ``-z``."""
    return (os.fsdecode(record) for record in output.split(b"\0") if record)


def failed(error: GitFailedError) -> InputError:
    """What to tell of an error of git's."""
    return InputError(Message.of("in-place.git-failed", reason=shown(str(error))))
