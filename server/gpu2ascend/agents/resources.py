"""Resources: pages of rules, what a migration must change, and what became of a project."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError

from ..texts.catalogue import Texts
from .commands import command
from .knowledge import families, index, page
from .report import report_of
from .roots import roots_of_reader
from .settings import settings_of

_MARKDOWN = "text/markdown"


def register(server: MCPServer[Any]) -> None:
    """Add the resources."""
    title = "What must change, by construct"
    server.resource("gpu2ascend://constructs", title=title, mime_type=_MARKDOWN)(index)
    for uri, read, title in (
        ("gpu2ascend://constructs/{name}", construct, "What must change of a family of constructs"),
        ("gpu2ascend://explain/{name}", explained, "Page of a rule, API, package or error code"),
        ("gpu2ascend://work-orders/{+project}", work_orders, "What is left of a migrated project"),
        ("gpu2ascend://report/{+project}", report, "What a migration changed"),
    ):
        server.resource(uri, title=title, mime_type=_MARKDOWN)(read)


async def construct(name: str, ctx: Context) -> str:
    """What must change of a family of constructs, such as device, distributed or kernel."""
    text = page(name, Texts(settings_of(ctx).language))
    if text is None:
        raise ResourceNotFoundError(
            f"No family {name!r}. There are: {', '.join(item.value for item in families())}"
        )
    return text


async def explained(name: str, ctx: Context) -> str:
    """What `gpu2ascend explain` says of a rule code, an API, a package or an error code."""
    try:
        return (await command(ctx, "explain", "--", name)).out
    except ToolError as error:
        raise ResourceNotFoundError(str(error)) from error


async def work_orders(project: str, ctx: Context) -> str:
    """The work orders of a migrated project in the roots, as Markdown."""
    try:
        roots = await roots_of_reader(ctx)
        place = roots.argument(project)
        return (await command(ctx, "handover", "--", place, cwd=roots.first)).out
    except ToolError as error:
        raise ResourceError(str(error)) from error


async def report(project: str, ctx: Context) -> str:
    """What a migration changed in a project in the roots: its edits by rule and file."""
    try:
        found = report_of((await roots_of_reader(ctx)).existing(project))
    except ToolError as error:
        raise ResourceError(str(error)) from error
    if found is None:
        raise ResourceNotFoundError(
            f"{project} is no output of a migration. Call `migrate` with `write: true`."
        )
    return found
