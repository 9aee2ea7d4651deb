"""The server: what all requests share.

Nothing of the engine is imported before ``initialize`` is answered; see
:mod:`gpu2ascend.lsp.startup.loading`.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from .. import __version__
from ..texts.escaping import label
from .conversion.json_messages import Encoded, raw_converter
from .startup.announcement import NOTEBOOKS, announce
from .startup.ending import end_by_signals
from .startup.protocol import Protocol
from .startup.reading import HeaderError, MessageReader
from .startup.writing import MessageWriter

if TYPE_CHECKING:
    from gpu2ascend_rules.text.lines import ColumnUnit

    from ..project.migrate.migration_process import Migrations
    from .session.analysis import Analyses, Analysis
    from .session.client_log import ClientLog
    from .session.documents import Document, DocumentStore
    from .session.projects.indexing import Indexing
    from .session.projects.projects import Projects
    from .session.projects.verifications import Verifications
    from .session.settings import Settings
    from .session.worker import Worker

_PATIENCE_SECONDS = 5.0


class Server(LanguageServer):
    """A language server with the state that its requests share.

    :mod:`gpu2ascend.lsp.features.lifecycle.state` makes that state.
    """

    documents: DocumentStore
    projects: Projects
    indexing: Indexing
    settings: Settings
    worker: Worker
    migrations: Migrations
    verifications: Verifications
    analyses: Analyses
    log: ClientLog
    warming: asyncio.Future[None]
    """Done when the first analysis costs no more than the next."""

    header_problem: str | None = None
    """What came in the place of a message, and ended the session."""

    def __init__(self) -> None:
        super().__init__(
            "gpu2ascend",
            __version__,
            protocol_cls=Protocol,
            converter_factory=raw_converter,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            notebook_document_sync=NOTEBOOKS,
        )
        announce(self)
        self.logger = logging.getLogger("gpu2ascend")
        self.has_settings = asyncio.Event()
        """Set once the client's settings are there, or will not come."""

    @property
    def initialize_params(self) -> types.InitializeParams:
        """What the client said at the start."""
        assert isinstance(self.protocol, Protocol)
        return self.protocol.initialize_params

    @property
    def was_shut_down(self) -> bool:
        """Whether the client asked for the shutdown before it ended the server."""
        return isinstance(self.protocol, Protocol) and self.protocol.was_shut_down

    @property
    def unit(self) -> ColumnUnit:
        """What the client counts as a column."""
        from gpu2ascend_rules.text.lines import ColumnUnit

        encoding = self.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16
        return ColumnUnit(str(getattr(encoding, "value", encoding)))

    @property
    def pulls_diagnostics(self) -> bool:
        """Whether the client asks for diagnostics; else they are sent to it."""
        document = self.client_capabilities.text_document
        return document is not None and document.diagnostic is not None

    def notify_encoded(self, method: str, params: Encoded) -> None:
        """Send a notification of which the parameters are JSON already."""
        if isinstance(self.protocol, Protocol):
            self.protocol.notify_encoded(method, params)

    def show(self, kind: types.MessageType, text: str) -> None:
        """Show a message to the user, as text in which nothing can be clicked."""
        self.window_show_message(types.ShowMessageParams(kind, label(text)))

    async def ready(self) -> None:
        """Wait for the client's settings, though not for a client that never gives any."""
        if self.has_settings.is_set():
            return
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.has_settings.wait(), _PATIENCE_SECONDS)
        self.has_settings.set()

    async def analysis_of(self, document: Document) -> Analysis:
        """The analysis of a document by its settings; one without findings where those switch it off."""
        await self.ready()
        settings = self.settings.of(document.uri)
        return await self.analyses.of(document, settings.options, is_wanted=settings.is_enabled)

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Answer the client's messages until it ends the session, leaves, or speaks another protocol."""
        end_by_signals()
        writer = MessageWriter(stdout or sys.stdout.buffer, lambda: self.was_shut_down)
        self.protocol.set_writer(writer)
        try:
            asyncio.run(self._answer(MessageReader(stdin or sys.stdin.buffer)))
        except SystemExit:  # `exit`
            pass
        except HeaderError as error:
            self.header_problem = str(error)
        finally:
            writer.close()
            self.shutdown()

    async def _answer(self, reader: MessageReader) -> None:
        assert isinstance(self.protocol, Protocol)
        while (body := await reader.body()) is not None:
            self.protocol.receive(body)

    def shutdown(self) -> None:
        """Stop, and everything that was begun."""
        if isinstance(self.protocol, Protocol) and self.protocol.is_loaded:
            self.migrations.cancel_all()
            self.verifications.end_all()
            self.indexing.close()
            self.worker.close()
        super().shutdown()  # type: ignore[no-untyped-call]
