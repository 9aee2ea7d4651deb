"""JSON: configurations."""

from __future__ import annotations

from ..kind import Kind
from ..settings import Setting, Unread
from .json_file import JsonFile

KIND = Kind(
    name="json",
    file=JsonFile,
    places=(Setting, Unread),
    patterns=("*.json", "*.jsonc", "*.json5"),
    languages=("json", "jsonc"),
)
