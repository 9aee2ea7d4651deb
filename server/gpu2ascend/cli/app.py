"""From arguments to a command, and from whatever goes wrong to one line and an exit code."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from ..project.errors import DEBUG, ProjectError, RuleFileProblem
from . import commands
from .commands import ROOMS, module_of
from .output.errors import EXIT_ERROR, EXIT_OK, UsageError
from .output.language import choose_language, language_flag
from .output.streams import LossyOutput, lossy_streams
from .session import Session
from .termination import termination_as_interrupt

_WITH_OWN_STREAMS = ("lsp", "mcp")
_HELP = "help"
_ALIASES = {"rule": "explain"}
"""Names of other tools for commands of ours, which they carry out."""


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name.

    Returns:
        The exit code: what the command returns, or 2 for an error.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C, or another process asked this one to end. Nothing else.
    """
    with termination_as_interrupt():
        if _command_of(list(arguments))[0] in _WITH_OWN_STREAMS:
            return _guarded(arguments, ())
        with lossy_streams() as written:
            return _guarded(arguments, written)


def _guarded(arguments: Sequence[str], written: Iterable[LossyOutput]) -> int:
    """Run the command; whatever is wrong becomes a text and an exit code."""
    session = Session(choose_language())
    try:
        try:
            return _run(list(arguments), session)
        finally:
            if not sys.stdout.closed:  # the language server closes it when its client has left
                sys.stdout.flush()
            for stream in written:
                if stream.complaint is not None:
                    session.warn(session.texts("cli.output-lost", reason=stream.complaint))
    except BrokenPipeError:  # of a command with its own streams
        return _after_broken_pipe()
    except KeyboardInterrupt:
        with suppress(OSError, ValueError):  # the terminal may be gone
            session.fail(session.texts("cli.error.interrupted"))
        raise
    except Exception as error:
        return _bug(error, session)


def _run(arguments: list[str], session: Session) -> int:
    """Run a command; what the user can fix is reported in one line, each mistake of a rule file in one."""
    try:
        return _dispatch(arguments, session)
    except RuleFileProblem as error:
        for mistake in error.mistakes:
            session.fail(session.texts.of(mistake))
        return EXIT_ERROR
    except (UsageError, ProjectError) as error:
        session.fail(session.texts.of(error.message))
        return EXIT_ERROR
    except SystemExit as leave:  # argparse, after it printed help
        return leave.code if isinstance(leave.code, int) else EXIT_OK


def _dispatch(arguments: list[str], session: Session) -> int:
    session.use_language(choose_language(language_flag(arguments)))
    name, rest = _command_of(arguments)
    if name == _HELP:
        name, rest = rest[0] if rest else None, ["--help"]
    if name is None:
        return _without_command(rest, session)
    name = _ALIASES.get(name, name)
    if name not in ROOMS:
        raise _no_such_command(name)
    module = importlib.import_module(module_of(name), commands.__name__)
    if not gc.isenabled():  # the process is ours, and ends with the command
        gc.freeze()
        gc.enable()
    execute: Callable[[Sequence[str], Session], int] = module.execute
    return execute(rest, session)


def _command_of(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The command's name, and the other arguments. Only ``--language`` may be before the name."""
    rest = list(arguments)
    before: list[str] = []
    while rest and rest[0].partition("=")[0] == "--language":
        count = 1 if "=" in rest[0] else 2
        before += rest[:count]
        del rest[:count]
    if not rest or rest[0].startswith("-"):
        return None, rest
    return rest[0], [*before, *rest[1:]]


def _without_command(rest: Sequence[str], session: Session) -> int:
    from .help import print_help

    if rest and rest[0] not in ("-h", "--help", "--help-all"):
        raise UsageError("cli.error.no_command", argument=rest[0])
    print_help(session, tuple(ROOMS))
    return EXIT_OK if rest else EXIT_ERROR


def _no_such_command(name: str) -> UsageError:
    from .parsing.parser import unknown_name
    from .parsing.synonyms import COMMANDS as SYNONYMS

    if name in SYNONYMS:
        return UsageError("cli.error.synonym_command", name=name, ours=SYNONYMS[name])
    return unknown_name("cli.error.unknown_command", name, ROOMS, known=", ".join(ROOMS))


def _bug(error: Exception, session: Session) -> int:
    """A mistake of ours: asked for, the traceback; else a request to report it."""
    if os.environ.get(DEBUG):
        traceback.print_exc()
    summary = f"{type(error).__name__}: {error}"
    session.fail(session.texts("cli.error.bug", error=summary, variable=f"{DEBUG}=1"))
    return EXIT_ERROR


def _after_broken_pipe() -> int:
    """The reader of our output has left; nothing may complain of it when the process ends."""
    with suppress(OSError, ValueError):  # an output that is no file cannot complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_OK
