"""``workspace/executeCommand``, and the custom requests that are the same: registered, not yet imported.

No editor asks for one of them before it shows problems, and what answers them imports migrations, analyses
and checks by execution.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from ...project.processes.threads import in_thread
from ..server import Server
from ..startup.announcement import COMMANDS, REQUESTS

Handler = Callable[..., Awaitable[object]]


def register(server: Server) -> None:
    """Answer them."""

    @cache
    def handlers() -> Mapping[str, Handler]:
        found: Mapping[str, Handler] = _module().handlers_of(server)
        return found

    for name in COMMANDS:
        server.command(name)(_when_asked(server, handlers, name))
    for name in REQUESTS:
        server.feature(name)(_when_asked(server, handlers, name))


def _when_asked(server: Server, handlers: Callable[[], Mapping[str, Handler]], name: str) -> Handler:
    """A separate function for each registration, which pygls marks; it waits for the client's settings.

    It must not say ``object``: pygls would take the first parameter for one that wants the server.
    """

    async def call(*arguments: Any) -> object:
        await server.ready()
        await in_thread(_module)
        return await handlers()[name](*arguments)

    return call


def _module() -> ModuleType:
    return import_module(".handlers", __package__)
