"""``gpu2ascend lsp``."""

from __future__ import annotations

import gc
import logging
from collections.abc import Sequence
from pathlib import Path

from ....project.own_packages import EDITORS
from ....texts.catalogue import Texts
from ...output.errors import EXIT_FINDINGS, EXIT_OK, UsageError, not_installed
from ...parsing.parser import CommandParser
from ...session import Session

_LEVELS = ("error", "warning", "info", "debug")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def execute(arguments: Sequence[str], session: Session) -> int:
    """Run the language server until its client ends it.

    Raises:
        UsageError: there are arguments that it does not take, the log file cannot be written, or the client
            does not speak the protocol.
    """
    namespace = _parser(session.texts).take(arguments)
    if namespace.operands:
        raise UsageError("cli.error.unexpected", argument=namespace.operands[0], command="gpu2ascend lsp")
    _log_to(namespace.log_file, namespace.log_level or "info")
    # Nothing that importing makes is garbage, and looking for it would cost a tenth of the start.
    gc.disable()
    try:
        from ....lsp.server import Server
    except ModuleNotFoundError as error:
        raise not_installed(error, EDITORS) from error
    server = Server()
    gc.freeze()
    gc.enable()
    server.start_io()
    if server.header_problem is not None:
        raise UsageError("cli.error.lsp_header", header=server.header_problem)
    # A client that ends the server without asking first gets an error, as the protocol demands.
    return EXIT_OK if server.was_shut_down else EXIT_FINDINGS


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("lsp", "[OPTION ...]", texts)
    parser.add_hidden_operands("operands")
    parser.add_flag("--stdio", action="store_true", help_id="cli.lsp.stdio")
    parser.add_flag("--log-file", metavar="FILE", help_id="cli.lsp.log_file")
    parser.add_flag("--log-level", metavar="|".join(_LEVELS), choices=_LEVELS, help_id="cli.lsp.log_level")
    parser.add_language()
    return parser


def _log_to(path: str | None, level: str) -> None:
    handler: logging.Handler = logging.NullHandler()
    if path is not None:
        try:
            handler = logging.FileHandler(Path(path), encoding="utf-8")
        except OSError as error:
            raise UsageError("cli.error.lsp_log", path=path, reason=error.strerror or error) from error
    handler.setFormatter(logging.Formatter(_FORMAT))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    if level != "debug":
        logging.getLogger("pygls").setLevel(logging.WARNING)
