"""The subcommands, each a module with an ``execute`` function, in rooms by what they are for."""

from __future__ import annotations

ROOMS = {
    "migrate": "projects",
    "check": "projects",
    "analyze": "projects",
    "explain": "reference",
    "lsp": "serving",
    "options": "reference",
    "rank-table": "reference",
    "doctor": "running",
    "verify": "running",
    "record": "running",
    "compare": "running",
    "survey": "projects",
    "handover": "projects",
    "mcp": "serving",
    "completion": "reference",
}
"""The commands in the order in which ``--help`` shows them, each with its room."""


def module_of(command: str) -> str:
    """The name of a command's module, relative to this package."""
    return f".{ROOMS[command]}.{command.replace('-', '_')}"
