"""What the parts of the tracer ask of each other, so that no module of them imports another in a circle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from tree_sitter import Node

from ...flow.climb.subject import Subject
from ..files import ProgramFiles
from ..names.definition import Definition
from ..names.definitions import Definitions
from ..names.uses import Uses
from ..values import EndKind, Met, Value


class StoresPart(Protocol):
    """Where a word is kept; see :mod:`.stores`."""

    def into(self, value: Value, target: Node) -> Iterator[Value]: ...

    def attribute(self, value: Value, receiver: Node, name: str) -> Iterator[Value]: ...

    def field(self, value: Value, owner: Definition, name: str) -> Iterator[Value]: ...


class TestsPart(Protocol):
    """Where a word meets others; see :mod:`.tests`."""

    def annotated(self, value: Value, name: Node) -> None: ...

    def chosen(self, value: Value, place: Node, choices: Node) -> None: ...

    def listed(self, value: Value, place: Node, allowed: Node) -> None: ...

    def searched(self, value: Value, call: Node) -> None: ...


class Tracing(Protocol):
    """The whole, as each of its parts sees it; see :class:`.tracer.Tracer`."""

    subject: Subject
    files: ProgramFiles
    definitions: Definitions
    uses: Uses

    @property
    def stores(self) -> StoresPart: ...

    @property
    def tests(self) -> TestsPart: ...

    def end(self, kind: EndKind, value: Value, node: Node, met: Met = ..., library: str = ...) -> None: ...

    def called(self, value: Value, place: Node, name: str) -> None: ...

    def meet(self, value: Value, comparison: Node) -> None: ...

    def reads(self, value: Value, name: Node) -> Iterator[Value]: ...
