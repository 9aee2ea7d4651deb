"""Whether a value is the same in all processes: options, counters and literals are, figures are not.

The answer is yes only where that is proved. What comes from the data, from the clock, from random numbers or
from the file system, at which processes look at different times, may differ, but for the contents of a
checkpoint; so may what is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node

from ....data import load_json
from ....inference.walk.answers import Answers
from ....limits.below import nodes_in
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....text.scopes import Binding, BindingKind
from ....text.source_file import SourceFile
from ....text.syntax import (
    OWN_SCOPES,
    ancestors,
    arguments_of,
    enclosing,
    field,
    last_name,
    parts_of,
    text_of,
    without_parentheses,
)
from ....text.uses import assigned_value
from ...origins import ITERABLES, Origins
from ...passing import argument_for, parameter_default
from ...program import Place, Program, callee_name, qualified

_SPLITTERS = "sklearn.model_selection."
_FILLED = frozenset({"list", "dictionary", "set", "call", "subscript"})
_CHECKPOINT = "torch.load"
"""Reads what one process wrote and all wait for: it is the same for all who give it the same path."""
_ASK_FOR_FILE = frozenset({"os.path.exists", "os.path.isfile"})
_FILLS = re.compile(
    r"\s*(?:\.(?:append|extend|add|update|insert|pop|remove|setdefault)\(|\[[^\]]*\]\s*[-+*/]?=[^=])"
)
"""What changes a container after a name."""
_CONDITIONED = frozenset({"if_statement", "elif_clause", "while_statement"})


@lru_cache(maxsize=1)
def _table() -> dict[str, frozenset[str]]:
    return {key: frozenset(names) for key, names in load_json("uniform_values").items()}


class Uniform:
    """Answers for one program; a value that depends on itself, as a counter does, adds nothing to doubt."""

    def __init__(self, program: Program, origins: Origins) -> None:
        self._program = program
        self._origins = origins
        self._answers = Answers(pending=True, unknown=False, limits=PROGRAM_WALK_LIMITS)

    def is_same(self, place: Place, depth: int = 0) -> bool:
        """Whether an expression has the same value wherever a process comes by."""
        node = without_parentheses(place.node)
        key = (place.file.path, node.id)
        return self._answers.of(key, depth, lambda: self._looked_at(Place(place.file, node), depth + 1))

    def branches_alike(self, statement: Place, inner: Node) -> bool:
        """Whether all processes go the same way to a node below a branch or a loop."""
        node = statement.node
        if node.type in _CONDITIONED:
            return all(
                self.is_same(Place(statement.file, condition)) for condition in _tests_before(node, inner)
            )
        if node.type == "for_statement":
            iterable = field(node, "right")
            return iterable is not None and self._has_one_length(Place(statement.file, iterable), 0)
        return node.type not in ("except_clause", "match_statement", "except_group_clause")

    def _looked_at(self, place: Place, depth: int) -> bool:
        node = place.node
        if node.type in _table()["literals"] or node.type.startswith("string_"):
            return True
        if node.type == "comparison_operator" and self._asks_for_none(place):
            return True
        if node.type in _table()["parts"]:
            parts = parts_of(node)
            if node.type == "keyword_argument":
                parts = parts[-1:]
            return all(self.is_same(Place(place.file, part), depth) for part in parts)
        if node.type == "identifier":
            return self._name(place, depth)
        if node.type == "attribute":
            return self._attribute(place, depth)
        return node.type == "call" and self._call(place, depth)

    def _asks_for_none(self, place: Place) -> bool:
        """``optimizer is not None``, where it is known whether something is given."""
        left, right = place.node.named_children[0], place.node.named_children[-1]
        if right.type != "none" or not any(child.type.startswith("is") for child in place.node.children):
            return False
        origins = self._origins.of(Place(place.file, left))
        return bool(origins) and all(
            item.node.type in _table()["literals"]
            or (item.node.type == "call" and callee_name(item).startswith("torch."))
            for item in origins
        )

    def _name(self, place: Place, depth: int) -> bool:
        name = text_of(place.node)
        bindings = place.file.names.bindings_in_scope(name, place.node)
        if not bindings:
            return name in ("__name__", "__file__")
        return all(self._bound(place.file, binding, depth) for binding in bindings)

    def _bound(self, file: SourceFile, binding: Binding, depth: int) -> bool:
        statement = Place(file, binding.statement)
        if binding.kind in (BindingKind.DEFINITION, BindingKind.GLOBAL, BindingKind.NONLOCAL):
            return True
        if binding.kind is BindingKind.IMPORT:
            found = self._program.global_binding(file, binding.target)
            value = found[1].value if found is not None else None
            return found is None or value is None or self.is_same(Place(found[0], value), depth)
        if binding.kind is BindingKind.PARAMETER:
            return self._parameter(file, binding, depth)
        if binding.kind is BindingKind.LOOP:
            return self._counter(statement, binding, depth)
        if binding.kind not in (BindingKind.ASSIGNMENT, BindingKind.OTHER):
            return False
        value = assigned_value(binding) or field(binding.statement, "right")
        if value is None or (value.type in _FILLED and _is_filled(file, binding)):
            return False
        return self.is_same(Place(file, value), depth) and self._reached_alike(Place(file, value), depth)

    def _reached_alike(self, place: Place, depth: int) -> bool:
        """Whether all processes come by a place equally often, within its function."""
        for parent in ancestors(place.node):
            if parent.type in OWN_SCOPES:
                return True
            if parent.type in _CONDITIONED:
                tests = _tests_before(parent, place.node)
                if not all(self._is_decided_alike(Place(place.file, test), parent, depth) for test in tests):
                    return False
            if parent.type == "except_clause":
                return False
        return True

    def _is_decided_alike(self, test: Place, statement: Node, depth: int) -> bool:
        """Whether what a branch gives a variable is the same after it.

        So is what is read of a checkpoint, if there is one: all wait before they look, and a training that
        some begin at another epoch than others ends nowhere. What is in the branch need not come to all.
        """
        if self.is_same(test, depth):
            return True
        parts = parts_of(test.node) if test.node.type == "boolean_operator" else [test.node]
        asked = [one for one in parts if callee_name(Place(test.file, one)) in _ASK_FOR_FILE]
        given = [item.value for one in asked for item in arguments_of(one).items]
        others = [one for one in parts if one not in asked]
        return (
            bool(asked)
            and _loads(Place(test.file, statement))
            and all(self.is_same(Place(test.file, one), depth) for one in (*given, *others))
        )

    def _parameter(self, file: SourceFile, binding: Binding, depth: int) -> bool:
        if binding.name in _table()["options"] or binding.name in ("self", "cls"):
            return True
        function = enclosing(binding.node, "function_definition", "lambda")
        if function is None or function.type == "lambda":
            return False
        owner = Place(file, function)
        calls = self._program.calls_of(owner)
        default = parameter_default(function, binding.name)
        values: list[Place] = []
        for call in calls:
            given = argument_for(owner, binding.name, call)
            if given is None and default is None:
                return False
            values.append(given if given is not None else Place(file, default))  # type: ignore[arg-type]
        return bool(values) and all(self.is_same(value, depth) for value in values)

    def _counter(self, statement: Place, binding: Binding, depth: int) -> bool:
        """What a loop over numbers, or over something that all have alike, counts."""
        iterable = field(statement.node, "right")
        left = field(statement.node, "left")
        if iterable is None or left is None:
            return False
        place = Place(statement.file, iterable)
        if self._is_enumerated(iterable) and left.named_children[:1] == [binding.node]:
            return True
        return self.is_same(place, depth)

    @staticmethod
    def _is_enumerated(iterable: Node) -> bool:
        while iterable.type == "call" and last_name(iterable) in ("tqdm", "track"):
            items = arguments_of(iterable).items
            if not items:
                return False
            iterable = items[0].value
        return iterable.type == "call" and last_name(iterable) == "enumerate"

    def _has_one_length(self, iterable: Place, depth: int) -> bool:
        """Whether a loop has as many rounds in all processes: over numbers, over batches, over a literal.

        What is called with the same does not give as many items, as the names of files, unless it goes
        through batches.
        """
        if self._is_of_batches(iterable, depth):
            return True
        inner, is_passed_on = self._origins.gone_through(iterable), callee_name(iterable) in ITERABLES
        origins = self._origins.of(iterable)
        if origins and all(item.node.type in ("list", "tuple") for item in origins):
            return True
        callee = self._program.callee(iterable) if iterable.node.type == "call" else None
        if (callee is not None and self._yields_alike(callee)) or self._is_split(iterable, depth):
            return True
        return (
            inner is not None
            and (is_passed_on or any(map(self._is_loader, self._origins.iterables(iterable))))
            and all(self._has_one_length(item, depth) for item in inner)
        )

    def _is_split(self, iterable: Place, depth: int) -> bool:
        """``KFold(n_splits=5).split(x)``: as many folds as an object of scikit-learn is asked to make."""
        receiver = field(field(iterable.node, "function"), "object")
        if iterable.node.type != "call" or last_name(iterable.node) != "split" or receiver is None:
            return False
        made = self._origins.of(Place(iterable.file, receiver))
        return bool(made) and all(
            callee_name(one).startswith(_SPLITTERS)
            and all(self.is_same(Place(one.file, item.value), depth) for item in arguments_of(one.node).items)
            for one in made
        )

    def _yields_alike(self, function: Place) -> bool:
        """Whether a generator yields equally often in all processes."""
        yields = [node for node in nodes_in(function.node) if node.type == "yield"]
        return bool(yields) and all(
            self.branches_alike(Place(function.file, parent), node)
            for node in yields
            for parent in ancestors(node)
            if parent.start_byte > function.node.start_byte
            and parent.type.endswith(("_statement", "_clause"))
        )

    def _is_of_batches(self, iterable: Place, depth: int) -> bool:
        return self.is_same(iterable, depth) or self._is_loader(iterable)

    def _is_loader(self, iterable: Place) -> bool:
        origins = self._origins.of(iterable)
        return bool(origins) and all(
            item.node.type == "call" and "loader" in last_name(item.node).lower() for item in origins
        )

    def _attribute(self, place: Place, depth: int) -> bool:
        if qualified(place) or text_of(field(place.node, "attribute") or place.node) == "training":
            return True
        root = place.node
        while root.type == "attribute" and (inner := field(root, "object")) is not None:
            if (
                inner.type in ("identifier", "attribute")
                and text_of(inner).split(".")[-1] in _table()["options"]
            ):
                return True
            root = inner
        if root.type != "identifier":
            return False
        if text_of(root) == "self":
            return self._of_object(place, depth)
        origins = self._origins.of(Place(place.file, root))
        return bool(origins) and all(
            item.node.type == "call" and last_name(item.node) in ("parse_args", "parse_known_args")
            for item in origins
        )

    def _of_object(self, place: Place, depth: int) -> bool:
        """``self.steps``, when all that the class gives it is the same."""
        owner = self._program.class_of(Place(place.file, field(place.node, "object")))  # type: ignore[arg-type]
        name = field(place.node, "attribute")
        if owner is None or name is None:
            return False
        values = [
            value for item in self._program.family(owner) for value in _given_to_self(item, text_of(name))
        ]
        return bool(values) and all(
            self.is_same(value, depth) and self._reached_alike(value, depth) for value in values
        )

    def _call(self, place: Place, depth: int) -> bool:
        name = callee_name(place)
        if name in _table()["given"]:
            return True
        arguments = [Place(place.file, item.value) for item in arguments_of(place.node).items]
        if name == _CHECKPOINT:
            return all(self.is_same(item, depth) for item in arguments[:1])
        if name == "len" and len(arguments) == 1:
            return self._is_of_batches(arguments[0], depth) or self._is_data_set(arguments[0])
        if name in _table()["pure"]:
            return all(self.is_same(item, depth) for item in arguments)
        receiver = field(field(place.node, "function"), "object")
        if receiver is None or last_name(place.node) not in _table()["methods"]:
            return self._given_back(place, depth)
        if last_name(place.node).startswith("parse_"):
            return True
        return all(self.is_same(item, depth) for item in (Place(place.file, receiver), *arguments))

    def _given_back(self, call: Place, depth: int) -> bool:
        """Whether a function of the program returns the same, as the epoch of a checkpoint that it loads."""
        callee = self._program.callee(call)
        if callee is None or callee.node.type != "function_definition":
            return False
        nodes = [*nodes_in(callee.node)]
        returned = [node for node in nodes if node.type == "return_statement"]
        values = [Place(callee.file, part) for node in returned for part in node.named_children]
        return (
            bool(values)
            and not any(node.type == "yield" for node in nodes)
            and all(self.is_same(value, depth) and self._reached_alike(value, depth) for value in values)
        )

    @staticmethod
    def _is_data_set(place: Place) -> bool:
        return place.text.rpartition(".")[2].lower().endswith(("dataset", "loader"))


def _loads(branch: Place) -> bool:
    """Whether a checkpoint is read below a condition."""
    body = field(branch.node, "consequence")
    nodes = nodes_in(body) if body is not None else ()
    return any(one.type == "call" and callee_name(Place(branch.file, one)) == _CHECKPOINT for one in nodes)


def _is_filled(file: SourceFile, binding: Binding) -> bool:
    """Whether a container gets its contents one by one, as a list of losses does."""
    return any(
        _FILLS.match(file.data[node.end_byte : node.end_byte + 80].decode(errors="ignore"))
        and binding in file.names.bindings_in_scope(binding.name, node)
        for node in file.identifiers(binding.name)
    )


def _tests_before(statement: Node, inner: Node) -> Iterator[Node]:
    """The conditions that are looked at on the way to a node below them."""
    for child in (statement, *statement.named_children):
        condition = field(child, "condition") if child.type in _CONDITIONED else None
        if condition is not None and condition.start_byte <= inner.start_byte:
            yield condition


def _given_to_self(owner: Place, name: str) -> Iterator[Place]:
    """The values that the methods of a class assign to, or add to, ``self.<name>``."""
    for node in nodes_in(owner.node):
        if node.type in ("assignment", "augmented_assignment"):
            left, right = field(node, "left"), field(node, "right")
            if left is not None and right is not None:
                if left.type == "attribute" and text_of(left) == f"self.{name}":
                    yield Place(owner.file, right)
                elif left.type in ("pattern_list", "tuple_pattern"):
                    yield from _unpacked_to_self(owner, left, right, name)


def _unpacked_to_self(owner: Place, left: Node, right: Node, name: str) -> Iterator[Place]:
    for index, item in enumerate(left.named_children):
        if text_of(item) == f"self.{name}":
            is_split = right.type in ("expression_list", "tuple") and index < len(right.named_children)
            yield Place(owner.file, right.named_children[index] if is_split else right)
