"""An editor's settings as they come: any JSON. What is wrong in them costs its own value and no other."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.messages import LANGUAGES
from gpu2ascend_rules.model.finding import Message

from ...project.paths import shown

SECTION = "gpu2ascend"
_LANGUAGE, _CODE_LENS, _INTERPRETER = "language", "codeLens", "projectInterpreter"
_TRUSTED, _ENABLE, _MODE = "trusted", "enable", "diagnosticMode"
OPEN_FILES_ONLY = "openFilesOnly"
_MODES = (OPEN_FILES_ONLY, "workspace")
_OF_THE_CLIENT = frozenset({"interpreter", "importStrategy", "trace", "server", "path", "env", "verify"})
"""Settings of the same section that concern how a client starts the server, and what it asks it."""


class ClientSettings(NamedTuple):
    """The settings of an editor, for one folder or for all."""

    options: Mapping[str, object] = {}
    """Options of a check or a migration, not looked at yet."""
    language: str | None = None
    code_lens: bool | None = None
    project_interpreter: Path | None = None
    problems: tuple[Message, ...] = ()
    is_trusted: bool = True
    """Whether the project's own settings may name files to read."""
    says_trusted: bool = False
    """Whether the client said that the workspace is trusted, so that code of it may run on a command."""
    enable: bool | None = None
    """Whether anything is reported and offered."""
    diagnostic_mode: str | None = None
    """Which files have diagnostics: those that are open, or all of the workspace."""


def client_settings(values: object) -> ClientSettings:
    """Read settings: the section's content, or an object that holds the section."""
    if isinstance(values, Mapping) and isinstance(values.get(SECTION), Mapping):
        values = values[SECTION]
    if values is None:
        return ClientSettings()
    if not isinstance(values, Mapping):
        return ClientSettings(problems=(_wrong(SECTION, "lsp.setting.object", values),))
    # Forms and editors keep what was never filled in as an empty text or as null.
    given = {str(name): value for name, value in values.items() if value not in (None, "")}
    reader = _SettingsReader(given)
    language, code_lens = reader.choice(_LANGUAGE, LANGUAGES), reader.switch(_CODE_LENS)
    enable, mode = reader.switch(_ENABLE), reader.choice(_MODE, _MODES)
    interpreter = reader.path(_INTERPRETER)
    reader.switch(_TRUSTED)
    own = {_LANGUAGE, _CODE_LENS, _ENABLE, _MODE, _INTERPRETER, _TRUSTED, *_OF_THE_CLIENT}
    options = {name: value for name, value in given.items() if name.partition(".")[0] not in own}
    is_trusted = given.get(_TRUSTED, True) is True  # in doubt it is not
    says_trusted = given.get(_TRUSTED) is True
    problems = tuple(reader.problems)
    return ClientSettings(
        options, language, code_lens, interpreter, problems, is_trusted, says_trusted, enable, mode
    )


def over(strong: ClientSettings, weak: ClientSettings) -> ClientSettings:
    """The settings that only the server knows, of the stronger of two places that gives them.

    Options are left as ``strong`` has them: they are layered where they are read.
    """
    return strong._replace(
        language=strong.language or weak.language,
        code_lens=strong.code_lens if strong.code_lens is not None else weak.code_lens,
        enable=strong.enable if strong.enable is not None else weak.enable,
        diagnostic_mode=strong.diagnostic_mode or weak.diagnostic_mode,
        project_interpreter=strong.project_interpreter or weak.project_interpreter,
    )


class _SettingsReader:
    """Takes single values, and keeps what is wrong with them."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values
        self.problems: list[Message] = []

    def choice(self, name: str, choices: Sequence[str]) -> str | None:
        value = self._values.get(name)
        if value is None or value in choices:
            return str(value) if value else None
        reason = Message.of("option.error.choice", value=shown(value), choices=", ".join(choices))
        self.problems.append(Message.of("project.setting", name=name, reason=reason))
        return None

    def switch(self, name: str) -> bool | None:
        value = self._values.get(name)
        if value is None or isinstance(value, bool):
            return value
        self.problems.append(_wrong(name, "option.error.flag", value))
        return None

    def path(self, name: str) -> Path | None:
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            self.problems.append(_wrong(name, "option.error.text", value))
            return None
        path = Path(os.path.expanduser(value))  # noqa: PTH111 - unlike Path's, it never raises
        if path.is_absolute():
            return path
        reason = Message.of("request.relative", path=shown(value))
        self.problems.append(Message.of("project.setting", name=name, reason=reason))
        return None


def _wrong(name: str, message_id: str, value: object) -> Message:
    text = shown(repr(value)[:60])
    return Message.of("project.setting", name=name, reason=Message.of(message_id, value=text))
