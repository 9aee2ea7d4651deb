"""YAML: configurations, and the environments of conda."""

from __future__ import annotations

from ..kind import Kind
from ..packages.places import Index, Requirement
from ..settings import Setting, Unread
from .yaml_file import YamlFile

KIND = Kind(
    name="yaml",
    file=YamlFile,
    places=(Requirement, Index, Setting, Unread),
    patterns=("*.yaml", "*.yml"),
    languages=("yaml", "dockercompose"),
    needs=dict.fromkeys((Requirement, Index), b"dependencies"),
)
