"""TOML: lists of dependencies, and configurations."""

from __future__ import annotations

from ..kind import Kind
from ..packages.places import Index, Requirement
from ..settings import Setting, Unread
from .toml_file import TomlFile

KIND = Kind(
    name="toml",
    file=TomlFile,
    places=(Requirement, Index, Setting, Unread),
    patterns=("*.toml", "pipfile"),
    languages=("toml",),
)
