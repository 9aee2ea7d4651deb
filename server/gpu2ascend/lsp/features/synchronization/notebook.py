"""``notebookDocument/didOpen``, ``didChange``, ``didClose``.

The cells are documents like any other, so that requests find them by their URIs; what is analysed is the
composite of all, for a name imported in one cell resolves in the next.
"""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from ...server import Server
from .text import publish


def register(server: Server) -> None:
    """Answer these notifications."""

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    async def did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        for item in params.cell_text_documents:
            server.documents.open(item)
        notebook = params.notebook_document
        await _arrange(server, notebook.uri, notebook.version, tuple(notebook.cells))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    async def did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        identifier, change = params.notebook_document, params.change.cells
        notebook = server.documents.notebook(identifier.uri)
        if notebook is None:
            server.log.warn("lsp.log.not-open", uri=identifier.uri)
            return
        cells = notebook.cells
        if change is not None:
            cells = _rearranged(server, cells, change)
            for content in change.text_content or ():
                cell = content.document
                server.documents.change(cell.uri, cell.version, content.changes, server.unit)
        await _arrange(server, identifier.uri, identifier.version, cells)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        composite = server.documents.close_notebook(params.notebook_document.uri)
        if composite is not None:
            server.analyses.forget(composite.uri)
            server.indexing.edited(composite.uri)
        _close(server, (cell.uri for cell in params.cell_text_documents))


async def _arrange(server: Server, uri: str, version: int, cells: tuple[types.NotebookCell, ...]) -> None:
    composite = server.documents.arrange(uri, version, cells)
    server.indexing.edited(composite.uri)
    await publish(server, composite)


def _rearranged(
    server: Server, cells: tuple[types.NotebookCell, ...], change: types.NotebookDocumentCellChanges
) -> tuple[types.NotebookCell, ...]:
    """The cells after some came, went or became of another kind."""
    if change.structure is not None:
        array = change.structure.array
        cells = (*cells[: array.start], *(array.cells or ()), *cells[array.start + array.delete_count :])
        _close(server, (item.uri for item in change.structure.did_close or ()))
        for item in change.structure.did_open or ():
            server.documents.open(item)
    by_uri = {cell.document: cell for cell in change.data or ()}
    return tuple(by_uri.get(cell.document, cell) for cell in cells)


def _close(server: Server, uris: Iterable[str]) -> None:
    for uri in uris:
        if server.documents.close(uri) is not None:
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
