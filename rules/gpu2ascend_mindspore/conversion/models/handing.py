"""What a file may give to a class of torch that it calls under another name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    enclosing,
    field,
    last_name,
    parts_of,
    text_of,
    without_parentheses,
)
from gpu2ascend_rules.text.uses import scope_of_variable

from ..evidence import ROOTS, Evidence
from .layers import Layers

_READERS = frozenset({"get", "items", "pop", "setdefault", "values"})
"""Methods that give what a dictionary holds."""
_ASKING = frozenset({"callable", "hasattr", "id", "isinstance", "len", "print", "repr", "str", "type"})
"""Functions that do not call what they are given first."""
_HOLDERS = frozenset({"tuple", "list", "set", "dictionary", "expression_list", "boolean_operator"})
_BINDING = {
    **dict.fromkeys(("assignment", "for_statement", "for_in_clause"), ("left", "right")),
    **dict.fromkeys(("default_parameter", "typed_default_parameter", "named_expression"), ("name", "value")),
}
"""What gives places a value: the fields of the places, and of the value."""
_FUNCTION = "function_definition"


class HandedClasses:
    """Follows the values of one file through variables, attributes, parameters, containers and results.

    A place is a text: a variable with its scope, ``.name`` for an attribute of anything, ``:name`` for an
    argument of that name, and one of these with ``()`` for what a call of it gives.
    """

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._held: defaultdict[int, set[str]] = defaultdict(set)
        self._passed: defaultdict[str, set[str]] = defaultdict(set)
        self._refusing: set[str] = set()
        self._parameters: dict[str, list[Node]] = {}
        for node in nodes_in(source.root):
            if node.type == _FUNCTION:
                self._define(node)
        for node in nodes_in(source.root):
            self._look_at(node)

    def is_called_without_positions(self, node: Node) -> bool:
        """Whether all that is known of a class which is named at a place is that it is called by keywords."""
        reached: set[str] = set()
        waiting = list(self._held.get(node.id, ()))
        is_held = bool(waiting)
        while waiting:
            place = waiting.pop()
            if place not in reached:
                reached.add(place)
                waiting += self._passed.get(place, ())
        return is_held and not reached & self._refusing

    def _define(self, definition: Node) -> None:
        """The parameters that positions belong to, under the name that a call has for the function."""
        name, parameters = field(definition, "name"), field(definition, "parameters")
        owner = enclosing(definition, "class_definition", _FUNCTION)
        is_method = owner is not None and owner.type == "class_definition"
        called = field(owner, "name") if is_method and name and text_of(name) == "__init__" else name
        found = [next(_names(one), None) for one in (parameters.named_children if parameters else [])]
        taken = [one for one in found if one is not None][1 if is_method else 0 :]
        for one in taken:
            self._passed[f":{text_of(one)}"].add(self._variable(one))
        if called is not None:
            self._parameters[text_of(called)] = taken

    def _look_at(self, node: Node) -> None:
        if node.type in _BINDING:
            target, value = _BINDING[node.type]
            self._bind(field(node, value), self._targets(field(node, target)))
        elif node.type == "keyword_argument":
            name = field(node, "name")
            self._bind(field(node, "value"), {f":{text_of(name)}"} if name is not None else ())
        elif node.type == "return_statement" and node.named_children:
            name = field(enclosing(node, _FUNCTION), "name")
            if name is not None:
                self._bind(node.named_children[0], {f"{self._variable(name)}()", f".{text_of(name)}()"})
        elif node.type == "call":
            self._call(node)
        elif node.type == "comparison_operator":
            self._compare(node)
        elif node.type == "class_definition":
            bases = field(node, "superclasses")
            self._refuse(bases.named_children if bases is not None else ())

    def _bind(self, value: Node | None, places: Iterable[str]) -> None:
        for one in _values(value):
            self._held[one.id].update(places)
            for place in self._places(one):
                self._passed[place].update(places)

    def _call(self, call: Node) -> None:
        function, arguments = field(call, "function"), arguments_of(call)
        if function is None:
            return
        if arguments.unpacked or arguments.positional:
            self._refuse([function])
        parameters = self._parameters.get(last_name(call) or "")
        for argument in (one for one in arguments.items if one.keyword is None):
            position = argument.position
            if parameters is not None and position is not None and position < len(parameters):
                self._bind(argument.value, {self._variable(parameters[position])})
            elif position != 0 or text_of(function) not in _ASKING:
                self._refuse(_values(argument.value))

    def _compare(self, comparison: Node) -> None:
        """Whether two values are one asks for classes; whether there is a value, or a text, does not."""
        operands = comparison.named_children
        if any(one.type in ("none", "string") for one in operands):
            return
        operators = {text_of(one) for one in comparison.children_by_field_name("operators")}
        self._refuse(operands[:1] if operators & {"in", "not in"} else operands)

    def _refuse(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self._refusing.update(self._places(node))

    def _variable(self, identifier: Node) -> str:
        return f"{text_of(identifier)}@{scope_of_variable(identifier, self._source).id}"

    def _targets(self, node: Node | None) -> set[str]:
        """The places that an assignment to an expression fills."""
        if node is None:
            return set()
        if node.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            return {place for one in node.named_children for place in self._targets(one)}
        found = set(self._places(node))
        owner = enclosing(node, "class_definition", _FUNCTION, "lambda")
        if node.type == "identifier" and owner is not None and owner.type == "class_definition":
            found.add(f".{text_of(node)}")  # read by ``self``, and given to the constructor of a dataclass
            self._passed[f":{text_of(node)}"].add(f".{text_of(node)}")
        return found

    def _places(self, node: Node) -> Iterator[str]:
        """The place that an expression reads, if it is one."""
        results = ""
        while node.type in ("call", "subscript", "parenthesized_expression"):
            inner: Node | None = without_parentheses(node)
            if node.type == "subscript":
                inner = field(node, "value")
            elif node.type == "call":
                function = field(node, "function")
                owner = field(function, "object") if last_name(node) in _READERS else None
                inner, results = (owner, results) if owner is not None else (function, f"{results}()")
            if inner is None or inner.id == node.id:
                return
            node = inner
        name = field(node, "attribute")
        if node.type == "identifier":
            yield f"{self._variable(node)}{results}"
        elif name is not None:
            yield f".{text_of(name)}{results}"


def _values(node: Node | None) -> Iterator[Node]:
    """The expressions that an expression may be, or holds."""
    waiting = [node] if node is not None else []
    while waiting:
        one = without_parentheses(waiting.pop())
        if one.type in _HOLDERS:
            parts = (field(part, "value") if part.type == "pair" else part for part in one.named_children)
            waiting += [part for part in parts if part is not None]
        elif one.type == "conditional_expression":
            waiting += parts_of(one)[::2]
        elif one.type != "comment":
            yield one


def _names(parameter: Node) -> Iterator[Node]:
    """The identifiers of a parameter, its own first."""
    return (one for one in nodes_in(parameter) if one.type == "identifier")


_MANY = 99
"""Stands for a number of positions that is not known."""


class Handing:
    """The arguments of calls that may be of a class under another name."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._layers = Layers(evidence)
        found: list[str] = []
        self._positions: Counter[str] = Counter()
        self._handed: HandedClasses | None = None
        for node in nodes_in(evidence.source.root):
            if node.type == "call":
                self._look_at(node, found)
            elif node.type == "string":
                found.append(text_of(node))
        self.words = " ".join(found).encode()
        """The keywords of those calls, and all that the file writes as text: keys of dictionaries."""

    def positions(self, api: str) -> int:
        """How many arguments a class is given by position, at most, where it has another name."""
        return self._positions[api]

    def is_called_without_positions(self, node: Node) -> bool:
        """Whether a class that is named at a place is called, if at all, without arguments by position."""
        self._handed = self._handed or HandedClasses(self._evidence.source)
        return self._handed.is_called_without_positions(node)

    def _look_at(self, call: Node, words: list[str]) -> None:
        function = field(call, "function")
        if function is None or self._is_of_torch(function):
            return
        arguments = arguments_of(call)
        words += [one.keyword for one in arguments.items if one.keyword is not None]
        count = _MANY if arguments.unpacked else len(arguments.positional)
        if count:
            for name in self._layers.classes(function):
                self._positions[name] = max(self._positions[name], count)

    def _is_of_torch(self, function: Node) -> bool:
        resolution = self._evidence.source.names.qualified_name(function)
        if resolution is None or resolution.qualified_name.partition(".")[0] not in ROOTS:
            return False
        return resolution.binding is None or resolution.binding.kind is BindingKind.IMPORT
