"""Which options count for a folder when several places may say: an editor's settings over ``pyproject.toml``.

From the strongest: in a migrated project what it was made for, unless its editor settings were changed since;
the editor's settings, what the editor gave at the start, ``[tool.gpu2ascend]`` of the nearest
``pyproject.toml``, the defaults. The version, when none of them says it: the project's requirement
files, then the torch of the interpreter. What is wrong costs its own value and no other, and is reported.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules.hosting import names_a_rule
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.options.options import (
    MigrationOptions,
    OptionError,
    option_infos,
    options_from,
    unknown_option,
    without_project,
)
from gpu2ascend_rules.options.spelling import camel_case, snake_case

from ..errors import RuleFileProblem, SettingsError, VersionNotFoundError
from .custom_rules import with_custom_rules
from .installed import installed_version, version_in_environments
from .made_for import MadeFor, as_made, made_for, over_settings, wins_over_editor
from .settings import PATH_OPTIONS, ProjectSettings, find_settings
from .version_detect import Detected, detect_version

RULE_LISTS = ("select", "ignore", "severities")
"""The options whose entries begin with a pattern over rules."""


class Trust(enum.Enum):
    """How far a project's own settings are heeded."""

    FULL = "full"
    NO_PATHS = "no paths"
    """They choose no files that are to be read: neither rules nor a script."""


class Layered(NamedTuple):
    """What counts for a folder."""

    options: MigrationOptions
    """With the version that was chosen or found; None if there is neither."""
    language: str | None
    """As ``pyproject.toml`` has it."""
    source: Path | None
    """The ``pyproject.toml`` that has settings."""
    detected: Detected | None
    """The version found in the project or its environment, also when another one was chosen."""
    takes_detected: bool
    """Whether that version counts, as nobody chose one."""
    problems: tuple[Message, ...]
    """Of each value that cannot be used, why."""


def layered_options(
    folder: Path | None,
    layers: Sequence[Mapping[str, object]],
    interpreter: Path | None = None,
    place: Path | None = None,
    root: Path | None = None,
    trust: Trust = Trust.FULL,
    within: Path | None = None,
) -> Layered:
    """The options for a folder, or for a place in it.

    Args:
        folder: The project; its top directory decides the version. None for a text that is in no project.
        place: From where upwards ``pyproject.toml`` is looked for; by default the folder.
        layers: Options by name in any spelling, from the weakest to the strongest. ``None`` says nothing.
        interpreter: The Python whose torch is looked at when the project's files name no version.
        root: A directory that is a separate project in the folder; its version goes before the folder's.
        trust: Of what the project's files say.
        within: The directory up to which ``pyproject.toml`` counts without a repository, where it is known
            to be the project's.
    """
    problems: list[Message] = []
    settings = _settings(place or folder, within, problems) if folder is not None else None
    made = made_for(place or folder) if folder is not None else None
    stated = _stated(settings, made, layers, trust, problems)
    chosen = _with_rules(without_project(stated), folder, problems)
    detected = _own_version(root, chosen.hardware) if root is not None else None
    if detected is None and folder is not None:
        detected = _detected(folder, interpreter, chosen.hardware)
    options = _with_version(chosen, detected)
    return Layered(
        options,
        settings.language if settings is not None else None,
        settings.path if settings is not None else None,
        detected,
        options is not chosen,
        tuple(problems),
    )


def option_with_rules(name: str, value: object, base: MigrationOptions) -> MigrationOptions:
    """One option in its place, the rules that it names looked up.
    Raises OptionError: the value is not one that the option takes, or a pattern in it chooses no rule."""
    options = options_from({name: value}, base)
    field = snake_case(name)
    if field in RULE_LISTS:
        for entry in getattr(options, field):
            pattern = entry.partition("=")[0]
            if not names_a_rule(pattern):
                raise OptionError(field, Message.of("option.error.no_rule", value=pattern))
    return options


def _stated(
    settings: ProjectSettings | None,
    made: MadeFor | None,
    layers: Sequence[Mapping[str, object]],
    trust: Trust,
    problems: list[Message],
) -> MigrationOptions:
    """The options as all layers state them, the strongest last."""
    options = settings.options if settings is not None else MigrationOptions()
    if trust is Trust.NO_PATHS:
        nowhere: dict[str, Any] = {**dict.fromkeys(PATH_OPTIONS), "api_files": (), "entries": ()}
        options = attrs.evolve(options, **nowhere)
    options = over_settings(made, options, settings.path if settings is not None else None)
    for layer in layers:
        options = _over(options, layer, problems)
    return as_made(made, options) if made is not None and wins_over_editor(made) else options


def _with_rules(options: MigrationOptions, folder: Path | None, problems: list[Message]) -> MigrationOptions:
    """The options with the user's own rules; a relative path is one below the folder."""
    if folder is not None and options.custom_rule is not None:
        options = attrs.evolve(options, custom_rule=str(folder / options.custom_rule))
    if folder is not None:
        files = tuple(str(folder / file) for file in options.api_files)
        options = attrs.evolve(options, api_files=files)
    try:
        return with_custom_rules(options)
    except RuleFileProblem as error:
        problems += error.mistakes
        return options


def _settings(place: Path, within: Path | None, problems: list[Message]) -> ProjectSettings | None:
    try:
        return find_settings(place, within, problems.append)
    except SettingsError as error:
        problems.append(error.message)
        return None


def _over(
    options: MigrationOptions, layer: Mapping[str, object], problems: list[Message]
) -> MigrationOptions:
    for name, value in layer.items():
        try:
            options = option_with_rules(name, value, options)
        except OptionError as error:
            problems.append(Message.of("project.setting", name=name, reason=_reason(error)))
    return options


def _reason(error: OptionError) -> Message:
    """What is wrong with a setting; other settings are named as editors spell them."""
    if not error.reason.id.startswith("option.error.unknown"):
        return error.reason
    return unknown_option(error.option, map(camel_case, option_infos()))


def _own_version(root: Path, hardware: Hardware) -> Detected | None:
    """The version that a project's own files decide."""
    try:
        return detect_version(root, hardware)
    except VersionNotFoundError:
        return None


def _with_version(options: MigrationOptions, detected: Detected | None) -> MigrationOptions:
    """The options with the version that was found, where none was chosen."""
    if options.version is not None or detected is None or detected.version not in options.target.versions:
        return options
    return options_from({"version": str(detected.version)}, options)


def _detected(folder: Path, interpreter: Path | None, hardware: Hardware) -> Detected | None:
    own = _own_version(folder, hardware)
    if own is not None:
        return own
    return installed_version(interpreter) if interpreter is not None else version_in_environments(folder)
