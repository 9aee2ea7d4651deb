"""The parameters of the command as a request for a run."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import Version

from ....project.errors import InputError
from ....project.paths import is_directory, resolved, shown
from ....verify.request import DEFAULT_SECONDS, DEFAULT_STEPS, VerifyRequest, version_for
from ..parameters import Parameters


def request_of(parameters: Parameters, of_settings: Version | None) -> VerifyRequest:
    """The request.

    Args:
        of_settings: The version that the settings of the project choose, or that was found in it.

    Raises:
        ProjectError: a parameter is missing, or cannot be used.
    """
    project = _directory(parameters, "projectPath")
    if project is None:
        raise InputError(Message.of("lsp.verify.no-project"))
    ranks = parameters.values.get("processes")
    return VerifyRequest(
        project=project,
        command=_command(parameters),
        version=version_for(project, None, of_settings),
        ranks=None if ranks is None else _number(parameters, "processes", 1),
        steps=_number(parameters, "steps", DEFAULT_STEPS),
        seconds=_number(parameters, "timeout", DEFAULT_SECONDS),
        seed=_number(parameters, "seed", 0, lowest=0),
        python=_interpreter(parameters),
        index=parameters.text("indexUrl"),
        torch_index=parameters.text("torchIndexUrl"),
        allows_sources=parameters.values.get("allowProjectSources") is True,
        source=_directory(parameters, "sourcePath"),
        fakes_data=parameters.values.get("fakeData") is True,
        runs_original=parameters.values.get("runOriginal") is not False,
    )


def words_of(command: str, *, windows: bool = sys.platform == "win32") -> tuple[str, ...]:
    """The words of a command line, as a shell takes it apart; on Windows a backslash is part of a path.
    Raises InputError: a quotation mark has no other."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if windows:
        lexer.escape = ""
    try:
        return tuple(lexer)
    except ValueError as error:
        message = Message.of("lsp.verify.bad-command", command=shown(command), reason=str(error))
        raise InputError(message) from error


def _command(parameters: Parameters) -> tuple[str, ...]:
    given = parameters.values.get("command")
    words: Sequence[object] = ()
    if isinstance(given, str):
        words = words_of(given)
    elif isinstance(given, (list, tuple)):
        words = given
    texts = tuple(word for word in words if isinstance(word, str) and "\0" not in word)
    if not texts or len(texts) != len(words):
        raise InputError(Message.of("lsp.verify.no-command"))
    return texts


def _directory(parameters: Parameters, name: str) -> Path | None:
    path = parameters.path(name)
    if path is None:
        return None
    path = resolved(path)
    if not is_directory(path):
        raise InputError(Message.of("verify.no-project", path=shown(path)))
    return path


def _interpreter(parameters: Parameters) -> Path | None:
    given = parameters.text("interpreter")
    if given is None:
        return None
    path = os.path.expanduser(given)  # noqa: PTH111 - unlike Path's, it never raises
    if not os.path.isabs(path):  # noqa: PTH117 - the link of an environment must stay a link
        raise InputError(Message.of("lsp.verify.relative", name="interpreter", value=shown(given)))
    return Path(os.path.normpath(path))


def _number(parameters: Parameters, name: str, default: int, lowest: int = 1) -> int:
    value = parameters.values.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
        given = shown(repr(value)[:60])
        raise InputError(Message.of("lsp.verify.number", name=name, value=given, lowest=lowest))
    return value
