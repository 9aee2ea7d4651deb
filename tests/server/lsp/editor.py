"""An editor without a screen: it starts a session, and answers what the server asks."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from gpu2ascend.lsp.conversion.json_messages import raw_converter
from gpu2ascend_rules.kinds.registry import kind_of_name
from tests.server.lsp.wire import serving

TOP = Path(__file__).parents[3]
PATIENCE = 240


class Editor(LanguageClient):
    """A client that keeps what it receives."""

    def __init__(self) -> None:
        super().__init__("editor", "1", converter_factory=raw_converter)
        self.settings: dict[str | None, Any] = {}
        """What the user has set, by the folder's URI; None for all folders."""
        self.messages: list[str] = []
        self.progress: list[tuple[Any, Any]] = []
        self.applied: list[types.WorkspaceEdit] = []
        self.registered: list[types.Registration] = []
        self.diagnostics: dict[str, list[types.Diagnostic]] = {}
        self.refreshed: list[str] = []
        self.printed: list[tuple[Any, str]] = []
        """Lines of runs on a simulated NPU, with the token of the run."""
        self.accepts_edits = True
        self.answers_registrations = asyncio.Event()
        self.answers_registrations.set()
        self._news = asyncio.Event()
        _answer(self)

    def notify(self) -> None:
        """Something has arrived."""
        self._news.set()

    @property
    def ended_progress(self) -> int:
        """How many pieces of work have been shown to their end."""
        return sum(value["kind"] == "end" for _, value in self.progress)

    async def until(self, condition: Any) -> None:
        """Wait until what has arrived fulfils a condition."""

        async def wait() -> None:
            while not condition():
                self._news.clear()
                await self._news.wait()

        await asyncio.wait_for(wait(), PATIENCE)

    async def ask(self, method: str, params: Any) -> Any:
        """The result of a request."""
        return await asyncio.wait_for(self.protocol.send_request_async(method, params), PATIENCE)

    async def run(self, command: str, *arguments: Any) -> Any:
        """The result of a command."""
        params = types.ExecuteCommandParams(f"gpu2ascend.{command}", list(arguments))
        return await asyncio.wait_for(self.workspace_execute_command_async(params), PATIENCE)

    def open(self, path: Path, text: str, version: int = 1) -> str:
        """Open a document; gives its URI."""
        uri = path.as_uri()
        kind = kind_of_name(path.as_posix())
        language = "python" if kind is None else kind.languages[0] if kind.languages else "plaintext"
        item = types.TextDocumentItem(uri, language, version, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str, version: int) -> None:
        """Replace the whole text of an open document."""
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def close(self, uri: str) -> None:
        """Close a document."""
        self.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def change_settings(self, **settings: object) -> None:
        """Replace what the user has set for all folders."""
        self.settings = {None: settings}
        self.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))

    def files_changed(self, *paths: Path) -> None:
        """Say that files have changed on the disk: what is there now, and what is gone."""
        kinds = {True: types.FileChangeType.Changed, False: types.FileChangeType.Deleted}
        events = [types.FileEvent(path.as_uri(), kinds[path.exists()]) for path in paths]
        self.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))


def _answer(editor: Editor) -> None:
    @editor.feature(types.WORKSPACE_CONFIGURATION)
    def configuration(params: types.ConfigurationParams) -> list[Any]:
        return [editor.settings.get(item.scope_uri, editor.settings.get(None)) for item in params.items]

    @editor.feature(types.CLIENT_REGISTER_CAPABILITY)
    async def register(params: types.RegistrationParams) -> None:
        editor.registered.extend(params.registrations)
        editor.notify()
        await editor.answers_registrations.wait()

    @editor.feature(types.CLIENT_UNREGISTER_CAPABILITY)
    def unregister(params: types.UnregistrationParams) -> None:
        gone = {item.id for item in params.unregisterations}
        editor.registered = [item for item in editor.registered if item.id not in gone]

    @editor.feature(types.WINDOW_SHOW_MESSAGE)
    def show_message(params: types.ShowMessageParams) -> None:
        editor.messages.append(params.message)
        editor.notify()

    @editor.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
    def create_progress(params: types.WorkDoneProgressCreateParams) -> None:
        return None

    @editor.feature(types.PROGRESS)
    def progress(params: types.ProgressParams) -> None:
        editor.progress.append((params.token, params.value))
        editor.notify()

    @editor.feature("gpu2ascend/verifyOutput")
    def output(params: Any) -> None:
        editor.printed.extend((params["token"], line) for line in params["lines"])
        editor.notify()

    @editor.feature(types.WORKSPACE_APPLY_EDIT)
    def apply_edit(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        editor.applied.append(params.edit)
        return types.ApplyWorkspaceEditResult(editor.accepts_edits)

    @editor.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def publish(params: types.PublishDiagnosticsParams) -> None:
        editor.diagnostics[params.uri] = list(params.diagnostics)
        editor.notify()

    @editor.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)
    def refresh_diagnostics(params: None) -> None:
        editor.refreshed.append("diagnostics")
        editor.notify()

    @editor.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh_lenses(params: None) -> None:
        editor.refreshed.append("lenses")
        editor.notify()


def capabilities(**changes: Any) -> types.ClientCapabilities:
    """Those of an editor that can do everything that matters here."""
    workspace = types.WorkspaceClientCapabilities(
        apply_edit=True,
        configuration=True,
        workspace_folders=True,
        code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
        did_change_configuration=types.DidChangeConfigurationClientCapabilities(dynamic_registration=True),
        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        workspace_edit=types.WorkspaceEditClientCapabilities(
            document_changes=True,
            resource_operations=[types.ResourceOperationKind.Create],
            change_annotation_support=types.ChangeAnnotationsSupportOptions(),
        ),
    )
    window = types.WindowClientCapabilities(work_done_progress=True)
    return types.ClientCapabilities(**{"workspace": workspace, "window": window, **changes})


@asynccontextmanager
async def editing(
    *folders: Path,
    settings: dict[str | None, Any] | None = None,
    can: types.ClientCapabilities | None = None,
    command: tuple[str, ...] | None = ("gpu2ascend", "lsp"),
    **initialize: Any,
) -> AsyncIterator[Editor]:
    """An editor with these folders open, and its server: a module with its arguments, or one of this process.

    Without a process a session costs half as much, and what it runs is seen by whoever records that.
    """
    editor = Editor()
    editor.settings.update(settings or {None: {"version": "2.8.0"}})
    async with serving(editor) if command is None else _process(editor, command):
        values = {
            "capabilities": can or capabilities(),
            "workspace_folders": [types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders],
            **initialize,
        }
        await asyncio.wait_for(editor.initialize_async(types.InitializeParams(**values)), PATIENCE)
        editor.initialized(types.InitializedParams())
        yield editor
        await asyncio.wait_for(editor.shutdown_async(None), PATIENCE)


@asynccontextmanager
async def _process(editor: Editor, command: tuple[str, ...]) -> AsyncIterator[None]:
    """A process that serves an editor; it ends with the session."""
    path = os.pathsep.join(str(TOP / part) for part in ("rules", "server", "."))
    await editor.start_io(sys.executable, "-m", *command, env={**os.environ, "PYTHONPATH": path, "LANG": "C"})
    try:
        yield
        editor.exit(None)
    finally:
        await asyncio.wait_for(editor.stop(), PATIENCE)
