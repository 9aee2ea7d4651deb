"""What the command line says of a server, for the tools of each request."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, cast

from mcp.server.mcpserver import Context


class Settings(NamedTuple):
    """What holds for all requests."""

    roots: tuple[Path, ...]
    """Directories of the command line; without one, those of the client count."""
    allows_runs: bool
    """Whether ``verify`` may run a project without asking."""
    python: Path | None
    """The interpreter that ``verify`` runs projects with; None for an environment of its own."""
    language: str
    """Of the texts."""


def settings_of(ctx: Context) -> Settings:
    """The settings of the server that answers a request."""
    return cast(Settings, ctx.request_context.lifespan_context)
