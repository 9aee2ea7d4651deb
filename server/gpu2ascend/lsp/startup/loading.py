"""The second half of the start: everything that answers, imported while the client reads the first answer."""

from __future__ import annotations

import importlib
from types import ModuleType

from pygls.lsp.server import LanguageServer

_ROOT = __package__.rpartition(".")[0]
MODULES = (
    "features.lifecycle.state",
    "features.lifecycle.initialize",
    "features.lifecycle.configuration",
    "features.synchronization.invalid",
    "features.synchronization.text",
    "features.synchronization.notebook",
    "features.diagnostics.pull",
    "features.diagnostics.workspace",
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


def put_in_place(server: LanguageServer, modules: list[ModuleType]) -> None:
    """Let the modules answer what has been announced."""
    handlers = server.protocol.fm
    handlers.features.clear()
    handlers.commands.clear()
    for module in modules:
        module.register(server)
