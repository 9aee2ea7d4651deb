"""Numbers that stand for devices, followed through the functions of all files.

Up to torch 2.2 a bare number is a CUDA device. Whether a parameter is one is shown by its callers, not by its
default; whether a number becomes a device, by what is done with what a function returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tree_sitter import Node

from ..flow.names.definition import CLASS, FUNCTION, Definition
from ..flow.names.definitions import Definitions
from ..flow.names.files import ProgramFile, ProgramFiles
from ..flow.names.given_arguments import given_arguments
from ..flow.names.uses import Uses
from ..flow.tracing.tracer import Tracer
from ..flow.tracing.values import EndKind, Value
from ..inference.kinds import Kind
from ..limits.checkpoints import TimeLimitError, time_limit
from ..limits.parents import parent_of
from ..model.project.inputs import NO_NUMBERS, Asked, Found, NumberQuestion, Numbers
from ..text.scopes import BindingKind
from ..text.syntax import enclosing, field, parts_of, same, text_of, without_parentheses

_UNKNOWN = frozenset({Found.UNKNOWN})
_OF_KINDS = {
    Kind.INTEGER: frozenset({Found.NUMBER}),
    Kind.TEXT: frozenset({Found.DEVICE}),
    Kind.DEVICE: frozenset({Found.DEVICE}),
    Kind.NONE: frozenset({Found.DEVICE}),
}
_DEVICE_ENDS = frozenset({EndKind.TAKES, EndKind.NAMED, EndKind.CALLED})
_MOST_STEPS = 6
"""Functions through which a number is followed back."""


class NumbersOfProgram:
    """Answers for the files of a program."""

    def __init__(self, files: ProgramFiles, definitions: Definitions, uses: Uses, tracer: Tracer) -> None:
        self._files = files
        self._definitions = definitions
        self._uses = uses
        self._tracer = tracer
        self._known: dict[NumberQuestion, Numbers] = {}

    def answer(self, question: NumberQuestion) -> Numbers:
        """What is found; nothing where no call is known, or the question regards no such place."""
        if question not in self._known:
            self._known[question] = _UNKNOWN
            try:
                with time_limit():
                    self._known[question] = self._answer(question)
            except TimeLimitError:
                pass
        return self._known[question]

    def _answer(self, question: NumberQuestion) -> Numbers:
        file = self._files.get(question.path)
        node = file.source.node_at(question.start, question.end) if file is not None else None
        if file is None or node is None:
            return NO_NUMBERS
        if question.asked is Asked.GIVEN:
            return frozenset(self._given(file, node, 0))
        if question.asked is Asked.RETURNED:
            return frozenset(self._of_call(file, node, 0))
        return self._used(file, node)

    # -- what is done with a value ---------------------------------------------------------------------

    def _used(self, file: ProgramFile, node: Node) -> Numbers:
        found = set()
        for end in self._tracer.follow(Value(file, node)).uses:
            is_device = end.kind in _DEVICE_ENDS
            if end.kind is not EndKind.CALLED:
                found.add(Found.DEVICE if is_device and end.is_certain else Found.UNKNOWN)
        return frozenset(found)

    # -- what gives a value ----------------------------------------------------------------------------

    def _given(self, file: ProgramFile, name: Node, depth: int) -> Iterator[Found]:
        """What calls give for a parameter, and whether one leaves it to its default."""
        function = enclosing(name, FUNCTION)
        if function is None or depth > _MOST_STEPS:
            yield Found.UNKNOWN
            return
        for other, call in self._calls(file, function):
            given = given_arguments(call)
            if not given.is_all:
                yield Found.UNKNOWN
            is_given = False
            for place, value in given.values:
                if self._is_for(other, given.function, place, name, file):
                    is_given = True
                    yield from self._of(other, value, depth + 1)
            if not is_given:
                yield Found.LEFT

    def _calls(self, file: ProgramFile, function: Node) -> Iterator[tuple[ProgramFile, Node]]:
        """The calls of a function; of ``__init__`` those of its class and of what derives from that."""
        definition = Definition(file, function)
        own = field(function, "name")
        owner = file.source.names.scope_of(function)
        uses = self._uses.of_function(definition)
        if text_of(own) == "__init__" and owner.type == CLASS:
            uses = [*uses, *self._uses.of_function(Definition(file, owner))]
        for other, result, _ in uses:
            if result.type == "call":
                yield other, result

    def _is_for(
        self, file: ProgramFile, function: Node, argument: int | str, name: Node, owner: ProgramFile
    ) -> bool:
        called = self._definitions.of(file, function)
        found = self._definitions.parameter(called, argument) if called is not None else None
        if found is None:
            return isinstance(argument, str) and argument == text_of(name)
        return found[0] is owner and same(found[1], name)

    def _of(self, file: ProgramFile, value: Node, depth: int) -> Iterator[Found]:
        """What an expression is: a parameter is what callers give, beside its default."""
        node = without_parentheses(value)
        if node.type == "conditional_expression":
            parts = parts_of(node)
            yield from chain(self._of(file, parts[0], depth), self._of(file, parts[2], depth))
            return
        parameter = _parameter_behind(file, node)
        if parameter is not None:
            default = field(parent_of(parameter), "value")
            given = set(self._given(file, parameter, depth)) - {Found.LEFT}
            kind = file.ctx.kind(default if default is not None else node)
            yield from given or _OF_KINDS.get(kind, _UNKNOWN)
            if given and default is not None:
                yield from _OF_KINDS.get(kind, _UNKNOWN)
            return
        kind = file.ctx.kind(node)
        if kind is Kind.UNKNOWN and node.type == "call":
            yield from self._of_call(file, node, depth)
            return
        yield from _OF_KINDS.get(kind, _UNKNOWN)

    def _of_call(self, file: ProgramFile, call: Node, depth: int) -> Iterator[Found]:
        """What a function of the project returns."""
        while call.type != "call":
            parent = parent_of(call)
            if parent is None:
                return
            call = parent
        function = field(call, "function")
        called = self._definitions.of(file, function) if function is not None else None
        if called is None or called.kind != FUNCTION or depth > _MOST_STEPS:
            yield Found.UNKNOWN
            return
        for value in called.file.ctx.instances.classes.returned_by(called.node):
            yield from self._of(called.file, value, depth + 1)


def _parameter_behind(file: ProgramFile, node: Node) -> Node | None:
    """The parameter that a variable is, and nothing else."""
    if node.type != "identifier":
        return None
    bindings = file.source.names.bindings_in_scope(text_of(node), node)
    is_one = len(bindings) == 1 and bindings[0].kind is BindingKind.PARAMETER
    return bindings[0].node if is_one else None
