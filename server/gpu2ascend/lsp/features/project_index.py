"""What the client sees of the projects' indexes: that one is being built, and findings that become others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message

from ...project.paths import shown
from ..server import Server
from ..session.analysis import OutdatedError
from ..session.documents import Document
from ..session.work_progress import WorkProgress
from .synchronization.text import publish

_PATIENCE_SECONDS = 5.0
"""How long the end waits for a client that has not answered whether it shows progress."""


class IndexFront:
    """A :class:`..session.indexing.Front`: the client of a server."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def ready(self) -> None:
        """Wait until the first document need not wait for anything any more."""
        await self._server.warming

    def announce(self, root: Path) -> IndexProgress:
        """Show that the index of a project is being built."""
        return IndexProgress(self._server, root)

    def not_indexed(self, root: Path) -> None:
        """Say that a project has no index."""
        self._server.log.warn("lsp.log.not-indexed", folder=shown(root))

    async def refresh(self, documents: Iterable[Document]) -> None:
        """See :func:`refresh`."""
        await refresh(self._server, documents)


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


async def refresh(server: Server, documents: Iterable[Document]) -> None:
    """Analyse documents again, one after the other, and show those whose findings differ.

    A client that asks for diagnostics, or for lenses, is asked once to do so again, and only if there is a
    difference. Its answer, which some clients never give, is not waited for.
    """
    differ = lenses_differ = False
    for document in documents:
        try:
            analysis = await server.analysis_of(document)
        except OutdatedError:
            continue  # the version of now is being analysed
        lenses_differ |= server.analyses.counted(document.uri) not in (None, analysis.findings)
        if server.analyses.shown(document.uri) not in (None, analysis.findings):
            differ = True
            await publish(server, document)
    workspace = server.client_capabilities.workspace
    if workspace is None:
        return
    if differ and server.pulls_diagnostics and refreshes(workspace.diagnostics):
        server.workspace_diagnostic_refresh(None)
    if lenses_differ and refreshes(workspace.code_lens):
        server.workspace_code_lens_refresh(None)


def refreshes(capability: object) -> bool:
    """Whether the client can be asked to ask again."""
    return bool(getattr(capability, "refresh_support", False))
