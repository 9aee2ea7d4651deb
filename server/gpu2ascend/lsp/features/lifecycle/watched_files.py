"""The files that the client is asked to watch: those behind the settings, and those that are indexed."""

from __future__ import annotations

from pathlib import Path

import attrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ...conversion.uris import uri_of
from ...server import Server
from ...session.client_settings import SECTION

_PATTERNS = (
    "**/pyproject.toml",
    "**/setup.{py,cfg}",
    "**/requirements*.{txt,in}",
    "**/requirements/*.txt",
    "**/{environment,env,conda}*.{yml,yaml}",
)
"""The files that options and the version come from; see :mod:`gpu2ascend.project.options.version_detect`."""
_PYTHON = "**/*.{py,pyw,ipynb}"
"""What the index of a project is made of."""
_SETTINGS, _FILES, _RULES = "gpu2ascend.settings", "gpu2ascend.files", "gpu2ascend.rules"


@attrs.define
class Watched:
    """What the client was asked to report."""

    server: Server
    has_begun: bool = False
    rule_files: frozenset[Path] = frozenset()

    async def update(self) -> None:
        """Ask for what is not asked for yet: always the same files, and those of rules of the user's own."""
        if not self.has_begun:
            self.has_begun = True
            await self._begin()
        wanted = frozenset(self._rule_files())
        if self.server.settings.is_watched and wanted != self.rule_files:
            if self.rule_files:
                await self._unregister(_RULES, types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
            self.rule_files = wanted
            if wanted:
                patterns = [self._pattern(path) for path in sorted(wanted)]
                await self._register(_watch(_RULES, patterns))

    async def _begin(self) -> None:
        workspace = self.server.client_capabilities.workspace
        if workspace is None:
            return
        registrations = []
        if _is_dynamic(workspace.did_change_configuration):
            options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            registrations.append(types.Registration(_SETTINGS, method, options))
        if _is_dynamic(workspace.did_change_watched_files):
            registrations.append(_watch(_FILES, [*_PATTERNS, _PYTHON]))
        if registrations and await self._register(*registrations):
            self.server.settings.is_watched = any(item.id == _FILES for item in registrations)

    async def _register(self, *registrations: types.Registration) -> bool:
        try:
            await self.server.client_register_capability_async(types.RegistrationParams(registrations))
        except JsonRpcException as error:
            self.server.log.warn("lsp.log.no-watch", reason=error)
            return False
        return True

    async def _unregister(self, name: str, method: str) -> None:
        params = types.UnregistrationParams([types.Unregistration(name, method)])
        try:
            await self.server.client_unregister_capability_async(params)
        except JsonRpcException as error:
            self.server.log.warn("lsp.log.no-watch", reason=error)

    def _rule_files(self) -> set[Path]:
        settings = self.server.settings
        chosen = ((folder, settings.at(folder).options) for folder in settings.folders)
        return {
            Path(folder, path)
            for folder, options in chosen
            for path in (options.custom_rule, *options.api_files)
            if path
        }

    def _pattern(self, path: Path) -> types.GlobPattern:
        """A single file: relative to its directory where the client can, for it may be elsewhere."""
        workspace = self.server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is not None and watching.relative_pattern_support:
            return types.RelativePattern(base_uri=uri_of(path.parent), pattern=path.name)
        return path.as_posix()


def _watch(name: str, patterns: list[types.GlobPattern]) -> types.Registration:
    options = types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(pattern) for pattern in patterns]
    )
    return types.Registration(name, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)


def _is_dynamic(capability: object) -> bool:
    return bool(getattr(capability, "dynamic_registration", False))
