"""``gpu2ascend mcp``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ....agents.skill_files import copy_skill
from ....project.files.places import input_directory
from ....project.paths import shown
from ....texts.catalogue import Texts
from ...output.errors import EXIT_OK, UsageError, not_installed
from ...parsing.parser import CommandParser
from ...session import Session


def execute(arguments: Sequence[str], session: Session) -> int:
    """Serve agents on standard input and output until the client leaves, or copy the skill for them.

    Raises:
        UsageError: the command does not take the arguments, or the SDK is not installed.
        ProjectError: a root is no directory, or the skill cannot be copied.
    """
    namespace = _parser(session.texts).take(arguments)
    if namespace.none:
        raise UsageError("cli.error.unexpected", argument=namespace.none[0], command="gpu2ascend mcp")
    if namespace.skill is not None:
        place = shown(copy_skill(Path(namespace.skill)))
        session.out.line(session.texts("cli.mcp.skill-copied", path=place))
        return EXIT_OK
    roots = tuple(input_directory(Path(root)) for root in namespace.root or ())
    python = Path(os.path.abspath(namespace.python)) if namespace.python is not None else None  # noqa: PTH100
    try:
        from ....agents.server import build
        from ....agents.settings import Settings
    except ModuleNotFoundError as error:
        raise not_installed(error, "mcp") from error
    settings = Settings(roots, bool(namespace.allow_run), python, session.texts.language)
    build(settings).run("stdio")
    return EXIT_OK


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("mcp", "[--root DIR ...] [--allow-run] [--python PYTHON] | --skill DIR", texts)
    parser.add_flag("--root", metavar="DIR", action="append", help_id="cli.mcp.root")
    parser.add_flag("--allow-run", action="store_true", help_id="cli.mcp.allow_run")
    parser.add_flag("--skill", metavar="DIR", help_id="cli.mcp.skill")
    parser.add_flag("--python", metavar="PYTHON", help_id="cli.verify.python")
    parser.add_language()
    parser.add_hidden_operands("none")
    return parser
