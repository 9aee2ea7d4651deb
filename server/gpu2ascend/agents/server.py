"""The server: tools, resources and prompts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import MCPServer

from .. import __version__
from . import prompts, resources
from .settings import Settings
from .tools import changing, looking, orders, running

_INSTRUCTIONS = (
    "Moves PyTorch CUDA projects to Huawei Ascend NPUs (torch_npu). Loop: migrate (diff, then write), "
    "what_is_left, edit one order, check it, again; then verify. Look names up with facts before you write "
    "them; port no CUDA kernel silently, and delete no test. Paths are relative to the first root."
)


def build(settings: Settings) -> MCPServer[Any]:
    """The server, ready to run."""

    @asynccontextmanager
    async def lifespan(server: MCPServer[Any]) -> AsyncIterator[Settings]:
        yield settings

    server: MCPServer[Any] = MCPServer(
        "gpu2ascend", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING", lifespan=lifespan
    )
    for module in (looking, orders, changing, running, resources, prompts):
        module.register(server)
    return server
