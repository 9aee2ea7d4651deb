"""The second half of the start: everything that answers, imported while the client reads the first answer."""

from __future__ import annotations

import importlib
from types import ModuleType

from ..server import Server

_ROOT = __package__.rpartition(".")[0]
MODULES = (
    "session.state",
    "startup.lifecycle",
    "session.settings.configuration",
    "features.text_synchronization",
    "features.notebook_synchronization",
    "features.pull_diagnostics",
    "features.workspace_diagnostics",
    "features.code_actions",
    "features.hover",
    "features.code_lens",
    "features.completion",
    "commands.registry",
)
"""Modules with a function ``register(server)``: each answers one request, or those that belong together."""


def imported() -> list[ModuleType]:
    """The modules. Takes long; may run in any thread."""
    return [importlib.import_module(f"{_ROOT}.{name}") for name in MODULES]


def put_in_place(server: Server, modules: list[ModuleType]) -> None:
    """Let the modules answer what has been announced."""
    handlers = server.protocol.fm
    handlers.features.clear()
    handlers.commands.clear()
    for module in modules:
        module.register(server)
    server.is_loaded = True
