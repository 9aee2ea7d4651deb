"""A client for each editor whose capabilities are known, talking to the real server over its streams."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

COMMAND = [sys.executable, "-m", "gpu2ascend", "lsp"]
ANSWERED_BY_NOTHING = (types.CLIENT_REGISTER_CAPABILITY, types.WORKSPACE_CODE_LENS_REFRESH)
"""Requests to the client that every editor answers, and pytest-lsp's does not."""
CLIENTS = ("visual_studio_code", "neovim", "emacs")


@pytest_lsp.fixture(config=ClientServerConfig(server_command=COMMAND), params=CLIENTS)
async def client(lsp_client: LanguageClient, request: object) -> AsyncIterator[None]:
    """A client of each kind, with an empty workspace."""
    name = request.param  # type: ignore[attr-defined]
    for method in ANSWERED_BY_NOTHING:
        lsp_client.feature(method)(lambda params: None)
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(name), initialization_options={"version": "2.8.0"}, root_uri=None
        )
    )
    yield
    await lsp_client.shutdown_session()
