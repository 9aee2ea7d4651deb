"""What a name of a program may stand for."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from tree_sitter import Node

from .files import ProgramFile

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
    """Finds what an expression stands for; see :class:`.definitions.Definitions`."""

    def of(self, file: ProgramFile, expression: Node, depth: int = 0) -> Definition | None: ...
