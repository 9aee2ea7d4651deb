"""Options from ``[tool.gpu2ascend]``: of the nearest ``pyproject.toml`` of a project that has this table."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules.limits.checkpoints import DEFAULT_MEGABYTES
from gpu2ascend_rules.messages import LANGUAGES
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, OptionError, options_of_project

from ..errors import SettingsError, reason
from ..files.excludes import patterns_below
from ..paths import exists, is_directory, is_file, resolved, shown
from ..regular_files import (
    WRITTEN_BY_HAND,
    NotRegularError,
    OutsideError,
    TooLargeError,
    is_device_name,
    is_of_same_user,
    read_inside,
    real_inside,
)

FILE_NAME = "pyproject.toml"
_REPOSITORY = ".git"


def settings_files(start: Path, project: Path | None = None) -> Iterator[Path]:
    """The files that may hold the settings for a file or directory, the nearest first.

    Args:
        project: The project's directory, where the user has said which one that is; else of a directory
            itself, and of a file the one from which it is imported.
    """
    place = resolved(start)
    first = place if is_directory(place) else place.parent
    top = _repository_of(first) or _own_directory(first, resolved(project) if project else None, place)
    for directory in (first, *first.parents):
        path = directory / FILE_NAME
        if is_file(path) and (directory == first or is_of_same_user(path, first)):
            yield path
        if directory == top:
            return


def files_above(start: Path, project: Path | None = None) -> Iterator[Path]:
    """The files of the user above those that count, the nearest first."""
    place = resolved(start)
    first = place if is_directory(place) else place.parent
    counted = set(settings_files(start, project))
    for directory in (first, *first.parents):
        path = directory / FILE_NAME
        if path not in counted and is_file(path) and is_of_same_user(path, first):
            yield path


def _repository_of(directory: Path) -> Path | None:
    """The directory of the innermost repository, which a submodule's file ``.git`` marks, too."""
    places = (directory, *directory.parents)
    return next((above for above in places if os.path.lexists(above / _REPOSITORY)), None)


def _own_directory(first: Path, project: Path | None, start: Path) -> Path:
    if project is not None and first.is_relative_to(project):
        return project
    if start == first:
        return first
    while exists(first / "__init__.py") and first != first.parent:
        first = first.parent
    return first


PATH_OPTIONS = ("custom_rule", "main_file")
"""The options that are paths of single files."""


def require_inside(root: Path, options: MigrationOptions) -> None:
    """Make sure that every path among the options of a settings file leads to somewhere below its directory.

    What counts as absolute, or as a step upwards, is the same on every system, so that a project is.

    Raises:
        OptionError: one is absolute, goes upwards, names a device or another computer, or is a link that
            leads out.
    """
    for name in PATH_OPTIONS:
        value = getattr(options, name)
        if value is not None and not _is_inside(root, value):
            raise OptionError(name, Message.of("option.error.outside", value=value))
    for name, paths in (("api_files", options.api_files), ("entries", options.entries)):
        for value in paths:
            if not _is_inside(root, value):
                raise OptionError(name, Message.of("option.error.outside", value=value))
    for name, patterns in (("exclude", options.exclude), ("copy", options.copy)):
        for pattern in patterns:
            if leads_out(pattern.removeprefix("/")):  # which anchors a pattern here
                raise OptionError(name, Message.of("option.error.outside", value=pattern))


def leads_out(path: str) -> bool:
    """Whether a path is absolute on some system, goes upwards, or names a device or another computer."""
    windows = PureWindowsPath(path)
    steps = (*windows.parts, *PurePosixPath(path).parts)
    is_absolute = bool(windows.anchor) or PurePosixPath(path).is_absolute()
    return is_absolute or ".." in steps or "\0" in path or is_device_name(path)


def _is_inside(root: Path, path: str) -> bool:
    if leads_out(path):
        return False
    try:
        real_inside(root, root / path)
    except OutsideError:
        return False
    except OSError:  # a circle of links, which cannot be opened either
        return True
    return True


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
        project: See :func:`gpu2ascend.project.options.settings.settings_files`.
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
