"""What the parts of the tracer ask of each other, so that no module of them imports another in a circle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from tree_sitter import Node

from ..names.definition import Definition
from ..names.definitions import Definitions
from ..names.files import Files, ProgramFile
from ..names.uses import Uses
from ..subject import PlaceKind, Subject
from ..verdicts import Role
from .values import EndKind, Meeting, Met, Value


class IsNamed(Protocol):
    """Whether an expression of a file is of the subject; see :mod:`.named`."""

    def __call__(self, file: ProgramFile, expression: Node) -> bool: ...


class StoresPart(Protocol):
    """Where a word is kept; see :mod:`.stores`."""

    def into(self, value: Value, target: Node) -> Iterator[Value]: ...

    def attribute(self, value: Value, receiver: Node, name: str) -> Iterator[Value]: ...

    def given_by(self, value: Value, function: Definition) -> Iterator[Value]: ...

    def field(self, value: Value, owner: Definition, name: str) -> Iterator[Value]: ...

    def entry(self, value: Value, key: str, holder: Node) -> Value: ...


class CallsPart(Protocol):
    """What calls do with a word; see :mod:`.calls.arguments`."""

    def entered(
        self, value: Value, called: Definition, argument: int | str, call: Node | None
    ) -> Iterator[Value]: ...

    def given_to_option(self, value: Value, declaration: Node) -> Iterator[Value]: ...


class TestsPart(Protocol):
    """Where a word meets others; see :mod:`.tests`."""

    def annotated(self, value: Value, name: Node) -> None: ...

    def chosen(self, value: Value, place: Node, choices: Node) -> None: ...

    def listed(self, value: Value, place: Node, allowed: Node) -> None: ...

    def searched(self, value: Value, call: Node) -> None: ...

    def searched_for(self, value: Value, call: Node, receiver: Node) -> None: ...

    def fits_pattern(self, value: Value, call: Node, argument: int | str) -> bool: ...

    def matched_with(self, value: Value, place: Node, pattern: Node) -> bool: ...

    def looked_up_among(self, value: Value, place: Node, values: list[Node], file: ProgramFile) -> None: ...

    def asserted(self, value: Value, call: Node, position: int) -> None: ...

    def entered(self, value: Value, place: Node, holder: Node) -> bool: ...

    def meets_in_table(self, value: Value, place: Node, holder: Node) -> None: ...


class CountsPart(Protocol):
    """Where numbers count the letters of a word; see :mod:`.counts`."""

    def cut(self, value: Value, subscript: Node) -> None: ...

    def measured(self, value: Value, call: Node) -> None: ...


class Tracing(Protocol):
    """The whole, as each of its parts sees it; see :class:`.tracer.Tracer`."""

    subject: Subject
    files: Files
    definitions: Definitions
    uses: Uses
    is_named: IsNamed
    meetings: dict[Meeting, None]

    @property
    def stores(self) -> StoresPart: ...

    @property
    def calls(self) -> CallsPart: ...

    @property
    def tests(self) -> TestsPart: ...

    @property
    def counts(self) -> CountsPart: ...

    def end(self, kind: EndKind, value: Value, node: Node, met: Met = ..., library: str = ...) -> None: ...

    def seen(
        self, value: Value, role: Role, node: Node | None = ..., *, proof: bool = ..., library: str = ...
    ) -> None: ...

    def at(self, value: Value, place: PlaceKind, node: Node | None = ..., library: str = ...) -> None: ...

    def spelled(self, value: Value) -> None: ...

    def called(self, value: Value, place: Node, *names: str, is_shared: bool) -> None: ...

    def open_end(self, value: Value, node: Node) -> None: ...

    def chosen(self, value: Value) -> None: ...

    def called_entry(self, value: Value, role: Role, holder: Node) -> None: ...

    def is_foreign(self, file: ProgramFile) -> bool: ...

    def is_one_of_its_kind(self, value: Value) -> bool: ...

    def is_crowded(self, value: Value) -> bool: ...

    def is_mixed(self, value: Value) -> bool: ...

    def made(self, value: Value, node: Node) -> Iterator[Value]: ...

    def meet(self, value: Value, comparison: Node) -> None: ...

    def reads(self, value: Value, name: Node) -> Iterator[Value]: ...


class TracerPart:
    """A part of the tracer, which asks the whole and its subject."""

    def __init__(self, tracer: Tracing) -> None:
        self._tracer = tracer
        self._subject = tracer.subject
