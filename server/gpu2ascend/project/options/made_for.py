"""What a migrated project was made for, as the marker in it says: options that its findings are judged by.

They win over settings that were copied with the project (``.vscode/settings.json``, ``pyproject.toml``),
which are those of the original. A file of settings that was changed since the migration is about the result,
and wins over the marker.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import (
    MigrationOptions,
    OptionError,
    option_infos,
    options_from,
    options_of_project,
)

from ..manifest.ledger import is_as_migrated
from ..manifest.marker import MARKER_NAME, read_marker
from ..paths import exists, is_directory, resolved, way_between
from ..regular_files import is_of_same_user
from .settings import PATH_OPTIONS, leads_out

_REPOSITORY = ".git"
_EDITOR_SETTINGS = ".vscode/settings.json"
_DONE_ONCE = frozenset(
    {
        *("modes", "distributed", "target_model", "launcher", "nnodes", "amp_transplant", "amp_model"),
        *("enable_amp", "modelarts", "dynamic_analysis", "image", "from_cpu"),
    }
)
"""What a migration does and no later look repeats."""
_NOT_KEPT = frozenset(
    {
        *PATH_OPTIONS,
        "api_files",
        "entries",
        "large_files",
        "max_file_size",  # a project must not lift its own limit
        "project_settings",  # which is about the original
        "require_rule_matches",
        *_DONE_ONCE,
    }
)
"""Paths, which a marker is never trusted with, and what was done once."""

_NOT_REPEATED = frozenset({"modes", "dynamic_analysis"})
"""What an update does not take from the migration before, because it excludes it."""


_OWN_FILES = ("custom_rule", "api_files")


class MadeFor(NamedTuple):
    """A migrated project and the options that it was made with."""

    directory: Path
    values: Mapping[str, object]
    """By the names of options; each is one that its option takes."""


def kept_options(options: MigrationOptions) -> dict[str, object]:
    """A migration's options for its marker, beside version and target.

    Defaults are among them: what was copied with the project may choose something else.
    """
    names = [name for name in option_infos() if name not in _NOT_KEPT and name not in ("version", "target")]
    values = {name: _plain(getattr(options, name)) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def base_options(options: MigrationOptions, directory: Path) -> dict[str, object]:
    """A migration's options for the base of later updates, which do the same again.

    Args:
        directory: Of the output, from which the paths of the user's own rules are kept.
    """
    values = {name: _plain(getattr(options, name)) for name in option_infos() if name not in _NOT_REPEATED}
    if options.custom_rule is not None:
        values["custom_rule"] = _way(directory, options.custom_rule)
    values["api_files"] = [_way(directory, path) for path in options.api_files]
    values["target"] = options.route.name
    return {name: value for name, value in values.items() if value is not None}


def as_looked_at(options: MigrationOptions, directory: Path) -> MigrationOptions:
    """The options of a migration for a look at what it made: what was done once is not asked for again.

    Args:
        directory: What is looked at, which may lack a program that was chosen.
    """
    usual = MigrationOptions()
    once: dict[str, Any] = {name: getattr(usual, name) for name in _DONE_ONCE}
    chosen = tuple(entry for entry in options.chosen_entries if exists(directory / entry))
    return attrs.evolve(options, main_file=None, entries=chosen, **once)


def made_again(directory: Path, options: Mapping[str, object]) -> MadeFor:
    """An output with the options of the base in it.

    Anybody can write one: no path into the project leads out of it, and who calls says which rules are used.
    """
    kept = {name: value for name, value in options.items() if name not in _NOT_REPEATED}
    for option, ways in own_files(kept):
        kept[option] = _from(directory, ways)
    for name in ("main_file", "entries"):
        value = kept.get(name)
        paths = value if isinstance(value, list) else [value]
        if any(isinstance(path, str) and leads_out(path) for path in paths):
            del kept[name]
    return MadeFor(directory, _valid(kept, _NOT_REPEATED))


def own_files(options: Mapping[str, object]) -> Iterator[tuple[str, str | list[str]]]:
    """Those options of a migration that name files of the user's own rules."""
    for name in _OWN_FILES:
        match options.get(name):
            case str(path):
                yield name, path
            case [str(), *_] as paths:
                yield name, [path for path in paths if isinstance(path, str)]


def made_for(place: Path) -> MadeFor | None:
    """What the migrated project that holds a file or directory was made for; None outside of one.

    A marker above the innermost repository, or of another user, does not count.
    """
    start = resolved(place)
    first = start if is_directory(start) else start.parent
    for directory in (first, *first.parents):
        marker = read_marker(directory)
        if marker is not None and (directory == first or is_of_same_user(directory, first)):
            values = {"target": marker.target, "version": marker.torch, **marker.options}
            return MadeFor(directory, _valid(values))
        if exists(directory / _REPOSITORY):
            return None
    return None


def over_settings(made: MadeFor | None, options: MigrationOptions, source: Path | None) -> MigrationOptions:
    """The options of a ``pyproject.toml`` with what the project was made for over them.

    Args:
        source: The file that the options are from; None if there is none.
    """
    if made is None:
        return options
    if source is not None and _was_changed(made.directory, source):
        rest = {} if options.version is not None else {"version": made.values.get("version")}
        return options_of_project(rest, MARKER_NAME, options)
    return as_made(made, options)


def as_made(made: MadeFor, options: MigrationOptions) -> MigrationOptions:
    """Options with those that a project was made for over them. The marker is a file of the project."""
    return options_of_project(made.values, MARKER_NAME, options)


def wins_over_editor(made: MadeFor) -> bool:
    """Whether the settings of an editor in the project are the copied ones, or there are none."""
    return not _was_changed(made.directory, made.directory / _EDITOR_SETTINGS)


def _was_changed(directory: Path, file: Path) -> bool:
    """Whether a file in the project was changed or added after the migration."""
    if not exists(file) or not file.is_relative_to(directory):
        return False
    return not is_as_migrated(directory, file.relative_to(directory).as_posix())


def _valid(values: Mapping[str, object], left_out: Container[str] = _NOT_KEPT) -> dict[str, object]:
    """The values that their options take: anybody can write a marker."""
    kept: dict[str, object] = {}
    for name, value in values.items():
        if name in left_out or value is None:
            continue
        try:
            options_from({name: value})
        except OptionError:
            continue
        kept[name] = value
    return kept


def _way(directory: Path, path: str) -> str:
    return way_between(directory, Path(path)) or str(resolved(Path(path)))


def _from(directory: Path, kept: str | list[str]) -> str | list[str]:
    if isinstance(kept, str):
        return os.path.normpath(directory / kept)
    return [os.path.normpath(directory / path) for path in kept]


def _plain(value: object) -> object:
    """A value as JSON has it and :func:`options_from` takes it."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Version):
        return str(value)
    return list(value) if isinstance(value, tuple) else value
