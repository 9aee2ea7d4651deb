"""Names looked up in several files: what a look-up finds, and that each key is looked up once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple, Protocol

from tree_sitter import Node

from .files import ProgramFile

_NOTHING = 1_000_000


class Lookups:
    """Looks up each key once.

    What is asked for on the way round a circle is nothing there; an answer that depends on such a one is not
    kept, so that the order of questions changes no answer. Nor is one for which the way was too long; that
    nothing was found then is known only until the outermost question is answered.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, Definition | None] = {}
        self._open: dict[Hashable, int] = {}
        """What is being looked up, with its place among what asks for one another."""
        self._needed = _NOTHING
        """The outermost look-up on which the one that just ended depends, other than on itself."""
        self._is_cut = False
        """Whether the way was too long for the one that just ended."""
        self._cut_at: dict[Hashable, int] = {}
        """The least depth at which the way from a key was too long."""

    def find(self, key: Hashable, look_up: Callable[[], Definition | None], depth: int) -> Definition | None:
        """The answer for a key that is asked for at a depth of the way."""
        if key in self._known:
            return self._known[key]
        if key in self._open:
            self._needed = min(self._needed, self._open[key])
            return None
        if self._cut_at.get(key, _NOTHING) <= depth:
            self.give_up()
            return None
        before, self._needed, place = self._needed, _NOTHING, len(self._open)
        was_cut, self._is_cut = self._is_cut, False
        self._open[key] = place
        try:
            found = look_up()
        finally:
            del self._open[key]
        self._keep(key, found, place, depth)
        self._needed = before if self._needed >= place else min(self._needed, before)
        self._is_cut = place > 0 and (self._is_cut or was_cut)
        return found

    def _keep(self, key: Hashable, found: Definition | None, place: int, depth: int) -> None:
        if place == 0:
            self._cut_at.clear()
        if self._needed < place:
            return
        if place == 0 or not self._is_cut:
            self._known[key] = found
        elif found is None:
            self._cut_at[key] = depth

    def give_up(self) -> None:
        """Nothing was found only because the way was too long: no answer on the way is kept."""
        self._is_cut = True


CLASS, FUNCTION, MODULE, NAME = "class_definition", "function_definition", "module", "identifier"


class Definition(NamedTuple):
    """A class, a function, a module or a variable of a module."""

    file: ProgramFile
    node: Node
    """The statement; of a module its root, of a variable the identifier that one assignment binds."""
    is_bound: bool = False
    """Whether it is a method of an object that is given already."""
    given: int = 0
    """How many positional arguments ``partial`` gave it already."""

    @property
    def kind(self) -> str:
        """The type of the node."""
        return self.node.type

    @property
    def key(self) -> tuple[str, int]:
        """What is the same for each look-up."""
        return self.file.path, self.node.start_byte


class Lookup(Protocol):
    """Finds what an expression means; see :class:`.definitions.Definitions`."""

    def of(self, file: ProgramFile, expression: Node, depth: int = 0) -> Definition | None: ...
