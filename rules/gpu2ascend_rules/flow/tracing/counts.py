"""Numbers that count the letters of a word: where the text that holds it is cut, or its length compared.

``int(device[5:])`` reads the number of ``cuda:0``; where the word gets another number of letters, so does 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.below import nodes_in
from ...limits.parents import parent_of, parent_type
from ...text.scopes import Binding, BindingKind
from ...text.syntax import (
    arguments_of,
    enclosing,
    field,
    is_field,
    last_name,
    operator_of,
    same,
    text_of,
    without_parentheses,
)
from ..names.definition import FUNCTION, NAME, Definition
from ..names.files import ProgramFile
from ..names.given_arguments import given_arguments, place_of_parameter
from ..templates import UNKNOWN_PART, plain_text
from .parts import TracerPart
from .values import EndKind, Met, Value, Word

_FINDS = frozenset({"find", "index", "rfind", "rindex"})
_LONGER = {">": 0, "<=": 0, ">=": 1, "<": 1}
"""Comparisons of a length, with what a number has to be more than the letters of the word."""
_REVERSED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_MOST_CALLS = 50


class Counts(TracerPart):
    """Records the numbers that must change with a word; of those that may count other letters, too, it says
    that nothing is proven."""

    @property
    def _is_changing(self) -> bool:
        return len(self._subject.counterpart or self._subject.sample) != len(self._subject.sample)

    def cut(self, value: Value, subscript: Node) -> None:
        """``device[5:]``, ``device[:4]``, ``device[5]`` and ``device[device.find('cuda:') + 5:]``."""
        keys = subscript.children_by_field_name("subscript")
        if not self._is_changing or len(keys) != 1 or not value.text.startswith(self._subject.sample):
            return
        for length in _lengths(keys[0]):
            self._measures_word(value, length)
        begin, end = _bounds(keys[0])
        is_begun = False
        for bound in (begin, end):
            number = _number(bound, value.file) if bound is not None else None
            is_begun = is_begun or (number is not None and self._counts(value, number))
            if bound is not None and number is not None and is_begun:
                self._record(value, number, is_only=bound.type != NAME or self._is_bound(value.file, bound))

    def _measures_word(self, value: Value, length: Node) -> None:
        """Record that ``len('cuda:')`` counts the letters at which a text is cut."""
        given = arguments_of(length).at(0)
        text = plain_text(given.value) if given is not None else None
        if given is not None and given.value.type == "string" and self._subject.is_text(text or ""):
            met = Met((Word(value.file.path, given.value.start_byte),))
            self._tracer.end(EndKind.COUNTED, value, given.value, met)

    def measured(self, value: Value, call: Node) -> None:
        """``len(device) > 4``; a length that is asked exactly may be that of another word, too."""
        comparison = parent_of(call)
        if comparison is None or comparison.type != "comparison_operator" or comparison.child_count != 3:
            return
        left, operator, right = comparison.children
        number, sign = (right, operator.type) if same(left, call) else (left, operator.type)
        sign = sign if same(left, call) else _REVERSED.get(sign, sign)
        if not self._is_changing or value.access or not value.is_kept or number.type != "integer":
            return
        if self._counts(value, number):
            shift = _LONGER.get(sign)
            is_only = shift is not None and int(text_of(number)) >= len(self._subject.sample) + shift
            self._record(value, number, is_only=is_only)

    def _counts(self, value: Value, number: Node) -> bool:
        """Whether a number is that of the letters of a word, with a colon or all that is known behind it."""
        letters, count = len(self._subject.sample), text_of(number)
        longest = letters + 1 if UNKNOWN_PART in value.text else max(letters + 1, len(value.text))
        return count.isdecimal() and letters <= int(count) <= longest

    def _record(self, value: Value, number: Node, *, is_only: bool) -> None:
        is_certain = value.is_certain and is_only and self._is_of_subject(value)
        met = Met((Word(value.file.path, number.start_byte),))
        self._tracer.end(EndKind.COUNTED, value._replace(is_certain=is_certain), number, met)

    def _is_bound(self, file: ProgramFile, constant: Node) -> bool:
        """Whether a constant is used for nothing but to cut."""
        reads = [use for _, use, _ in self._tracer.uses.of_variable(file, constant)]
        return all(is_field(use, "subscript") or parent_type(use) == "slice" for use in reads)

    # -- what else may be there ------------------------------------------------------------------------

    def _is_of_subject(self, value: Value) -> bool:
        """Whether nothing but texts of the subject, and what may stand beside them, come to an expression."""
        node = without_parentheses(value.node)
        if node.type == "string" or self._tracer.is_named(value.file, node):
            return True
        if node.type != NAME:
            return False
        bindings = value.file.source.names.bindings_in_scope(text_of(node), node)
        return bool(bindings) and all(self._binds_subject(value.file, item) for item in bindings)

    def _binds_subject(self, file: ProgramFile, binding: Binding) -> bool:
        if binding.kind is BindingKind.PARAMETER:
            return self._is_given(file, binding)
        if binding.kind is BindingKind.LOOP:
            looped = field(binding.statement, "right")
            return looped is not None and self._may_stand(file, looped)
        is_assigned = binding.kind is BindingKind.ASSIGNMENT and binding.value is not None
        return is_assigned and binding.value is not None and self._may_stand(file, binding.value)

    def _is_given(self, file: ProgramFile, parameter: Binding) -> bool:
        """Whether all calls of a function give such a text for a parameter, as far as they are known."""
        function = enclosing(parameter.node, FUNCTION)
        if function is None:
            return False
        calls = self._tracer.uses.of_function(Definition(file, function))
        if len(calls) > _MOST_CALLS:
            return False
        place = place_of_parameter(parameter.name, function)
        given = ((other, given_arguments(call).get(parameter.name, place)) for other, call, _ in calls)
        return all(argument is not None and self._may_stand(other, argument) for other, argument in given)

    def _may_stand(self, file: ProgramFile, expression: Node) -> bool:
        text = plain_text(expression)
        if text is not None:
            return self._subject.is_text(text) or self._subject.beside(text)
        return expression.type == "string" or self._tracer.is_named(file, expression)


def _lengths(key: Node) -> Iterator[Node]:
    """The calls of ``len`` by which a text is cut."""
    return (node for node in nodes_in(key, "comment") if node.type == "call" and last_name(node) == "len")


def _bounds(key: Node) -> tuple[Node | None, Node | None]:
    """Where a part of a text begins, and the end; of one letter only the first."""
    if key.type != "slice":
        return key, None
    bounds: list[Node | None] = [None, None, None]
    at = 0
    for child in key.children:
        if child.type == ":":
            at += 1
        elif child.type != "comment":
            bounds[at] = child
    return bounds[0], bounds[1]


def _number(bound: Node, file: ProgramFile) -> Node | None:
    """The number that a bound is, also that of a constant, or that it adds to where something was found."""
    if bound.type == "integer":
        return bound
    if bound.type == NAME:
        value = file.source.names.only_value(bound)
        return value if value is not None and value.type == "integer" else None
    if bound.type != "binary_operator" or operator_of(bound) != "+":
        return None
    parts = [part for part in (field(bound, "left"), field(bound, "right")) if part is not None]
    numbers = [part for part in parts if part.type == "integer"]
    found = [part for part in parts if _is_found(part, file)]
    return numbers[0] if len(numbers) == 1 and found else None


def _is_found(expression: Node, file: ProgramFile) -> bool:
    """Whether it is where ``find`` has found a word."""
    value = file.source.names.only_value(expression) if expression.type == NAME else expression
    if value is None or value.type != "call" or last_name(value) not in _FINDS:
        return False
    sought = arguments_of(value).at(0)
    return sought is not None and len((plain_text(sought.value) or "").rstrip(":")) > 1
