"""The tool that says what is left: work orders, the next one first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from ...project.inspect.handover import migrated_directory
from ...project.manifest.marker import read_marker
from ...texts.answers.orders import Asked, UnknownOrder, orders_answer
from ..commands import command
from ..roots import InRoots, Roots
from .order_results import Orders
from .parameters import READS, Hardware, Offset, Version, chosen


def register(server: MCPServer[Any]) -> None:
    """Add the tool."""
    server.add_tool(what_is_left, title="What is left to do by hand", annotations=READS)


async def what_is_left(
    ctx: Context,
    roots: InRoots,
    project: Annotated[str, Field(description="The migrated project.")],
    order: Annotated[
        str | None,
        Field(description="Only this order (its `id`): whether it is done, or all of its places in pages."),
    ] = None,
    version: Version = None,
    hardware: Hardware = None,
    offset: Offset = 0,
    limit: Annotated[int, Field(ge=1, le=20, description="The most orders of an answer.")] = 3,
) -> Annotated[CallToolResult, Orders]:
    """List work orders for what a migration left, the next one first.

    An order has a title, why it matters, places with code, what is known of the API, what to write, and
    the command that ends with 0 once it is done. Edit one, then ask with `order` whether it is done,
    and without for the next one.
    """
    arguments = (*chosen(version, hardware), "--", roots.argument(project))
    ran = await command(ctx, "handover", "--output-format", "json", *arguments, cwd=roots.first)
    directory = migrated_directory(roots.existing(project))
    shown, original = roots.shown(str(directory)), _original(directory, roots)
    try:
        return Orders(**orders_answer(ran.json, shown, original, Asked(order, offset, limit))).answer()
    except UnknownOrder as error:
        raise ToolError(str(error)) from error


def _original(directory: Path, roots: Roots) -> str | None:
    """What a migration was made of, where its marker names a directory in the roots."""
    marker = read_marker(directory)
    if marker is None or marker.source is None:
        return None
    try:
        return roots.shown(str(roots.existing(str(directory / marker.source))))
    except ToolError:
        return None
