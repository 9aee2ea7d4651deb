"""What counts for a document: settings of the client and of ``pyproject.toml``, the language of texts."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.finding import Message
from gpu2ascend_rules.messages import LANGUAGES
from gpu2ascend_rules.options import MigrationOptions, options_from
from gpu2ascend_rules.versions import SUPPORTED_VERSIONS

from ..project.layers import Layered, layered_options
from .client_settings import ClientSettings, client_settings
from .uris import path_of

DEFAULT_VERSION = SUPPORTED_VERSIONS[-1]
"""What documents are looked at for when neither a setting nor the project names a version."""


class DocumentSettings(NamedTuple):
    """The settings of one document."""

    options: MigrationOptions
    """With a version in any case."""
    language: str
    problems: tuple[Message, ...] = ()


class Settings:
    """The settings of all folders; each folder's are read once, until something changes."""

    def __init__(self) -> None:
        self._client = ClientSettings()
        self._locale: str | None = None
        self._folders: list[Path] = []
        self._layered: dict[Path, Layered] = {}

    def initialize(self, options: object, locale: str | None) -> tuple[Message, ...]:
        """Take what the client gave at the start; what is wrong in it is returned."""
        self._client = client_settings(options)
        self._locale = locale
        return self._client.problems

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
        self._layered.clear()

    @property
    def language(self) -> str:
        """The language of texts that belong to no folder."""
        return self._language(None)

    def of(self, uri: str) -> DocumentSettings:
        """The settings of a document. Reads files the first time that a folder is asked for."""
        folder = self.folder_of(uri)
        if folder is None:
            options = options_from({"version": str(DEFAULT_VERSION)})
            return DocumentSettings(options, self._language(None))
        layered = self._layered.get(folder)
        if layered is None:
            layered = self._layered[folder] = layered_options(
                folder, [self._client.options], self._client.project_interpreter
            )
        options = layered.options
        if options.version is None:
            options = options_from({"version": str(DEFAULT_VERSION)}, options)
        return DocumentSettings(options, self._language(layered), layered.problems)

    def folder_of(self, uri: str) -> Path | None:
        """The folder whose settings count: that of the workspace, else the one that the file is in."""
        path = path_of(uri)
        if path is None:
            return self._folders[-1] if self._folders else None
        return next((folder for folder in self._folders if path.is_relative_to(folder)), path.parent)

    def _language(self, layered: Layered | None) -> str:
        wanted = self._client.language or (layered.language if layered is not None else None)
        if wanted is None and self._locale:
            wanted = self._locale.replace("_", "-").partition("-")[0].lower()
        return wanted if wanted in LANGUAGES else LANGUAGES[0]
