"""The tool that says what is left: work orders, the next one first, as data and as text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from ...project.inspect.handover import migrated_directory
from ...project.manifest.marker import read_marker
from ...texts.answers.orders import Asked, UnknownOrder, orders_answer
from ..commands import command
from ..roots import InRoots, Roots
from .parameters import READS, Hardware, Offset, Version, chosen
from .results import Paged, Place, Severity, ShortItem, Unread


class Replacement(BaseModel):
    """What takes an API's place in the release."""

    name: str = Field(description="Empty where only an expression is known.")
    signature: str = Field(description="The exact one; empty where no table has it.")
    differences: list[str] = Field(description="How to call it otherwise than the API.")
    limits: str = Field(description="What it takes.")
    otherwise: str = Field(description="An expression of plain torch that does the same.")

    def lines_of_text(self) -> list[str]:
        """What to write for a model to read."""
        named = self.signature or self.name
        lines = [f"in its place: {named}"] if named else []
        lines += [f"  {line}" for line in self.differences]
        lines += [f"  limits: {self.limits}"] if self.limits else []
        return lines + ([f"in plain torch: {self.otherwise}"] if self.otherwise else [])


class Order(BaseModel):
    """One thing to do, at one or more places."""

    id: str = Field(description="The same in every run.")
    code: str = Field(description="The rule; `explain` says more.")
    title: str
    severity: Severity
    effort: Literal["low", "medium", "high"]
    effort_because: str = Field(description="How the class follows from the rule, its fixes and the places.")
    on_the_way: bool = Field(description="Whether a program that trains reaches a place of it.")
    message: str = Field(description="What the rule says at the first place.")
    api: str | None = Field(description="The qualified name that it is about.")
    why: str = Field(description="Why it matters on the NPU.")
    known: list[str] = Field(description="What the tables have of the API for the version and the hardware.")
    replacement: Replacement | None = Field(description="What takes the API's place; null: no table knows.")
    write: str = Field(description="What to write instead.")
    pattern: str = Field(description="The lines of one place as they are to be; empty: write them yourself.")
    fix: str | None = Field(
        description="The command that makes its fixes alone: the tool `fix` with `order` does the same."
    )
    check: str = Field(
        description="The command that ends with 0 once it is done; `what_is_left` with `order` says so, too."
    )
    verify: str | None = Field(description="The command that runs a program that reaches it: `verify`.")
    compare: str | None = Field(description="The same beside the original: `verify` with `original`.")
    total: int = Field(description="Places; `order` with the id lists all.")
    places: list[Place] = Field(description="The first places.")

    def lines_of_text(self) -> list[str]:
        """The order for a model to read."""
        way = "on the way of the training" if self.on_the_way else "no training reaches it"
        named = f" ({self.api})" if self.api and self.api not in self.message else ""
        lines = [f"## {self.id}: {self.title}{named}", self._class(way), self.message]
        lines += [f"why: {self.why}"] if self.why else []
        lines += self.known
        lines += self.replacement.lines_of_text() if self.replacement is not None else []
        lines += [f"write: {self.write}"] if self.write else []
        lines += (
            ["for instance:", *(f"  {line}" for line in self.pattern.splitlines())] if self.pattern else []
        )
        lines += [f"places ({self.total}):", *(place.line_of_text() for place in self.places)]
        lines += [f"  … order={self.id} lists all"] if self.total > len(self.places) else []
        if self.fix:
            lines.append(f"fix: `fix` with order={self.id}, unsafe=true and these paths; or {self.fix}")
        lines.append(f"done when `what_is_left` with order={self.id} says so; or {self.check}")
        lines += [f"compare the numbers then: {self.compare}"] if self.compare else []
        return lines

    def _class(self, way: str) -> str:
        return f"{self.severity}, effort {self.effort} ({self.effort_because}), {way}"


class Orders(Paged):
    """What is left of a migrated project, the gravest on the way of the training first.

    The offset is one of orders; where one order is asked for, one of its places.
    """

    project: str = Field(description="The migrated project, relative to the first root: places are below it.")
    original: str | None = Field(
        description="The project before the migration, for `original` of `verify`; null outside of the roots."
    )
    version: str = Field(description="The PyTorch release that the project was made for.")
    hardware: str
    total: int = Field(description="Orders that are left, on all pages.")
    by_rule: dict[str, int] = Field(description="How many of them each rule has.")
    orders: list[Order]
    done: list[ShortItem] = Field(
        description="Orders of the migration that are left no more; the first ones."
    )
    total_done: int
    not_examined: list[Unread] = Field(
        description="Files in which nobody knows what is left; the first ones."
    )
    total_not_examined: int

    def text(self) -> str:
        """The same for a model to read."""
        counts = (
            f"orders left: {self.total}, done: {self.total_done}, not examined: {self.total_not_examined}"
        )
        lines = [f"{self.project}: PyTorch {self.version} on {self.hardware}. {counts}"]
        lines += [f"its original: {self.original}"] if self.original else []
        if self.total > len(self.orders) > 1:
            lines.append(f"by rule: {', '.join(f'{code} {count}' for code, count in self.by_rule.items())}")
        lines += [f"not examined: {item.path}: {item.reason}" for item in self.not_examined]
        for order in self.orders:
            lines += ["", *order.lines_of_text()]
        if not self.total and not self.total_not_examined:
            lines.append("Nothing is left. Call verify.")
        elif not self.orders:
            lines += [f"done: {item.id}: {item.title}. Ask for the next one." for item in self.done]
        return "\n".join(lines) + self.going_on()


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
