"""Makefiles: their recipes are shell code, and their variables may be those of the environment."""

from __future__ import annotations

from ..kind import Kind
from ..shell.places import SHELL_NEEDS, SHELL_PLACES
from .file import Makefile

KIND = Kind(
    name="makefile",
    file=Makefile,
    places=SHELL_PLACES,
    needs=SHELL_NEEDS,
    patterns=("makefile", "gnumakefile", "makefile.am", "makefile.in", "*.mk", "*.mak"),
    languages=("makefile",),
)
