"""Refactorings that keep the meaning of a program."""

from __future__ import annotations

from .calls import CALLS
from .holders import HOLDERS
from .names import NAMES
from .refactoring import Refactoring

ALL: tuple[Refactoring, ...] = (*NAMES, *HOLDERS, *CALLS)
