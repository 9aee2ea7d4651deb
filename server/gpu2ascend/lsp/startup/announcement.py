"""What the server says of itself when it is initialised, before what does it has been imported.

A client waits for this answer before it shows anything; the engine and the migration take longer to import
than all that this needs. :mod:`.loading` puts the real handlers into these places.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

SOURCE = "gpu2ascend"
"""Who diagnostics come from."""

FIX_ALL = "source.fixAll.gpu2ascend"
NOTEBOOK_FIX_ALL = f"notebook.{FIX_ALL}"
"""What editors that have it ask the first cell for when a notebook is saved."""
MIGRATE_FILE = "gpu2ascend.migrateFile"
PREVIEW = "gpu2ascend.previewMigration"
EXPLAIN = "gpu2ascend.explain"

REQUESTS = (
    "gpu2ascend/migrate",
    "gpu2ascend/analyze",
    "gpu2ascend/preview",
    "gpu2ascend/finishPreview",
    "gpu2ascend/verify",
    "gpu2ascend/handover",
)
"""Methods of this server's own."""

NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithCells(
            cells=[types.NotebookCellLanguage("python")],
            notebook=types.NotebookDocumentFilterNotebookType("*"),
        )
    ]
)
"""Python cells of notebooks of any kind."""

FEATURES: dict[str, object | None] = {
    types.INITIALIZED: None,
    types.SHUTDOWN: None,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: None,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: None,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: None,
    types.TEXT_DOCUMENT_DID_OPEN: None,
    types.TEXT_DOCUMENT_DID_CHANGE: None,
    types.TEXT_DOCUMENT_DID_CLOSE: None,
    types.NOTEBOOK_DOCUMENT_DID_OPEN: None,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: None,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: None,
    types.TEXT_DOCUMENT_DIAGNOSTIC: types.DiagnosticOptions(
        inter_file_dependencies=False, workspace_diagnostics=True, identifier=SOURCE
    ),
    types.WORKSPACE_DIAGNOSTIC: None,
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, FIX_ALL, NOTEBOOK_FIX_ALL],
        resolve_provider=True,
    ),
    types.CODE_ACTION_RESOLVE: None,
    types.TEXT_DOCUMENT_HOVER: None,
    types.TEXT_DOCUMENT_CODE_LENS: types.CodeLensOptions(resolve_provider=False),
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=[".", "'", '"', "(", ":"]),
    **dict.fromkeys(REQUESTS),
}
"""Every method that the server handles, with the options that are announced to the client."""

COMMANDS = (
    "gpu2ascend.migrateProject",
    "gpu2ascend.analyzeProject",
    "gpu2ascend.verifyProject",
    "gpu2ascend.handover",
    PREVIEW,
    MIGRATE_FILE,
    EXPLAIN,
    "gpu2ascend.options",
    "gpu2ascend.validateOptions",
    "gpu2ascend.rules",
    "gpu2ascend.status",
)


def announce(server: LanguageServer) -> None:
    """Let the server's capabilities be those of all its features."""
    for method, options in FEATURES.items():
        server.feature(method, options)(_not_loaded)
    for command in COMMANDS:
        server.command(command)(_not_loaded)


def _not_loaded(*_: Any) -> None:
    raise RuntimeError("a message was handled before its handler was there")
