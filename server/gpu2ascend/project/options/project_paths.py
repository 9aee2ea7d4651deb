"""Paths that a project's own files name: they stay inside the project."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, OptionError

from ..regular_files import OutsideError, is_device_name, real_inside

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
