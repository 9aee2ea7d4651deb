"""``initialize`` and the folders of the workspace."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from .configuration import ask, show_again
from .server import Server
from .uris import path_of


def register(server: Server) -> None:
    """Answer these requests."""

    _begin(server, server.initialize_params)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = set(_paths([folder.uri for folder in params.event.removed]))
        kept = [folder for folder in server.settings.folders if folder not in gone]
        added = [path for path in _paths([folder.uri for folder in params.event.added]) if path not in kept]
        server.settings.use_folders([*kept, *added])
        await ask(server)
        await show_again(server)

    @server.feature(types.SHUTDOWN)
    def shut_down(params: None) -> None:
        server.migrations.cancel_all()


def _begin(server: Server, params: types.InitializeParams) -> None:
    """What the client said at the start."""
    server.settings.initialize(params.initialization_options, params.locale)
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    server.settings.use_folders(_paths(uris))


def _paths(uris: list[str]) -> list[Path]:
    return [path for uri in uris if (path := path_of(uri)) is not None]
