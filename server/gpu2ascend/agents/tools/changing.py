"""Tools that change files: a diff first, files with ``write: true``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from ...texts.answers.budget import BUDGET, clipped, page_of_text, tokens
from ..commands import command, for_tools
from ..roots import InRoots, Roots
from .parameters import WRITES, Code, Hardware, Offset, Unsafe, Version, chosen
from .results import Diff, Migration

_FILES = 15
"""Changed files that an answer names."""
_NAMED_IN_DIFF = "+++ b/"
_SUMMARY = 300
"""Tokens of what is said beside a diff."""

Write = Annotated[bool, Field(description="False shows the diff and writes nothing; true writes the files.")]


def register(server: MCPServer[Any]) -> None:
    """Add the tools."""
    server.add_tool(migrate, title="Migrate a project", annotations=WRITES)
    server.add_tool(fix, title="Make the fixes of one finding, one rule or all", annotations=WRITES)


async def migrate(
    ctx: Context,
    roots: InRoots,
    project: Annotated[str, Field(description="The project's directory. It is only read.")],
    output: Annotated[
        str | None,
        Field(description="With write: a directory in the roots, outside of the project. It may be new."),
    ] = None,
    version: Version = None,
    hardware: Hardware = None,
    write: Write = False,
    replace: Annotated[bool, Field(description="Replace an earlier output of a migration.")] = False,
    unsafe: Unsafe = False,
    offset: Offset = 0,
) -> Annotated[CallToolResult, Migration]:
    """Migrate a whole project from CUDA to the NPU: a diff first, files with `write: true`.

    The migrated project is output/NAME_msft, with MIGRATION.md and reports; ask `what_is_left` then.
    """
    arguments: list[str | Path] = ["-i", roots.argument(project), *chosen(version, hardware), "--json"]
    arguments += ["--unsafe"] if unsafe else []
    if not write:
        ran = await command(ctx, "migrate", *arguments, "--diff", cwd=roots.first)
        done = ran.json
        files = [item for item in done["files"] if item["diff"]]
        text = "".join(item["diff"].rstrip("\n") + "\n" for item in files)
        shown = _diff(text, [item["path"] for item in files], offset, _summary(done), is_written=False)
        return Migration(**shown.model_dump(), output=None, is_ready=ran.code == 0).answer()
    if output is None:
        raise ToolError("Name an output: a directory in the roots, outside of the project.")
    target = roots.shown(str(roots.inside(output)))
    arguments += ["-o", f"./{target}" if target.startswith("-") else target]
    arguments += ["--force"] if replace else []
    ran = await command(ctx, "migrate", *arguments, cwd=roots.first)
    done = ran.json
    written = roots.shown(str((roots.first / done["output"]).resolve()))
    names = [item["path"] for item in done["files"] if item["edits"]]
    made = _diff("", names, 0, _summary(done), is_written=True)
    return Migration(**made.model_dump(), output=written, is_ready=ran.code == 0).answer()


def _summary(done: dict[str, Any]) -> str:
    """What a migration came to."""
    counts, verdict = done["summary"], done["verdict"]
    named = ("files", "changed_files", "edits", "errors", "warnings", "information")
    lines = [
        f"PyTorch {done['version']} on {done['hardware']}. {verdict['text']}",
        *verdict["details"],
        ", ".join(f"{name.replace('_', ' ')}: {counts[name]}" for name in named),
        *done["notices"],
    ]
    return clipped(for_tools("\n".join(lines)), _SUMMARY)


async def fix(
    ctx: Context,
    roots: InRoots,
    paths: Annotated[list[str], Field(min_length=1, description="Files or directories in the roots.")],
    code: Code = None,
    line: Annotated[
        int | None,
        Field(
            ge=1, description="Of one file: findings on this line, and what changes with them. No notebooks."
        ),
    ] = None,
    order: Annotated[
        str | None, Field(description="Only the findings of this work order: its `id` of `what_is_left`.")
    ] = None,
    version: Version = None,
    unsafe: Unsafe = False,
    write: Write = False,
    offset: Offset = 0,
) -> Annotated[CallToolResult, Diff]:
    """Make the fixes of one finding (`line`), of a rule (`code`), of an `order` or all: a diff, or files with
    `write: true`.

    A file that changed meanwhile is not replaced. Without a rule's fix at a place, edit by hand.
    """
    arguments: list[str | Path] = [*chosen(version), *(["--unsafe-fixes"] if unsafe else [])]
    arguments += ["--select", code] if code else []
    arguments += ["--lines", str(line)] if line is not None else []
    arguments += ["--order", order] if order else []
    arguments += ["--", *map(roots.argument, paths)]
    ran = await command(ctx, "check", "--diff", *arguments, cwd=roots.first)
    diff, notices = ran.out, ran.notices
    if write and diff:
        done = await command(ctx, "check", "--fix", *arguments, cwd=roots.first)
        notices = "\n".join(filter(None, (done.notices, done.out.strip().rpartition("\n")[2])))
    names = [item[len(_NAMED_IN_DIFF) :] for item in diff.splitlines() if item.startswith(_NAMED_IN_DIFF)]
    done_there = write and bool(diff)
    return _diff(diff, _shown(names, roots), offset, for_tools(notices), is_written=done_there).answer()


def _shown(names: list[str], roots: Roots) -> list[str]:
    return [roots.shown(name if Path(name).is_absolute() else str(roots.first / name)) for name in names]


def _diff(text: str, files: list[str], offset: int, notices: str, *, is_written: bool) -> Diff:
    named = files[:_FILES] if offset == 0 else []
    notices = clipped(notices, _SUMMARY) if offset == 0 else ""
    spent = 100 + tokens(notices) + sum(map(tokens, named))
    page = page_of_text(text, offset, BUDGET - spent)
    return Diff(
        files=named,
        total_files=len(files),
        diff=page.text,
        is_written=is_written,
        notices=notices,
        next_offset=page.next_offset,
    )
