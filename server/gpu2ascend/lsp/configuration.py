"""``workspace/didChangeConfiguration`` and ``didChangeWatchedFiles``: settings are read anew."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gpu2ascend_rules.finding import Message
from gpu2ascend_rules.messages import render

from .client_settings import SECTION
from .server import Server
from .text_synchronization import publish
from .uris import uri_of

WATCHED_FILES = (
    "**/pyproject.toml",
    "**/setup.{py,cfg}",
    "**/requirements*.{txt,in}",
    "**/requirements/*.txt",
    "**/{environment,env,conda}*.{yml,yaml}",
)
"""The files that options and the version come from; see :mod:`gpu2ascend.project.version_detect`."""


def register(server: Server) -> None:
    """Answer these notifications, and begin once the client is ready."""
    told: set[str] = set()

    def tell(problems: Iterable[Message]) -> None:
        """One message for all that is wrong and was not told before."""
        texts = dict.fromkeys(render(problem, server.settings.language) for problem in problems)
        new = [text for text in texts if text not in told]
        if new:
            told.update(new)
            text = "gpu2ascend: " + "\n".join(new)
            server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))

    async def begin_again() -> None:
        """What is wrong is told again if it is still wrong."""
        told.clear()
        await refresh(server)
        tell(server.settings.client_problems)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        server.settings.on_problems = tell
        try:
            await _watch(server)
            await begin_again()
        finally:
            server.has_settings.set()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration_changed(params: types.DidChangeConfigurationParams) -> None:
        if params.settings and not _can_be_asked(server):
            server.settings.use(params.settings)
        await begin_again()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        told.clear()
        server.settings.forget()
        await show_again(server)


async def refresh(server: Server) -> None:
    """Ask the client for its settings, if it can be asked, and look at everything by them."""
    if _can_be_asked(server):
        folders = server.settings.folders
        scopes = [None, *(uri_of(folder) for folder in folders)]
        items = [types.ConfigurationItem(scope_uri=scope, section=SECTION) for scope in scopes]
        try:
            answers = await server.workspace_configuration_async(types.ConfigurationParams(items))
        except JsonRpcException as error:
            server.logger.warning("the client gives no settings: %s", error)
            answers = []
        general, *of_folders = answers or [None]
        server.settings.use(general, dict(zip(folders, of_folders, strict=False)))
    server.has_settings.set()
    await show_again(server)


async def show_again(server: Server) -> None:
    """Whatever is shown may be something else by the settings of now."""
    workspace = server.client_capabilities.workspace
    if server.pulls_diagnostics:
        if workspace is not None and _refreshes(workspace.diagnostics):
            await server.workspace_diagnostic_refresh_async(None)
    else:
        for document in server.documents:
            await publish(server, document)
    if workspace is not None and _refreshes(workspace.code_lens):
        await server.workspace_code_lens_refresh_async(None)


async def _watch(server: Server) -> None:
    """Have the client tell of changes of settings and of the files behind them."""
    workspace = server.client_capabilities.workspace
    if workspace is None:
        return
    registrations = []
    if _is_dynamic(workspace.did_change_configuration):
        options: object = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        registrations.append(
            types.Registration("gpu2ascend.settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        )
    if _is_dynamic(workspace.did_change_watched_files):
        options = types.DidChangeWatchedFilesRegistrationOptions(
            [types.FileSystemWatcher(pattern) for pattern in (*WATCHED_FILES, *_rule_files(server))]
        )
        registrations.append(
            types.Registration("gpu2ascend.files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        )
    if not registrations:
        return
    try:
        await server.client_register_capability_async(types.RegistrationParams(registrations))
        server.settings.is_watched = any(item.id == "gpu2ascend.files" for item in registrations)
    except JsonRpcException as error:
        server.logger.warning("the client does not watch files: %s", error)


def _rule_files(server: Server) -> Iterable[str]:
    """The files of rules of the user's own, wherever they are."""
    for folder in server.settings.folders:
        path = getattr(server.settings.at(folder).options, "custom_rule", None)
        if path:
            yield Path(folder, path).as_posix()


def _can_be_asked(server: Server) -> bool:
    workspace = server.client_capabilities.workspace
    return workspace is not None and bool(workspace.configuration)


def _is_dynamic(capability: object) -> bool:
    return bool(getattr(capability, "dynamic_registration", False))


def _refreshes(capability: object) -> bool:
    return bool(getattr(capability, "refresh_support", False))
