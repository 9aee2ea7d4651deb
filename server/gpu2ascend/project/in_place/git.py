"""git in one directory, as what is done in place asks it: an error is raised, texts are lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ..errors import InputError
from ..git.running import Answer, run_git, run_hook
from ..paths import shown


class GitFailedError(Exception):
    """A command of git ended with an error; the text is what it printed."""


class Git:
    """git in one directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def __call__(self, *arguments: str, given: bytes = b"", index: Path | None = None) -> bytes:
        """What a command prints.

        Args:
            given: Its standard input.
            index: A file that takes the place of the repository's index.

        Raises:
            GitFailedError: it ended with an error.
            InputError: git is not installed, or does not end.
        """
        more = {"GIT_INDEX_FILE": str(index)} if index is not None else {}
        return _printed(run_git(self._directory, *arguments, given=given, variables=more))

    def hook(self, name: str, *arguments: str) -> None:
        """Run a hook of the repository, as the user asked for.
        Raises GitFailedError: it refuses, or this git cannot run single hooks."""
        _printed(run_hook(self._directory, name, *arguments))

    def text(self, *arguments: str) -> str:
        """The line that a command prints. Raises GitFailedError: it ended with an error."""
        return os.fsdecode(self(*arguments).removesuffix(b"\n"))


def _printed(answer: Answer) -> bytes:
    if answer.code:
        raise GitFailedError(answer.error or answer.output.decode("utf-8", "replace").strip())
    return answer.output


def records(output: bytes) -> Iterator[str]:
    """What a command prints with ``-z``."""
    return (os.fsdecode(record) for record in output.split(b"\0") if record)


def failed(error: GitFailedError) -> InputError:
    """What to tell of an error of git's."""
    return InputError(Message.of("in-place.git-failed", reason=shown(str(error))))
