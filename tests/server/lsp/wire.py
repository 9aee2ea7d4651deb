"""A session whose server runs in this process: what one end writes, the other receives, as bytes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pygls.lsp.client import LanguageClient

from gpu2ascend.lsp.server import Server
from gpu2ascend.lsp.startup.protocol import Protocol


class _End:
    """Where one end of a session writes its messages, each at once, from any thread."""

    def __init__(self, receive: Callable[[bytes], None]) -> None:
        self._receive = receive
        self._loop = asyncio.get_running_loop()
        self.is_closed = False

    def write(self, data: bytes) -> None:
        """Hand on a message; of an ended session nobody reads any."""
        if not self.is_closed:
            self._loop.call_soon_threadsafe(self._receive, data.partition(b"\r\n\r\n")[2])


@asynccontextmanager
async def serving(client: LanguageClient) -> AsyncIterator[Server]:
    """A server of this process that a client talks to; it begins as one that was just started."""
    server = Server()
    protocol = server.protocol
    assert isinstance(protocol, Protocol)

    def receive(body: bytes) -> None:
        client.protocol.handle_message(json.loads(body, object_hook=client.protocol.structure_message))

    ends = _End(protocol.receive), _End(receive)
    client.protocol.set_writer(ends[0])
    protocol.set_writer(ends[1])
    try:
        yield server
    finally:
        for end in ends:
            end.is_closed = True
        server.shutdown()
