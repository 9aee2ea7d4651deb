"""Resources: pages of rules, what a migration must change, and what became of a project."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError

from ..project.inspect.handover import migrated_directory
from ..project.manifest.marker import Marker, read_marker
from ..project.regular_files import read_inside
from ..texts.catalogue import Texts
from .commands import command
from .knowledge import families, index, page
from .roots import roots_of_reader
from .settings import settings_of

_LARGEST = 8_000_000
_FILES = 30
_CHANGES = "change_list"
"""The beginning of the name of the list of changes."""
_MARKDOWN = "text/markdown"


def report_of(directory: Path) -> str | None:
    """The report of a migrated project as Markdown; None for a directory that no migration wrote."""
    directory = migrated_directory(directory)
    marker = read_marker(directory)
    if marker is None:
        return None
    made_for = f"Made for PyTorch {marker.torch} by gpu2ascend {marker.version} from `{marker.source}`."
    edits = _edits(directory, marker)
    by_rule = Counter(code for _, code in edits).most_common()
    by_file = Counter(path for path, _ in edits).most_common()
    lines = [f"# {directory.name}", "", made_for, "", f"Edits: {len(edits)} in {len(by_file)} files.", ""]
    lines += [f"- {code}: {count}" for code, count in by_rule]
    lines += ["", "## Files", "", *(f"- `{path}`: {count}" for path, count in by_file[:_FILES])]
    lines += [f"- and {len(by_file) - _FILES} more"] if len(by_file) > _FILES else []
    return "\n".join([*lines, "", f"Reports next to the code: {', '.join(marker.reports)}"])


def _edits(directory: Path, marker: Marker) -> list[tuple[str, str]]:
    """The path and the rule of each edit; none where the list cannot be read."""
    name = next((item for item in marker.reports if item.startswith(_CHANGES)), None)
    if name is None:
        return []
    try:
        text = read_inside(directory, directory / name, _LARGEST).decode("utf-8-sig", "replace")
    except OSError:
        return []
    rows = list(csv.reader(io.StringIO(text)))[1:]
    return [(row[0], row[-1].partition(" ")[0]) for row in rows if len(row) > 1]


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
