"""The directories that an agent may name: those of the command line, else those of its client."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPDeprecationWarning


class Roots(NamedTuple):
    """Directories, resolved; the first one is what relative paths are relative to."""

    directories: tuple[Path, ...]

    @property
    def first(self) -> Path:
        """Where commands run."""
        return self.directories[0]

    def inside(self, path: str) -> Path:
        """A path that lies in a root, also by where links lead.

        Raises:
            ToolError: it lies elsewhere.
        """
        try:
            resolved = (self.first / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise ToolError(f"{path!r} is no path: {error}") from error
        if not any(resolved == root or root in resolved.parents for root in self.directories):
            named = ", ".join(map(str, self.directories))
            raise ToolError(f"{path} is outside of the roots ({named}). Name a path inside them.")
        return resolved

    def argument(self, path: str) -> str:
        """A path inside, as commands that run in the first root are given it: never one that reads as a flag.

        Raises:
            ToolError: it lies elsewhere.
        """
        shown = self.shown(str(self.inside(path)))
        return f"./{shown}" if shown.startswith("-") else shown

    def shown(self, path: str) -> str:
        """A path relative to the first root where it lies in it."""
        try:
            return Path(path).relative_to(self.first).as_posix()
        except ValueError:
            return path


async def roots_of(ctx: Context, given: tuple[Path, ...]) -> Roots:
    """The roots of a request.

    Args:
        given: Those of the command line; they win.

    Raises:
        ToolError: nobody names one.
    """
    if given:
        return Roots(given)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            listed = (await ctx.request_context.session.list_roots()).roots
    except Exception:  # a client without roots answers in many ways
        listed = []
    paths = [Path(url2pathname(unquote(urlsplit(str(root.uri)).path))) for root in listed]
    directories = tuple(path.resolve() for path in paths if path.is_dir())
    if not directories:
        raise ToolError(
            "The client names no root. Start the server with --root DIR, once for each directory."
        )
    return Roots(directories)
