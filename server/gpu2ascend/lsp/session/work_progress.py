"""Progress of long work: on the client's own token, or on one that the server asks for."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from ...texts.escaping import label

Token = str | int


class WorkProgress:
    """One piece of work as the client shows it. Belongs to the event loop's thread."""

    def __init__(self, server: LanguageServer, token: Token | None) -> None:
        self._progress = server.work_done_progress
        self._token = token
        self._percentage = 0

    @classmethod
    async def begin(
        cls, server: LanguageServer, token: object, title: str, on_cancel: Callable[[], None] | None = None
    ) -> WorkProgress:
        """Show the work; ``on_cancel`` is called when the client cancels it. Without it, the client cannot.

        Args:
            token: The client's own, when it gave one. Without it, the server asks for one if the client
                can show progress, and otherwise nothing is shown.
        """
        own = token if isinstance(token, (str, int)) and not isinstance(token, bool) else None
        if own is None:
            own = await _created(server)
        progress = cls(server, own)
        if own is not None:
            cancellable = on_cancel is not None
            value = types.WorkDoneProgressBegin(title=label(title), cancellable=cancellable, percentage=0)
            server.work_done_progress.begin(own, value)
            if on_cancel is not None:
                call = on_cancel
                cancelled = server.work_done_progress.tokens[own]
                cancelled.add_done_callback(lambda future: call() if future.cancelled() else None)
        return progress

    def report(self, percentage: int, message: str) -> None:
        """Show how far the work is; it never goes back."""
        if self._token is not None:
            self._percentage = max(self._percentage, min(percentage, 100))
            value = types.WorkDoneProgressReport(message=label(message), percentage=self._percentage)
            self._progress.report(self._token, value)

    def tell(self, message: str) -> None:
        """Show what is done now, of work of which nobody knows how long it takes."""
        if self._token is not None:
            self._progress.report(self._token, types.WorkDoneProgressReport(message=label(message)))

    def end(self) -> None:
        """Take it away. The token is forgotten, too: it may be used again."""
        if self._token is not None:
            self._progress.end(self._token, types.WorkDoneProgressEnd())
            self._progress.tokens.pop(self._token, None)
            self._token = None


async def _created(server: LanguageServer) -> Token | None:
    window = server.client_capabilities.window
    if window is None or not window.work_done_progress:
        return None
    token = f"gpu2ascend/{uuid.uuid4()}"
    with suppress(JsonRpcException):
        await server.work_done_progress.create_async(token)
        return token
    return None
