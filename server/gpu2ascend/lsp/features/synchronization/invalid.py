"""Messages that cannot be taken: the log says why, and a text that may differ from the client's is given up.

The protocol has no way to ask for a text again. What would be said of a text that the client no longer has
would be wrong, and an edit of it would destroy the client's.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message

from ...server import Server
from ...startup.protocol import Protocol


def register(server: Server) -> None:
    """Log such messages from now on."""
    assert isinstance(server.protocol, Protocol)

    def report(method: str, reason: str, params: Any) -> None:
        server.log.warn("lsp.log.invalid", method=method, reason=reason)
        if method == types.TEXT_DOCUMENT_DID_CHANGE:
            give_up(server, _uri(params, "textDocument"))
        elif method == types.NOTEBOOK_DOCUMENT_DID_CHANGE:
            give_up_notebook(server, _uri(params, "notebookDocument"))

    server.protocol.on_invalid = report


def give_up(server: Server, uri: str) -> None:
    """Examine a document no more until its whole text comes, and say so."""
    if server.documents.lose(uri) is None:
        return
    server.analyses.forget(uri)
    server.indexing.edited(uri)
    _say(server, uri, [uri])


def give_up_notebook(server: Server, uri: str) -> None:
    """Examine a notebook no more until it is opened again, and say so."""
    composite = server.documents.close_notebook(uri)
    if composite is None:
        return
    server.analyses.forget(composite.uri)
    server.indexing.edited(composite.uri)
    cells = [part.uri for part in composite.parts]
    for cell in cells:
        server.documents.close(cell)
    _say(server, uri, cells)


def _say(server: Server, uri: str, shown: list[str]) -> None:
    for part in shown:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(part, []))
    text = render(Message.of("lsp.out-of-step", uri=uri), server.settings.of(uri).language)
    server.show(types.MessageType.Error, text)


def _uri(params: Any, name: str) -> str:
    """The URI in parameters that are wrong somewhere."""
    identifier = params.get(name) if isinstance(params, dict) else None
    uri = identifier.get("uri") if isinstance(identifier, dict) else None
    return uri if isinstance(uri, str) else ""
