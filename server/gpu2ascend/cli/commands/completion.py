"""``gpu2ascend completion``."""

from __future__ import annotations

from collections.abc import Sequence

from ...texts.catalogue import Texts
from ..app import COMMANDS
from ..completions import SHELLS, completion
from ..output.errors import EXIT_OK, UsageError
from ..parser import CommandParser
from ..session import Session


def execute(arguments: Sequence[str], session: Session) -> int:
    """Print the script by which a shell completes our command line.

    Raises:
        UsageError: no shell, or one that is not known, is named.
    """
    namespace = _parser(session.texts).take(arguments)
    if len(namespace.shells) != 1 or namespace.shells[0] not in SHELLS:
        choices, given = ", ".join(SHELLS), " ".join(namespace.shells)
        raise UsageError("cli.error.bad_choice", flag="SHELL", value=given, choices=choices)
    session.out.document(completion(namespace.shells[0], COMMANDS, session.texts).rstrip())
    return EXIT_OK


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("completion", "|".join(SHELLS), texts)
    parser.add_operands("shells", "|".join(SHELLS), "cli.completion.shell")
    parser.add_language()
    return parser
