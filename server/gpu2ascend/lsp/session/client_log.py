"""``window/logMessage``: what the server does and takes for granted, as ``--log-level`` asks for it."""

from __future__ import annotations

import logging
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from lsprotocol import types

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.options.schema import option_values

from ... import __version__
from ...project.paths import shown
from .settings import DocumentSettings, Settings

_TYPES = {
    logging.ERROR: types.MessageType.Error,
    logging.WARNING: types.MessageType.Warning,
    logging.INFO: types.MessageType.Info,
    logging.DEBUG: types.MessageType.Log,
}


class Client(Protocol):
    """What a log needs of the server: where it writes, and in which language."""

    logger: logging.Logger
    settings: Settings

    def window_log_message(self, params: types.LogMessageParams) -> None:
        """Send a line of the log to the client."""


class ClientLog:
    """Writes to the client's log, and to the log file."""

    def __init__(self, server: Client) -> None:
        self._server = server
        self._reported_of: dict[Path | None, tuple[Message, ...]] = {}
        self._has_started = False
        self._failures: set[tuple[str, str, str]] = set()

    def write(self, message: Message, level: int = logging.INFO) -> None:
        """Write a message, if its level is asked for."""
        logger = self._server.logger
        if logger.isEnabledFor(level):
            logger.log(level, "%s", render(message, "en"))
            text = render(message, self._server.settings.language)
            self._server.window_log_message(types.LogMessageParams(_TYPES[level], text))

    def warn(self, message_id: str, **arguments: object) -> None:
        """Write of something that is not as it should be."""
        self.write(Message.of(message_id, **arguments), logging.WARNING)

    def started(self) -> None:
        """Write which program this is, once: as soon as the settings decide the language."""
        if self._has_started:
            return
        self._has_started = True
        python = platform.python_version()
        self.write(
            Message.of(
                "lsp.log.started", version=__version__, python=python, executable=shown(sys.executable)
            )
        )

    def settings(self) -> None:
        """Write what runs and what counts for each folder, unless that has been written."""
        self.started()
        folders: list[Path | None] = [*self._server.settings.folders]
        for folder in folders or [None]:
            messages = tuple(_settings(folder, self._server.settings.at(folder)))
            if self._reported_of.get(folder) != messages:
                self._reported_of[folder] = messages
                for message in messages:
                    self.write(message)

    def rule_failed(self, code: str, uri: str, details: str) -> None:
        """Write of a mistake of ours, which costs the findings of its rule only; the same one once."""
        if (code, uri, details) not in self._failures:
            self._failures.add((code, uri, details))
            message = Message.of("lsp.rule-failed", code=code or "engine", uri=uri, details=details)
            self.write(message, logging.ERROR)


def _settings(folder: Path | None, settings: DocumentSettings) -> Iterator[Message]:
    options, layered = settings.options, settings.layered
    if layered.options.version is None:
        origin = Message.of("lsp.log.version-default")
    elif layered.detected is not None and layered.detected.version == layered.options.version:
        origin = layered.detected.notice
    else:
        origin = Message.of("lsp.log.version-set")
    name = shown(folder) if folder is not None else "-"
    yield Message.of(
        "lsp.log.version",
        folder=name,
        version=options.require_version(),
        hardware=options.hardware.value,
        origin=origin,
    )
    defaults = option_values(MigrationOptions())
    taken = {key: value for key, value in option_values(options).items() if value != defaults[key]}
    taken.pop("version", None)
    if taken:
        values = ", ".join(f"{key}={value}" for key, value in taken.items())
        yield Message.of("lsp.log.options", folder=name, values=shown(values))
    if layered.source is not None:
        yield Message.of("lsp.log.file", folder=name, path=shown(layered.source))
