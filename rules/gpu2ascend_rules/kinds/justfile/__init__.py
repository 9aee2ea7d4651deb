"""Justfiles: recipes of shell code with variables of their own, as makefiles have them."""

from __future__ import annotations

from ..kind import Kind
from ..shell.places import SHELL_NEEDS, SHELL_PLACES
from .file import Justfile

KIND = Kind(
    name="justfile",
    file=Justfile,
    places=SHELL_PLACES,
    needs=SHELL_NEEDS,
    patterns=("justfile", ".justfile", "*.just"),
    languages=("just",),
)
