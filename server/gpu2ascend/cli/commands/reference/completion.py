"""``gpu2ascend completion``."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from ....texts.catalogue import Texts
from ... import commands
from ...output.errors import EXIT_OK, UsageError
from ...parsing.completions import SHELLS, completion
from ...parsing.parser import CommandParser
from ...session import Session
from .. import ROOMS, module_of


def execute(arguments: Sequence[str], session: Session) -> int:
    """Print the script by which a shell completes our command line.
    Raises UsageError: no shell, or one that is not known, is named."""
    namespace = _parser(session.texts).take(arguments)
    if len(namespace.shells) != 1 or namespace.shells[0] not in SHELLS:
        choices, given = ", ".join(SHELLS), " ".join(namespace.shells)
        raise UsageError("cli.error.bad_choice", flag="SHELL", value=given, choices=choices)
    session.out.document(
        completion(namespace.shells[0], ROOMS, _parser_of(session.texts), session.texts).rstrip()
    )
    return EXIT_OK


def _parser_of(texts: Texts) -> Callable[[str], CommandParser]:
    """The parser of a command by its name."""

    def parser(command: str) -> CommandParser:
        made: CommandParser = importlib.import_module(module_of(command), commands.__name__)._parser(texts)
        return made

    return parser


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("completion", "|".join(SHELLS), texts)
    parser.add_operands("shells", "|".join(SHELLS), "cli.completion.shell")
    parser.add_language()
    return parser
