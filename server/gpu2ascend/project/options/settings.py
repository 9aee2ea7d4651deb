"""Options from ``[tool.gpu2ascend]``: of the nearest ``pyproject.toml`` of a project that has this table."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules.limits.checkpoints import DEFAULT_MEGABYTES
from gpu2ascend_rules.messages import LANGUAGES
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, OptionError, options_of_project

from ..errors import SettingsError, reason
from ..files.excludes import patterns_below
from ..paths import shown
from ..regular_files import WRITTEN_BY_HAND, NotRegularError, OutsideError, TooLargeError, read_inside
from .project_paths import require_inside
from .settings_files import FILE_NAME, files_above, settings_files

__all__ = ["FILE_NAME", "ProjectSettings", "find_settings", "read_toml", "unread_settings"]

TABLE = "gpu2ascend"


class ProjectSettings(NamedTuple):
    """What a ``pyproject.toml`` says. Command-line options go over ``options``."""

    path: Path
    options: MigrationOptions
    language: str | None = None
    """The language of messages: the one key of the table that is no option of a migration."""


class NoTomlError(SettingsError):
    """A file is no TOML."""

    def __init__(self, message: Message, *, may_have_settings: bool) -> None:
        super().__init__(message)
        self.may_have_settings = may_have_settings
        """Whether it names our table, so that something of ours may be in it that cannot be read."""


def find_settings(
    start: Path, project: Path | None = None, tell: Callable[[Message], None] | None = None
) -> ProjectSettings | None:
    """The settings for a file or directory: from it upwards, the project's first file that has our table.

    Args:
        project: See :func:`gpu2ascend.project.options.settings_files.settings_files`.
        tell: Receives that a file on the way is no TOML. One that does not name our table is the project's
            own affair, as every other file that is broken.

    Raises:
        SettingsError: a file on the way cannot be read, or is no TOML and names our table, or the table
            holds an unknown key, a bad value or a path that leads out of the project.
    """
    for path in settings_files(start, project):
        try:
            table = _table(path)
        except NoTomlError as error:
            if error.may_have_settings:
                raise
            if tell is not None:
                tell(Message.of("project.settings-none", problem=error.message))
            continue
        if table is not None:
            language = _language(path, table.pop("language", None))
            return ProjectSettings(path, _options(path, table), language)
    return None


def settings_of_folder(settings: ProjectSettings, folder: Path) -> ProjectSettings:
    """The settings for a directory that is looked at by itself: nothing outside of it exists then."""
    top, below = settings.path.parent.resolve(), folder.resolve()
    if below == top or not below.is_relative_to(top):
        return settings
    steps, options = below.relative_to(top).parts, settings.options
    entries = (entry for entry in options.entries if Path(entry).resolve().is_relative_to(below))
    options = attrs.evolve(
        options,
        exclude=patterns_below(options.exclude, steps),
        copy=patterns_below(options.copy, steps),
        entries=tuple(entries),
    )
    return settings._replace(options=options)


def unread_settings(start: Path, project: Path | None = None) -> Message | None:
    """That a file above those that count for a file or directory has our table, too: the nearest one."""
    for path in files_above(start, project):
        with suppress(SettingsError):
            if _table(path) is not None:
                return Message.of("project.settings-unread", path=shown(path))
    return None


def _language(path: Path, value: object) -> str | None:
    if value is None or value in LANGUAGES:
        return str(value) if value else None
    expected = ", ".join(LANGUAGES)
    raise SettingsError(
        Message.of("project.settings-language", path=shown(path), value=value, choices=expected)
    )


def _options(path: Path, table: dict[str, Any]) -> MigrationOptions:
    try:
        options = options_of_project(table, path.name)
        require_inside(path.parent, options)
        if options.custom_rule is not None:  # a path in a settings file is relative to that file
            options = attrs.evolve(options, custom_rule=str(path.parent / options.custom_rule))
        files = tuple(str(path.parent / file) for file in options.api_files)
        entries = tuple(str(path.parent / file) for file in options.entries)
        options = attrs.evolve(options, api_files=files, entries=entries)
        if options.max_file_size > DEFAULT_MEGABYTES:  # a project must not lift its own limit
            reason_ = Message.of("option.error.size-of-project", limit=DEFAULT_MEGABYTES)
            raise OptionError("max_file_size", reason_)
        return options
    except OptionError as error:
        raise SettingsError(
            Message.of("project.settings-option", path=shown(path), option=error.option, reason=error.reason)
        ) from error


def _table(path: Path) -> dict[str, Any] | None:
    document = read_toml(path)
    tool = document.get("tool")
    table = tool.get(TABLE) if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(Message.of("project.settings-table", path=shown(path)))
    return table


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file's content.

    Raises:
        NoTomlError: it is no TOML.
        SettingsError: it cannot be read.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

    try:
        data = read_inside(path.parent, path, WRITTEN_BY_HAND)
        document: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
        return document
    except NotRegularError as error:
        raise SettingsError(Message.of("project.settings-not-regular", path=shown(path))) from error
    except OutsideError as error:
        raise SettingsError(Message.of("project.settings-outside", path=shown(path))) from error
    except TooLargeError as error:
        raise SettingsError(
            Message.of("project.settings-too-large", path=shown(path), limit=WRITTEN_BY_HAND)
        ) from error
    except OSError as error:
        raise SettingsError(
            Message.of("project.settings-unreadable", path=shown(path), reason=reason(error))
        ) from error
    except UnicodeDecodeError as error:
        message = Message.of("project.settings-encoding", path=shown(path), offset=error.start)
        raise NoTomlError(message, may_have_settings=TABLE.encode() in data) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = Message.of("project.settings-syntax", path=shown(path), reason=shown(error))
        raise NoTomlError(message, may_have_settings=TABLE.encode() in data) from error
