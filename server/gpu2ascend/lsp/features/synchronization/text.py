"""``textDocument/didOpen``, ``didChange``, ``didClose``; diagnostics are sent to clients that do not ask."""

from __future__ import annotations

import logging
from functools import partial

from lsprotocol import types

from ...server import Server
from ...session.analysis import OutdatedError
from ...session.documents import Document, too_large
from ..diagnostics.from_findings import encoded_diagnostics


def register(server: Server) -> None:
    """Answer these notifications."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = server.documents.open(params.text_document)
        if document.is_too_large:
            server.log.write(too_large(document.uri), logging.WARNING)
        server.indexing.edited(document.uri)
        await publish(server, document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: types.DidChangeTextDocumentParams) -> None:
        identifier = params.text_document
        document = server.documents.change(
            identifier.uri, identifier.version, params.content_changes, server.unit
        )
        if document is None:
            server.log.warn("lsp.log.not-open", uri=identifier.uri)
            return
        server.indexing.edited(document.uri)
        await publish(server, document)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if server.documents.close(uri) is None:
            return
        server.analyses.forget(uri)
        server.indexing.edited(uri)
        if not server.pulls_diagnostics:
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


async def publish(server: Server, document: Document) -> None:
    """Send the diagnostics of a version, unless another has come meanwhile.

    Those of cells are sent to a client that asks, too: of what else is in a notebook it may not think when it
    asks again, and VS Code's never asks about a cell.
    """
    if server.pulls_diagnostics and document.cells is None:
        return
    while True:
        try:
            analysis = await server.analysis_of(document)
            break
        except OutdatedError:
            if not server.documents.is_current(document):
                return  # else only the project has changed meanwhile
    server.analyses.show(analysis)
    language = server.settings.of(document.uri).language
    work = partial(encoded_diagnostics, analysis, server.unit, language)
    for params in await server.worker.in_thread(work):
        if server.documents.is_current(document):
            server.notify_encoded(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
