"""The server: what all requests share, and the table of the modules that answer them."""

from __future__ import annotations

import asyncio
import importlib
import logging
from contextlib import suppress

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from gpu2ascend_rules.finding import Message
from gpu2ascend_rules.lines import ColumnUnit
from gpu2ascend_rules.messages import render

from .. import __version__
from ..project.migration_process import Migrations
from .analysis import Analyses, Analysis
from .documents import Document, DocumentStore
from .protocol import Protocol, raw_converter
from .settings import Settings
from .worker import Worker

FEATURES = (
    "lifecycle",
    "configuration",
    "text_synchronization",
    "notebook_synchronization",
    "pull_diagnostics",
    "workspace_diagnostics",
    "code_actions",
    "hover",
    "code_lens",
    "completion",
    "commands",
)
"""Modules with a function ``register(server)``: each answers one request, or those that belong together."""

_PATIENCE_SECONDS = 5.0


NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithCells(
            cells=[types.NotebookCellLanguage("python")],
            notebook=types.NotebookDocumentFilterNotebookType("*"),
        )
    ]
)
"""Python cells of notebooks of any kind."""


class Server(LanguageServer):
    """A language server with the state that its requests share."""

    def __init__(self) -> None:
        super().__init__(
            "gpu2ascend",
            __version__,
            protocol_cls=Protocol,
            converter_factory=raw_converter,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            notebook_document_sync=NOTEBOOKS,
        )
        self.logger = logging.getLogger("gpu2ascend")
        self.documents = DocumentStore()
        self.settings = Settings()
        self.worker = Worker()
        self.migrations = Migrations()
        self.has_settings = asyncio.Event()
        """Set once the client's settings are there, or will not come."""
        self.analyses = Analyses(self.documents, self.worker, self._rule_failed)

    @property
    def was_shut_down(self) -> bool:
        """Whether the client asked for the shutdown before it ended the server."""
        return isinstance(self.protocol, Protocol) and self.protocol.was_shut_down

    @property
    def unit(self) -> ColumnUnit:
        """What the client counts as a column."""
        encoding = self.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16
        return ColumnUnit(str(getattr(encoding, "value", encoding)))

    @property
    def pulls_diagnostics(self) -> bool:
        """Whether the client asks for diagnostics; else they are sent to it."""
        document = self.client_capabilities.text_document
        return document is not None and document.diagnostic is not None

    async def ready(self) -> None:
        """Wait for the client's settings, though not for a client that never gives any."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.has_settings.wait(), _PATIENCE_SECONDS)
        self.has_settings.set()

    async def analysis_of(self, document: Document) -> Analysis:
        """The analysis of a document by its settings."""
        await self.ready()
        return await self.analyses.of(document, self.settings.of(document.uri).options)

    def _rule_failed(self, code: str, uri: str, details: str) -> None:
        """A mistake of ours is told, and costs the findings of its rule only."""
        message = Message.of("lsp.rule-failed", code=code or "engine", uri=uri, details=details)
        self.logger.error("%s in %s:\n%s", code or "engine", uri, details)
        text = render(message, self.settings.language)
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))

    def shutdown(self) -> None:
        """Stop, and everything that was begun."""
        self.migrations.cancel_all()
        self.worker.close()
        super().shutdown()  # type: ignore[no-untyped-call]


def create_server() -> Server:
    """A server with every feature."""
    server = Server()
    for name in FEATURES:
        importlib.import_module(f".{name}", __package__).register(server)
    return server
