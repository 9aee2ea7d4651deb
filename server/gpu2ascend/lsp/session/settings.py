"""What counts for a document: settings of the client and of ``pyproject.toml``, the language of texts.

From the strongest: the client's settings for the document's folder, those for all, what it gave at the start
(``initializationOptions``), ``[tool.gpu2ascend]`` of the nearest ``pyproject.toml``, the defaults.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.messages import LANGUAGES
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import NEWEST, Version
from gpu2ascend_rules.options.options import MigrationOptions

from ...project.index.sources.directories import project_directory
from ...project.options.layers import Layered, Trust, layered_options
from ...project.options.version_detect import version_of_reading
from ...project.paths import is_directory
from ..conversion.uris import path_of
from .client_settings import OPEN_FILES_ONLY, ClientSettings, client_settings, over

DEFAULT_VERSION = NEWEST
"""What documents are looked at for that are in no folder, when no setting names a version."""

_FRESH_SECONDS = 5.0
"""How long files that are not watched are taken to be as they were."""


class DocumentSettings(NamedTuple):
    """The settings of one document or folder."""

    options: MigrationOptions
    """With a version in any case."""
    language: str
    folder: Path | None
    """The project that it belongs to; None for what is in no file, nor in a folder."""
    layered: Layered
    """Where the options come from; without a version if nothing names one."""
    shows_code_lenses: bool = True
    is_enabled: bool = True
    """Whether anything is reported and offered for it."""
    is_open_files_only: bool = False
    """Whether files that are not open have no diagnostics."""

    @property
    def problems(self) -> tuple[Message, ...]:
        """What is wrong with the settings."""
        return self.layered.problems


class _Kept(NamedTuple):
    settings: DocumentSettings
    since: float


class Settings:
    """The settings of all folders; each folder's are read once, until something changes."""

    def __init__(self) -> None:
        self.is_watched = False
        """Whether the client reports files that change. If not, nothing is kept for long."""
        self.on_problems: Callable[[tuple[Message, ...]], None] = lambda problems: None
        self._initial = ClientSettings()
        self._general = ClientSettings()
        self._of_folder: Mapping[Path, ClientSettings] = {}
        self._locale: str | None = None
        self._folders: list[Path] = []
        self._kept: dict[Path | None, _Kept] = {}

    def initialize(self, options: object, locale: str | None) -> None:
        """Take what the client gave at the start."""
        self._initial = client_settings(options)
        self._locale = locale

    def use(self, general: object, of_folders: Mapping[Path, object] | None = None) -> None:
        """Take the client's settings as they are now: for all, and for single folders."""
        self._general = client_settings(general)
        self._of_folder = {path: client_settings(values) for path, values in (of_folders or {}).items()}
        self.forget()

    def use_folders(self, folders: list[Path]) -> None:
        """The folders of the workspace have changed."""
        self._folders = sorted(folders, key=lambda folder: len(folder.parts), reverse=True)
        self.forget()

    @property
    def folders(self) -> list[Path]:
        """The folders of the workspace, the innermost first."""
        return list(self._folders)

    def forget(self) -> None:
        """Read everything again when it is next needed."""
        self._kept.clear()

    @property
    def client_problems(self) -> tuple[Message, ...]:
        """What is wrong in the client's settings, beside their options."""
        given = (self._initial, self._general, *self._of_folder.values())
        return tuple(dict.fromkeys(problem for settings in given for problem in settings.problems))

    @property
    def may_run_code(self) -> bool:
        """Whether a command may run code: the client said that the workspace is trusted."""
        given = (self._initial, self._general, *self._of_folder.values())
        return any(item.says_trusted for item in given) and all(item.is_trusted for item in given)

    @property
    def language(self) -> str:
        """The language of texts that belong to no folder."""
        own = over(self._general, self._initial).language
        if own is None and len(self._folders) == 1:
            return self.at(self._folders[0]).language
        return self._language(own, None)

    def of(self, uri: str) -> DocumentSettings:
        """The settings of a document."""
        return self.at(path_of(uri) or (self._folders[-1] if self._folders else None))

    def at(self, path: Path | None) -> DocumentSettings:
        """The settings of a file or folder. Reads files the first time that a directory is asked for."""
        place = path if path is None or path in self._folders else path.parent
        kept = self._kept.get(place)
        if kept is None or not (self.is_watched or time.monotonic() - kept.since < _FRESH_SECONDS):
            kept = _Kept(self._read(path, place), time.monotonic())
            self._kept[place] = kept
            if kept.settings.problems:
                self.on_problems(kept.settings.problems)
        return kept.settings

    def of_project(self, root: Path | None) -> Layered:
        """What counts for migrating a directory."""
        return self.as_project(root).layered

    def as_project(self, root: Path | None) -> DocumentSettings:
        """The settings of a directory: it is the project, also where it is a part of a folder."""
        if root is None or root in self._folders or not is_directory(root):
            return self.at(root)
        return self._read(root, root, root)

    def folder_of(self, path: Path) -> Path | None:
        """The innermost folder of the workspace that holds a file."""
        return next((folder for folder in self._folders if path.is_relative_to(folder)), None)

    def _read(self, path: Path | None, place: Path | None, root: Path | None = None) -> DocumentSettings:
        folder = self.folder_of(path) if path is not None else None
        own = self._of_folder.get(folder, ClientSettings()) if folder is not None else ClientSettings()
        client = over(over(own, self._general), self._initial)
        within = folder
        if folder is None and path is not None:
            folder = project_directory(path)
        layers = [self._initial.options, self._general.options, own.options]
        is_trusted = all(item.is_trusted for item in (own, self._general, self._initial))
        trust = Trust.FULL if is_trusted else Trust.NO_PATHS
        layered = layered_options(
            folder, layers, client.project_interpreter, place, root, trust=trust, within=within
        )
        options = layered.options
        if options.version is None:
            options = attrs.evolve(options, version=_version_of(options, folder))
        return DocumentSettings(
            options,
            self._language(client.language, layered.language),
            folder,
            layered,
            shows_code_lenses=client.code_lens is not False,
            is_enabled=client.enable is not False,
            is_open_files_only=client.diagnostic_mode == OPEN_FILES_ONLY,
        )

    def _language(self, of_client: str | None, of_file: str | None) -> str:
        wanted = of_client or of_file
        if wanted is None and self._locale:
            wanted = self._locale.replace("_", "-").partition("-")[0].lower()
        return wanted if wanted in LANGUAGES else LANGUAGES[0]


def _version_of(options: MigrationOptions, folder: Path | None) -> Version:
    """The version to look at a folder for that names none: the one that ``check`` takes."""
    if folder is None:
        return options.target.default_version or DEFAULT_VERSION
    return version_of_reading(options.target, folder, options.hardware).version
