"""Where all processes come by: the only places at which they may wait for each other.

A wait below a condition that the processes may answer differently never ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....inference.walk.answers import Answers
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....text.syntax import ancestors, arguments_of, field, last_name, text_of
from ...passing import argument_for
from ...program import Place, Program, function_around
from ..places import statement_around
from .uniform import Uniform

_BRANCHES = frozenset({"if_statement", "while_statement", "for_statement", "match_statement"})


class Meeting:
    """Finds, for one program, the statements that all processes come by together."""

    def __init__(self, program: Program, uniform: Uniform) -> None:
        self._program = program
        self._uniform = uniform
        self._answers = Answers(pending=True, unknown=False, limits=PROGRAM_WALK_LIMITS)

    def before(self, place: Place) -> list[Place]:
        """The statements at or around a place that all come by; none, where that is not certain.

        They are in its function, or in the functions that call that one.
        """
        return list({item.key: item for item in self._before(place, 0)}.values())

    def is_common(self, place: Place) -> bool:
        """Whether all processes come by a place itself, equally often."""
        found = self.before(place)
        return [item.key for item in found] == [Place(place.file, statement_around(place.node)).key]

    def _before(self, place: Place, depth: int) -> Iterator[Place]:
        outermost = self._in_function(place)
        if outermost is None or depth > PROGRAM_WALK_LIMITS.callers:
            return
        function = function_around(place)
        if function is None or self._is_entered_by_all(function, depth):
            yield outermost
            return
        outer = [list(self._before(call, depth + 1)) for call in self._program.calls_of(function)]
        if all(outer):
            yield from (item for found in outer for item in found)

    def _is_entered_by_all(self, function: Place, depth: int) -> bool:
        """Whether all processes call a function together, wherever it is called."""
        calls = self._program.calls_of(function)
        if not calls:
            return _starts_a_program(function)
        name = text_of(field(function.node, "name"))
        return self._answers.of(
            function.key, depth, lambda: all(self._is_common_call(call, name, depth + 1) for call in calls)
        )

    def _is_common_call(self, call: Place, name: str, depth: int) -> bool:
        """Whether all come by a call of a function of some name."""
        outermost = self._in_function(call)
        if outermost is None or outermost.key != Place(call.file, statement_around(call.node)).key:
            return False
        function = function_around(call)
        if function is None:
            return True
        callers = self._callers_asking(function, call, name)
        if callers is None:
            return self._is_entered_by_all(function, depth)
        own = text_of(field(function.node, "name"))
        return all(self._is_common_call(one, own, depth + 1) for one in callers)

    def _callers_asking(self, function: Place, call: Place, name: str) -> list[Place] | None:
        """Who calls a function for what it calls by its name, as ``getattr(callback, event)()`` does.

        None for a call that is written with the name.
        """
        asked = field(call.node, "function")
        if asked is None or asked.type != "call" or last_name(asked) != "getattr":
            return None
        given = arguments_of(asked).at(1)
        if given is None or given.value.type != "identifier":
            return None
        pairs = [
            (one, argument_for(function, text_of(given.value), one))
            for one in self._program.calls_of(function)
        ]
        return [one for one, event in pairs if event is None or _may_be(event, name)]

    def _in_function(self, place: Place) -> Place | None:
        """The outermost statement around a place that is below no doubtful condition."""
        outermost = statement_around(place.node)
        inner = place.node
        for parent in ancestors(place.node):
            if parent.type == "function_definition":
                break
            if parent.type in ("lambda", "class_definition"):
                return None
            if parent.type == "if_statement" and _is_main_guard(parent):
                break
            if parent.type in ("except_clause", "finally_clause"):
                outermost = statement_around(parent)
            elif parent.type in _BRANCHES and not self._uniform.branches_alike(
                Place(place.file, parent), inner
            ):
                outermost = parent
        return Place(place.file, outermost)


def _may_be(event: Place, name: str) -> bool:
    """Whether an expression may be a text: any may but for literals of others."""
    return event.node.type != "string" or event.text.strip("'\"") == name


def _is_main_guard(statement: Node) -> bool:
    condition = field(statement, "condition")
    return condition is not None and "__name__" in text_of(condition)


def _starts_a_program(function: Place) -> bool:
    """Whether a function without known callers is one that starts a program."""
    name = field(function.node, "name")
    return text_of(name) in ("main", "run", "train")
