"""What makes settings be read again: the client reports changed settings, files or folders."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message

from ....project.files.discover import PYTHON_SUFFIXES
from ...conversion.uris import path_of, uri_of
from ...server import Server
from ...session.client_settings import SECTION
from ..project_index import refreshes
from ..synchronization.text import publish
from .initialize import change_folders
from .watched_files import Watched


def register(server: Server) -> None:
    """Answer these notifications, and begin once the client is ready."""
    problems = _Problems(server)
    watched = Watched(server)
    server.settings.on_problems = problems.report

    async def read_anew(*, of_client: bool = True) -> None:
        with problems:
            if of_client:
                await ask(server)
                server.indexing.begin()
            _look_everywhere(server)
            server.log.settings()
        # Not every client answers what is asked of it now; what is wrong has been reported by then.
        await watched.update()
        await show_again(server)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        try:
            await read_anew()
        finally:
            server.has_settings.set()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration_changed(params: types.DidChangeConfigurationParams) -> None:
        if params.settings is not None and not _can_be_asked(server):
            server.settings.use(params.settings)
        await read_anew()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        change_folders(server, params.event)
        await read_anew()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.indexing.files_changed(event.uri for event in params.changes)
        if any(_has_settings(event.uri) for event in params.changes):
            server.settings.forget()
            await read_anew(of_client=False)


async def ask(server: Server) -> None:
    """Ask the client for its settings, if it can be asked."""
    if _can_be_asked(server):
        folders = server.settings.folders
        scopes = [None, *(uri_of(folder) for folder in folders)]
        items = [types.ConfigurationItem(scope_uri=scope, section=SECTION) for scope in scopes]
        try:
            answers = await server.workspace_configuration_async(types.ConfigurationParams(items))
        except JsonRpcException as error:
            server.log.warn("lsp.log.no-settings", reason=error)
            answers = []
        general, *of_folders = answers or [None]
        server.settings.use(general, dict(zip(folders, of_folders, strict=False)))
    server.has_settings.set()


async def show_again(server: Server) -> None:
    """Whatever is shown may be something else by the settings of now."""
    workspace = server.client_capabilities.workspace
    if server.pulls_diagnostics and workspace is not None and refreshes(workspace.diagnostics):
        await server.workspace_diagnostic_refresh_async(None)
    for document in server.documents:
        await publish(server, document)
    if workspace is not None and refreshes(workspace.code_lens):
        await server.workspace_code_lens_refresh_async(None)


class _Problems:
    """Shows what is wrong with settings: each problem once, and all of one reading in one message."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._shown: set[str] = set()
        self._held: list[Message] = []
        self._readings = 0

    def __enter__(self) -> None:
        """A reading begins, maybe during another: what is still wrong then is shown again."""
        self._shown.clear()
        self._readings += 1

    def __exit__(self, *_: object) -> None:
        self._readings -= 1
        held, self._held = self._held, []
        self._show((*held, *self._server.settings.client_problems))

    def report(self, problems: Iterable[Message]) -> None:
        """Show the problems now, or at the end of the reading."""
        if self._readings:
            self._held.extend(problems)
        else:
            self._show(problems)

    def _show(self, problems: Iterable[Message]) -> None:
        language = self._server.settings.language
        texts = dict.fromkeys(render(problem, language) for problem in problems)
        new = [text for text in texts if text not in self._shown]
        if new:
            self._shown.update(new)
            text = "gpu2ascend: " + "\n".join(new)
            self._server.show(types.MessageType.Warning, text)


def _has_settings(uri: str) -> bool:
    """Whether a file that is watched may be one that settings come from. Rules may be in any file."""
    path = path_of(uri)
    return path is None or path.name == "setup.py" or path.suffix.lower() not in PYTHON_SUFFIXES


def _look_everywhere(server: Server) -> None:
    """Read the settings of every folder, so that all that is wrong is known at once."""
    for folder in server.settings.folders:
        server.settings.at(folder)


def _can_be_asked(server: Server) -> bool:
    workspace = server.client_capabilities.workspace
    return workspace is not None and bool(workspace.configuration)
