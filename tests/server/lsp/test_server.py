"""What an answer waits for: the client's settings, as long as it may still send them."""

from __future__ import annotations

import asyncio

import pytest

from gpu2ascend.lsp import server as module
from gpu2ascend.lsp.server import Server


async def test_an_answer_waits_for_the_settings() -> None:
    server = Server()
    waiting = asyncio.ensure_future(server.ready())
    await asyncio.sleep(0)
    before = waiting.done()
    server.has_settings.set()
    await waiting
    result = before, waiting.done()
    assert result == (False, True)


async def test_it_waits_once_for_a_client_that_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.001)

    server = Server()
    await server.ready()
    result = server.has_settings.is_set()
    assert result
