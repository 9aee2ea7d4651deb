"""Which layer an expression is, and what its weights are called there: ``bn.weight`` is ``bn.gamma``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from gpu2ascend_rules.facts.releases.canonical import public_name
from gpu2ascend_rules.inference.classes.torch_classes import is_module
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import (
    OWN_SCOPES,
    ancestors,
    arguments_of,
    call_of,
    field,
    is_field,
    last_name,
    operator_of,
    same,
    text_of,
)

from ..evidence import Evidence

_NN = "torch.nn."
_NORM = {"weight": "gamma", "bias": "beta"}
_BATCH_NORM = {**_NORM, "running_mean": "moving_mean", "running_var": "moving_variance"}
_EMBEDDING = {"weight": "embedding_table"}
_SAME: Mapping[str, str] = {}
RENAMED: Mapping[str, Mapping[str, str]] = {
    **{f"{_NN}BatchNorm{count}d": _BATCH_NORM for count in (1, 2, 3)},
    **{f"{_NN}{name}": _NORM for name in ("LayerNorm", "GroupNorm")},
    f"{_NN}Embedding": _EMBEDDING,
    **{f"{_NN}InstanceNorm{count}d": _SAME for count in (1, 2, 3)},
}
"""The attributes that have other names, by class."""
ATTRIBUTES = ("weight", "bias", "running_mean", "running_var")
UNKNOWN = frozenset({f"{_NN}Module", f"{_NN}Sequential", f"{_NN}ModuleList", f"{_NN}ModuleDict"})
_WORDS = {"BatchNorm": _BATCH_NORM, "LayerNorm": _NORM, "GroupNorm": _NORM, "Embedding": _EMBEDDING}
"""What a test for a class's name asks for, and the attributes."""
_PLAIN_WORDS = ("Conv", "Linear", "LSTM", "GRU", "RNN")


class Layers:
    """Answers which layers the expressions of one file are."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._names = evidence.source.names
        self._classes: dict[str, list[str]] = {}

    def attributes(self, owner: Node) -> Mapping[str, str] | None:
        """The other names of a layer's attributes; None where it is not known which layer it is.

        A test around the place says it (``isinstance(m, nn.Conv2d)``), or what the owner was made by.
        """
        found = [self._tested(condition, owner) for condition in conditions(owner)]
        for one in found:
            if one is not None:
                return one
        if text_of(owner) == "self":
            return self._of_self(owner)
        instance = self._evidence.instance(owner)
        if instance is not None and instance.class_name not in UNKNOWN:
            return _of_class(instance.class_name)
        return self.assigned(last_part(owner)) if owner.type == "attribute" else None

    def _of_self(self, owner: Node) -> Mapping[str, str] | None:
        for one in ancestors(owner):
            if one.type == "class_definition":
                base = self._evidence.context.instances.classes.torch_base(one)
                return _of_class(base) if base is not None else None
        return None

    def assigned(self, name: str) -> Mapping[str, str] | None:
        """What all that is assigned to an attribute of this name in the file agrees on."""
        found: list[Mapping[str, str] | None] = []
        for value in (*map(value_of, self._evidence.source.identifiers(name)), *self._added(name)):
            if value is not None and value.type == "call":
                function = field(value, "function")
                found.append(self._of_callee(function) if function is not None else None)
            elif value is not None and value.type != "none":
                return None
        first = found[0] if found else None
        return first if first is not None and all(one == first for one in found) else None

    def _added(self, name: str) -> Iterator[Node]:
        """What is added to modules under a name: ``result.add_module('conv', nn.Conv2d(...))``."""
        for identifier in self._evidence.source.identifiers("add_module"):
            call = call_of(parent_of(identifier))
            arguments = arguments_of(call) if call is not None else None
            called, value = (arguments.at(0), arguments.at(1)) if arguments is not None else (None, None)
            if called is not None and value is not None and text_of(called.value).strip("\"'") == name:
                yield value.value

    def _of_callee(self, function: Node) -> Mapping[str, str] | None:
        classes = self.classes(function)
        found = [_of_class(one) for one in classes]
        return found[0] if found and all(one == found[0] for one in found) else None

    def classes(self, node: Node) -> list[str]:
        """The qualified names of the classes that an expression may be; none where that is not known."""
        resolution = self._names.qualified_name(node)
        if resolution is not None and resolution.qualified_name.startswith(_NN):
            return [public_name(resolution.qualified_name)]
        if node.type not in ("identifier", "attribute"):
            return []
        name = last_part(node)
        if name not in self._classes:
            self._classes[name] = self._bound(name) or []
        return self._classes[name]

    def _bound(self, name: str) -> list[str] | None:
        """The classes that the file binds a name to, whatever the scope; None where it is anything else."""
        found: list[str] = []
        for identifier in self._evidence.source.identifiers(name):
            value = value_of(identifier)
            if value is None or value.type == "none" or text_of(value) == name:
                continue
            if value.type == "attribute" and last_part(value).lstrip("_") == name.lstrip("_"):
                continue
            resolution = self._names.qualified_name(value)
            if resolution is None or not is_module(resolution.qualified_name):
                return None
            found.append(public_name(resolution.qualified_name))
        return found

    def _tested(self, condition: Node, owner: Node) -> Mapping[str, str] | None:
        """What a condition that holds at a place says of an expression."""
        for call in calls(condition):
            function = field(call, "function")
            arguments = arguments_of(call)
            subject, wanted = arguments.at(0), arguments.at(1)
            if function is None or subject is None:
                continue
            if text_of(function) == "isinstance" and wanted is not None:
                if text_of(subject.value) == text_of(owner):
                    return self._of_tuple(wanted.value)
            elif last_name(call) == "find" and self._is_class_name(field(function, "object"), owner):
                return _of_word(text_of(subject.value).strip("\"'"))
        return None

    def _of_tuple(self, wanted: Node) -> Mapping[str, str] | None:
        classes = wanted.named_children if wanted.type == "tuple" else [wanted]
        found: list[Mapping[str, str] | None] = []
        for one in classes:
            names = self.classes(one)
            found += [_of_class(name) for name in names] if names else [self._of_definition(one)]
        if not found or any(one is None for one in found):
            return None
        known = [one for one in found if one is not None]
        agree = all(one.get(key) == known[0].get(key) for one in known for key in _NORM)
        return max(known, key=len) if agree else None

    def _of_definition(self, name: Node) -> Mapping[str, str] | None:
        """Of a class of the file itself: its attributes are those that it is given."""
        resolution = self._names.qualified_name(name)
        return _SAME if resolution is None and self._names.bindings(text_of(name)) else None

    def _is_class_name(self, name: Node | None, owner: Node) -> bool:
        """Whether a variable holds the name of an expression's class."""
        if name is None or name.type != "identifier":
            return False
        values = [one.value for one in self._names.bindings_in_scope(text_of(name), name)]
        written = (f"{text_of(owner)}.__class__.__name__", f"type({text_of(owner)}).__name__")
        return bool(values) and all(one is not None and text_of(one) in written for one in values)


def last_part(node: Node) -> str:
    """The last name of a dotted name."""
    return text_of(node).rpartition(".")[2]


def _of_class(name: str) -> Mapping[str, str] | None:
    """The other names of what a class of torch has; None where that is not known."""
    if name in RENAMED:
        return RENAMED[name]
    return None if "Norm" in name or "Embedding" in name else _SAME


def _of_word(word: str) -> Mapping[str, str] | None:
    """The same for what a part of a class's name says."""
    kind = word.removesuffix("d").rstrip("123") if word.endswith("d") else word
    if kind in _WORDS:
        return _WORDS[kind]
    return _SAME if word.startswith(_PLAIN_WORDS) else None


def conditions(node: Node) -> Iterator[Node]:
    """The conditions that hold where a node stands, the nearest first."""
    previous = node
    for one in ancestors(node):
        if one.type in ("if_statement", "elif_clause") and is_field(previous, "consequence"):
            condition = field(one, "condition")
            if condition is not None:
                yield condition
        elif one.type == "boolean_operator" and is_field(previous, "right"):
            left = field(one, "left")
            if left is not None and operator_of(one) == "and":
                yield left
        elif one.type in OWN_SCOPES:
            return
        previous = one


def calls(condition: Node) -> Iterator[Node]:
    """The calls of which a condition asks that they hold: those that ``and`` joins."""
    if condition.type == "call":
        yield condition
    elif condition.type == "boolean_operator" and operator_of(condition) == "and":
        for one in condition.named_children:
            yield from calls(one)
    elif condition.type == "comparison_operator" and text_of(condition).endswith(("!= -1", ">= 0")):
        yield from (one for one in condition.named_children if one.type == "call")
    elif condition.type == "parenthesized_expression":
        yield from (found for one in condition.named_children for found in calls(one))


def value_of(identifier: Node) -> Node | None:
    """The value that a place gives a name or an attribute: an assignment, a keyword, a default."""
    target = identifier
    parent = parent_of(target)
    if parent is not None and parent.type == "attribute" and is_field(target, "attribute"):
        target, parent = parent, parent_of(parent)
    if parent is None:
        return None
    if parent.type == "assignment" and same(field(parent, "left"), target):
        return field(parent, "right")
    if parent.type == "keyword_argument" and same(field(parent, "name"), target):
        return field(parent, "value")
    if parent.type in ("default_parameter", "typed_default_parameter") and is_field(target, "name"):
        return field(parent, "value")
    return None
