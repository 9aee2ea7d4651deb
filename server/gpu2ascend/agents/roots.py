"""The directories that an agent may name: those of the command line, else those of its client."""

from __future__ import annotations

import warnings
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from mcp.server.mcpserver import Context, ListRoots, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import ListRootsResult

from .settings import settings_of

_NAMED = 12
"""Files that an error names."""


class Roots(NamedTuple):
    """Directories, resolved; the first one is what relative paths are relative to."""

    directories: tuple[Path, ...]

    @property
    def first(self) -> Path:
        """Where commands run."""
        return self.directories[0]

    def inside(self, path: str) -> Path:
        """A path that lies in a root, also by where links lead. Raises ToolError: it lies elsewhere."""
        try:
            resolved = (self.first / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise ToolError(f"{path!r} is no path: {error}") from error
        if not any(resolved == root or root in resolved.parents for root in self.directories):
            named = ", ".join(map(str, self.directories))
            raise ToolError(f"{path} is outside of the roots ({named}). Name a path inside them.")
        return resolved

    def existing(self, path: str) -> Path:
        """A path inside at which there is something.
        Raises ToolError: there is nothing, or it lies elsewhere."""
        found = self.inside(path)
        if not found.exists():
            nearest = next(parent for parent in found.parents if parent.is_dir())
            names = ", ".join(_names(nearest)) or "nothing"
            place = "The root" if nearest == self.first else self.shown(str(nearest))
            raise ToolError(f"{path} does not exist. {place} has: {names}")
        return found

    def argument(self, path: str) -> str:
        """An existing path, as commands that run in the first root are given it: never one that reads as a
        flag.

        Raises:
            ToolError: there is nothing, or it lies elsewhere.
        """
        shown = self.shown(str(self.existing(path)))
        return f"./{shown}" if shown.startswith("-") else shown

    def shown(self, path: str) -> str:
        """A path relative to the first root where it lies in it."""
        try:
            return Path(path).relative_to(self.first).as_posix()
        except ValueError:
            return path


def _names(directory: Path) -> list[str]:
    entries = sorted(islice(directory.iterdir(), 1_000))
    names = [f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries]
    visible = [name for name in names if not name.startswith(".")]
    return [*visible[:_NAMED], *(["…"] if len(visible) > _NAMED else [])]


async def _listed(ctx: Context) -> ListRoots | ListRootsResult:
    """The client's roots; none where those of the command line count, or the client has no such thing."""
    capabilities = ctx.client_capabilities
    has_roots = capabilities is not None and capabilities.roots is not None
    return ListRoots() if has_roots and not settings_of(ctx).roots else ListRootsResult(roots=[])


async def _roots(ctx: Context, listed: Annotated[ListRootsResult, Resolve(_listed)]) -> Roots:
    """The roots of a request. Raises ToolError: nobody names one."""
    return _of(settings_of(ctx).roots, listed, "Start the server with --root DIR, once for each directory.")


async def roots_of_reader(ctx: Context) -> Roots:
    """The roots of a request for a resource, in which clients of today's protocol cannot be asked for theirs.
    Raises ToolError: nobody names one."""
    listed = ListRootsResult(roots=[])
    if isinstance(await _listed(ctx), ListRoots):
        with suppress(MCPError), warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            listed = await ctx.session.list_roots()
    return _of(settings_of(ctx).roots, listed, "Call `what_is_left`, or start the server with --root DIR.")


def _of(given: tuple[Path, ...], listed: ListRootsResult, hint: str) -> Roots:
    paths = [Path(url2pathname(unquote(urlsplit(str(root.uri)).path))) for root in listed.roots]
    directories = tuple(path.resolve() for path in given or paths if path.is_dir())
    if not directories:
        raise ToolError(f"The client names no root. {hint}")
    return Roots(directories)


InRoots = Annotated[Roots, Resolve(_roots)]
"""A parameter of a tool that is not the model's to give."""
