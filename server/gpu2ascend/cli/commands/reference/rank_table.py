"""``gpu2ascend rank-table``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ....project.errors import reason
from ....project.files.writing.replacing import put_document
from ....project.launchers.rank_table import (
    RankTableError,
    ServerHost,
    device_addresses,
    device_numbers,
    rank_table,
)
from ....project.regular_files import read_regular
from ....texts.catalogue import Texts
from ...output.errors import EXIT_OK
from ...parsing.parser import CommandParser
from ...session import Session


def execute(arguments: Sequence[str], session: Session) -> int:
    """Write the rank table of the hosts that the arguments name.

    Raises:
        UsageError: the command does not take the arguments.
        RankTableError: no table can be made of them, or it cannot be written.
    """
    namespace = _parser(session.texts).take(arguments)
    if not namespace.servers:
        raise RankTableError(Message.of("launch.rank-table.no-server"))
    servers = [_server(spelling) for spelling in namespace.servers]
    table = rank_table(servers, device_numbers(namespace.devices or "0-7"))
    if namespace.output is None:
        session.out.line(table.rstrip("\n"))
        return EXIT_OK
    _write(Path(namespace.output), table, force=bool(namespace.force))
    count = sum(len(server["device"]) for server in json.loads(table)["server_list"])
    session.out.line(
        session.texts("launch.rank-table.written", path=namespace.output, count=count, servers=len(servers))
    )
    return EXIT_OK


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("rank-table", "ADDRESS[=HCCN_CONF] ... [--devices 0-7] [-o FILE]", texts)
    parser.add_operands("servers", "ADDRESS[=HCCN_CONF]", "cli.rank-table.servers")
    parser.add_flag("--devices", metavar="0-7", help_id="cli.rank-table.devices")
    parser.add_flag("-o", "--output", metavar="FILE", help_id="cli.rank-table.output")
    parser.add_flag("--force", action="store_true", help_id="cli.rank-table.force")
    parser.add_language()
    return parser


def _server(spelling: str) -> ServerHost:
    address, separator, path = spelling.partition("=")
    if not separator:
        return ServerHost(address.strip(), {})
    try:
        configuration = read_regular(path).decode("utf-8", "replace")
    except OSError as error:
        message = Message.of("launch.rank-table.unreadable", path=path, reason=reason(error))
        raise RankTableError(message) from error
    return ServerHost(address.strip(), device_addresses(configuration, path))


def _write(path: Path, table: str, *, force: bool) -> None:
    """Write the table; an existing file only if asked to replace it, and never into a pipe or a device.
    Raises RankTableError: there is one, or the system refuses."""
    try:
        put_document(path, table, force=force)
    except FileExistsError as error:
        raise RankTableError(Message.of("launch.rank-table.exists", path=path)) from error
    except OSError as error:
        message = Message.of("launch.rank-table.unwritable", path=path, reason=reason(error))
        raise RankTableError(message) from error
