"""How the client sees that an index is being built."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message

from ...project.files.paths import shown
from ..commands.work_progress import WorkProgress
from ..server import Server

_PATIENCE_SECONDS = 5.0
"""How long the end waits for a client that has not answered whether it shows progress."""


class IndexProgress:
    """The building never waits for the client: what it has not asked for yet is not shown."""

    def __init__(self, server: Server, root: Path) -> None:
        self._language = server.settings.language
        title = render(Message.of("lsp.progress.index", name=shown(root.name or root)), self._language)
        self._shown = asyncio.ensure_future(WorkProgress.begin(server, None, title))

    def report(self, done: int, total: int) -> None:
        """So many files have been read."""
        if self._shown.done():
            text = render(Message.of("lsp.progress.files", done=done, total=total), self._language)
            self._shown.result().report(100 * done // max(total, 1), text)

    async def end(self) -> None:
        """It is over."""
        with suppress(asyncio.TimeoutError):
            (await asyncio.wait_for(self._shown, _PATIENCE_SECONDS)).end()
