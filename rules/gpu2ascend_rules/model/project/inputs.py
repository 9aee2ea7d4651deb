"""Where a value enters a program: an option, a key of a configuration, an environment variable."""

from __future__ import annotations

from typing import NamedTuple


class OptionInput(NamedTuple):
    """An option of a command line."""

    path: str
    """Of the file that declares it."""
    start: int
    """Where the call that declares it begins, in bytes."""


class SettingInput(NamedTuple):
    """A key of a configuration."""

    path: str
    """Of the configuration; for an override on a command line any path with its suffix."""
    keys: tuple[str, ...]
    """From the outermost one on."""


class VariableInput(NamedTuple):
    """An environment variable."""

    name: str


Input = OptionInput | SettingInput | VariableInput
