"""The tool that says what is left: work orders, the next one first."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from ...project.inspect.handover import migrated_directory
from ...project.manifest.marker import read_marker
from ..budget import BUDGET, clipped, fitting, tokens
from ..commands import command
from ..roots import InRoots, Roots
from .order_results import Order, Orders
from .parameters import READS, Hardware, Offset, Version, chosen
from .results import Place, ShortItem, Unread

_PLACES = 5
"""Places of an order in a list of orders."""
_HEAD = 200
"""Tokens of what stands before the orders."""
_KNOWN = 5
"""Lines of what is known of an API."""
_NAMED = 5
"""Done orders, and files that were not read, that an answer names."""
_CODE, _TEXT, _WHOLE = 60, 160, 300
"""Tokens of a line of code, of a text, and of a text of the one order that is asked for."""
_RULES = 20
"""Rules that are counted."""


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
    the command that ends with 0 exactly when it is done. Edit one, then ask with `order` whether it is done,
    and without for the next one.
    """
    arguments = (*chosen(version, hardware), "--", roots.argument(project))
    ran = await command(ctx, "handover", "--output-format", "json", *arguments, cwd=roots.first)
    document: dict[str, Any] = ran.json
    orders = document["orders"]
    done = [_named(item) for item in document["done"][:_NAMED]]
    unread = [
        Unread(path=item["path"], reason=clipped(item["reason"], _CODE))
        for item in document["not_examined"][:_NAMED]
    ]
    if order is None:
        budget = BUDGET - _HEAD - sum(tokens(item.model_dump_json()) for item in (*done, *unread))
        shown, following = fitting(list(map(_short, orders)), offset, limit, Order.model_dump, budget)
    else:
        shown, following = _with_places(order, document, offset)
        done = [_named(item) for item in document["done"] if item["id"] == order]
    directory = migrated_directory(roots.existing(project))
    return Orders(
        project=roots.shown(str(directory)),
        original=_original(directory, roots),
        version=document["torch"],
        hardware=document["hardware"],
        total=len(orders),
        by_rule=dict(Counter(item["code"] for item in orders).most_common(_RULES)),
        orders=shown,
        done=done,
        total_done=len(document["done"]),
        not_examined=unread,
        total_not_examined=len(document["not_examined"]),
        next_offset=following,
    ).answer()


def _original(directory: Path, roots: Roots) -> str | None:
    """What a migration was made of, where its marker names a directory in the roots."""
    marker = read_marker(directory)
    if marker is None or marker.source is None:
        return None
    try:
        return roots.shown(str(roots.existing(str(directory / marker.source))))
    except ToolError:
        return None


def _with_places(name: str, document: dict[str, Any], offset: int) -> tuple[list[Order], int | None]:
    """An order with its places from an offset on, as many as fit; none of one that is done.

    Raises:
        ToolError: nobody knows of one of this name, or whether it is done.
    """
    orders = document["orders"]
    found = next((item for item in orders if item["id"] == name), None)
    if found is None:
        if any(item["id"] == name for item in document["done"]):
            return [], None
        unread = ", ".join(item["path"] for item in document["not_examined"][:_NAMED])
        hidden = f" Files that cannot be examined may hide it: {unread}." if unread else ""
        known = ", ".join(item["id"] for item in orders[:_NAMED]) or "none"
        raise ToolError(f"There is no order {name}.{hidden} Orders: {known}")
    told = _short({**found, "places": []}, _WHOLE)
    places = list(map(_place, found["places"]))
    budget = BUDGET - _HEAD - tokens(told.model_dump_json())
    shown, following = fitting(places, offset, len(places), Place.model_dump, budget)
    return [told.model_copy(update={"places": shown})], following


def _named(item: dict[str, Any]) -> ShortItem:
    return ShortItem(id=item["id"], title=clipped(item["title"], _CODE))


def _place(item: dict[str, Any]) -> Place:
    return Place(**{**item, "code": clipped(item["code"], _CODE)})


def _short(item: dict[str, Any], text: int = _TEXT) -> Order:
    texts = ("title", "message", "why", "write")
    kept = {name: value for name, value in item.items() if name in Order.model_fields}
    return Order(
        **{
            **kept,
            **{name: clipped(item[name], text) for name in texts},
            "known": [clipped(line, text) for line in item["known"][:_KNOWN]],
            "pattern": clipped(item["pattern"], text),
            "places": list(map(_place, item["places"][:_PLACES])),
        }
    )
