"""What a graph takes in beside the statements of a step: the ``forward`` of modules, and what it calls."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import is_module
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import LOOPS, ancestors, call_of, enclosing, field, is_field, text_of

from ..evidence import Evidence
from ..use import Reason, Use, refused
from .constructs import Obstacle, obstacles_in

FORWARD = "torch.nn.Module.forward"
_CONSTRUCTOR = "__init__"


def uses_of_reached_code(evidence: Evidence) -> Iterator[Use]:
    """The places in modules of a file that keep steps from being compiled."""
    if not evidence.context.options.graph or not evidence.imports:
        return
    state = _State(evidence)
    for function in _reached(evidence):
        body = field(function, "body")
        if body is None:
            continue
        for found in (*obstacles_in(evidence, body), *state.read_in(body)):
            yield refused(FORWARD, found.node, found.reason, found.text)


def _reached(evidence: Evidence) -> list[Node]:
    """Each ``forward`` of a module, and the functions and methods of the file that it calls."""
    found: dict[int, Node] = {}
    waiting = list(_forwards(evidence))
    while waiting:
        function = waiting.pop()
        if function.id not in found:
            found[function.id] = function
            waiting += _called_by(evidence, function)
    return sorted(found.values(), key=lambda one: one.start_byte)


def _forwards(evidence: Evidence) -> Iterator[Node]:
    for name in evidence.source.identifiers("forward"):
        function = parent_of(name)
        if function is None or function.type != "function_definition":
            continue
        owner = enclosing(function, "class_definition", "function_definition")
        if owner is not None and owner.type == "class_definition":
            base = evidence.context.instances.classes.torch_base(owner)
            if base is not None and is_module(base):
                yield function


def _called_by(evidence: Evidence, function: Node) -> Iterator[Node]:
    owner = enclosing(function, "class_definition")
    for node in nodes_in(function):
        called = field(node, "function") if node.type == "call" else None
        if called is None:
            continue
        if called.type == "identifier":
            for one in evidence.source.names.bindings_in_scope(text_of(called), called):
                if one.kind is BindingKind.DEFINITION and one.statement.type == "function_definition":
                    yield one.statement
        elif owner is not None and text_of(called).startswith("self."):
            yield from _methods(owner, text_of(called).removeprefix("self."))


def _methods(owner: Node, name: str) -> Iterator[Node]:
    body = field(owner, "body")
    for child in body.named_children if body is not None else ():
        method = field(child, "definition") if child.type == "decorated_definition" else child
        own = field(method, "name")
        if method is None or own is None or method.type != "function_definition":
            continue
        if text_of(own) == name:
            yield method


class _State:
    """What a file changes while it trains: a graph keeps what it was when it was made."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._attributes = self._changed_attributes()

    def read_in(self, body: Node) -> Iterator[Obstacle]:
        """The reads in a function of what others change."""
        for node in nodes_in(body):
            if node.type == "attribute":
                name = field(node, "attribute")
                is_own = name is not None and text_of(node) == f"self.{text_of(name)}"
                if is_own and text_of(name or node) in self._attributes and _is_read(node):
                    yield Obstacle(node, Reason.GRAPH_FROZEN, text_of(node))
            elif node.type == "identifier" and self._is_changing_global(node):
                yield Obstacle(node, Reason.GRAPH_FROZEN, text_of(node))

    def _changed_attributes(self) -> set[str]:
        """The attributes that anything but the making of an object assigns."""
        found = set()
        for node in nodes_in(self._evidence.source.root):
            if node.type not in ("assignment", "augmented_assignment"):
                continue
            target = field(node, "left")
            while target is not None and target.type == "subscript":
                target = field(target, "value")
            name = field(target, "attribute") if target is not None and target.type == "attribute" else None
            if name is not None and not self._makes_object(node):
                found.add(text_of(name))
        return found

    def _makes_object(self, node: Node) -> bool:
        """Whether a place is in a constructor, or in a method that only constructors call."""
        function = enclosing(node, "function_definition")
        name = field(function, "name")
        if name is None:
            return False
        if text_of(name) == _CONSTRUCTOR:
            return True
        places = [one for one in self._evidence.source.identifiers(text_of(name)) if one.id != name.id]
        callers = [enclosing(one, "function_definition") for one in places]
        own = [field(one, "name") for one in callers]
        return bool(own) and all(one is not None and text_of(one) == _CONSTRUCTOR for one in own)

    def _is_changing_global(self, identifier: Node) -> bool:
        """Whether a name is a variable of the module that a loop or a function assigns."""
        if not _is_read(identifier) or call_of(identifier) is not None:
            return False
        names = self._evidence.source.names
        bindings = names.bindings_in_scope(text_of(identifier), identifier)
        root = self._evidence.source.root.id
        assigned = [one for one in bindings if one.kind in (BindingKind.ASSIGNMENT, BindingKind.LOOP)]
        if not assigned or any(one.scope.id != root for one in assigned):
            return False
        return any(
            above.type in (*LOOPS, "function_definition") for one in assigned for above in ancestors(one.node)
        )


def _is_read(node: Node) -> bool:
    parent = parent_of(node)
    if parent is None or is_field(node, "left") or is_field(node, "name"):
        return False
    return not (parent.type == "attribute" and is_field(node, "attribute"))
