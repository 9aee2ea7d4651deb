"""INI files: setup.cfg's lists of dependencies, and configurations."""

from __future__ import annotations

from ..kind import Kind
from ..packages.places import Requirement
from ..settings import Setting
from .ini_file import IniFile

KIND = Kind(
    name="ini",
    file=IniFile,
    places=(Requirement, Setting),
    patterns=("*.ini", "*.cfg", "*.gin"),
    languages=("ini",),
)
