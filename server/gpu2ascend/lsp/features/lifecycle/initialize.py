"""``initialize`` and the folders of the workspace."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from ...conversion.uris import path_of
from ...server import Server


def register(server: Server) -> None:
    """Answer these requests."""

    _begin(server, server.initialize_params)

    @server.feature(types.SHUTDOWN)
    def shut_down(params: None) -> None:
        server.migrations.cancel_all()
        server.verifications.end_all()


def change_folders(server: Server, event: types.WorkspaceFoldersChangeEvent) -> None:
    """Folders came, or went."""
    gone = set(_paths([folder.uri for folder in event.removed]))
    kept = [folder for folder in server.settings.folders if folder not in gone]
    added = [path for path in _paths([folder.uri for folder in event.added]) if path not in kept]
    _use_folders(server, [*kept, *added])


def _begin(server: Server, params: types.InitializeParams) -> None:
    """What the client said at the start."""
    server.settings.initialize(params.initialization_options, params.locale)
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    _use_folders(server, _paths(uris))


def _use_folders(server: Server, folders: list[Path]) -> None:
    server.settings.use_folders(folders)
    server.indexing.folders_changed()


def _paths(uris: list[str]) -> list[Path]:
    return [path for uri in uris if (path := path_of(uri)) is not None]
