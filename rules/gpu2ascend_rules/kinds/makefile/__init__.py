"""Makefiles: their recipes are shell code, and their variables may be those of the environment."""

from __future__ import annotations

from ..kind import Kind
from ..shell.places import Command, Directive, Variable
from .file import Makefile

KIND = Kind(
    name="makefile",
    file=Makefile,
    places=(Command, Directive, Variable),
    patterns=("makefile", "gnumakefile", "makefile.am", "makefile.in", "*.mk", "*.mak"),
    languages=("makefile",),
)
