"""What a graph cannot hold, or would hold as it was in the first step.

Each construct was run on the CPU with MindSpore 2.10, in three steps whose losses were compared with those of
the same code in PyNative mode.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import call_of, enclosing, field, is_field, last_name, text_of

from ..evidence import Evidence
from ..use import Reason

_NOT_COMPILED = {
    "try_statement": "try", "with_statement": "with", "named_expression": ":=", "delete_statement": "del",
    "import_statement": "import", "import_from_statement": "import", "class_definition": "class",
    "yield": "yield", "await": "await",
}  # fmt: skip
"""What the parser of graphs refuses: types of nodes, and what stands there."""
_KEPT = frozenset({"global_statement", "nonlocal_statement"})
_FROZEN_MODULES = ("random.", "numpy.random.", "time.", "datetime.", "secrets.", "uuid.")
"""Functions of these are called once, when the graph is made."""
_FROZEN_METHODS = frozenset({"numpy", "tolist"})
"""What takes a tensor out of the graph: its value in the first step is that of all."""
_CHANGING = frozenset(
    {"append", "extend", "insert", "update", "add", "pop", "popleft", "clear", "setdefault", "remove"}
)
_TARGETS = ("assignment", "augmented_assignment")


class Obstacle(NamedTuple):
    """A place that keeps code from being compiled."""

    node: Node
    reason: Reason
    text: str
    """What it is, as the code says it."""


def obstacles_in(evidence: Evidence, root: Node) -> Iterator[Obstacle]:
    """What a graph cannot hold of code, whatever is around it."""
    for node in nodes_in(root):
        if node.type in _NOT_COMPILED:
            yield Obstacle(node, Reason.GRAPH_SYNTAX, _NOT_COMPILED[node.type])
        elif node.type in _KEPT:
            yield Obstacle(node, Reason.GRAPH_FROZEN, text_of(node))
        elif node.type in _TARGETS and (target := _outer_target(field(node, "left"))) is not None:
            yield Obstacle(node, Reason.GRAPH_FROZEN, text_of(target))
        elif node.type == "call" and last_name(node) in _partial_functions(evidence):
            yield Obstacle(node, Reason.GRAPH_GRADIENT, last_name(node))
        elif node.type == "call" and (text := _frozen_call(evidence, node)) is not None:
            yield Obstacle(node, Reason.GRAPH_FROZEN, text)


def _partial_functions(evidence: Evidence) -> frozenset[str]:
    """The names of what ``functools.partial`` made in the file."""
    return evidence.source.once(_partial_functions, lambda: frozenset(_made_by_partial(evidence)))


def _made_by_partial(evidence: Evidence) -> Iterator[str]:
    for name in evidence.source.identifiers("partial"):
        parent = parent_of(name)
        function = parent if parent is not None and parent.type == "attribute" else name
        call = call_of(function)
        resolution = evidence.source.names.qualified_name(function)
        if call is None or resolution is None or resolution.qualified_name != "functools.partial":
            continue
        assignment = parent_of(call)
        target = field(assignment, "left")
        if target is not None:
            yield text_of(target).rpartition(".")[2]


def _outer_target(target: Node | None) -> Node | None:
    """An attribute that is assigned, or an item of one: what outlives the step."""
    if target is None or target.type not in ("attribute", "subscript"):
        return None
    at: Node | None = target
    while at is not None and at.type == "subscript":
        at = field(at, "value")
    return target if at is not None and at.type == "attribute" else None


def _frozen_call(evidence: Evidence, call: Node) -> str | None:
    function = field(call, "function")
    if function is None:
        return None
    resolution = evidence.source.names.qualified_name(function)
    if resolution is not None and f"{resolution.qualified_name}.".startswith(_FROZEN_MODULES):
        return text_of(function)
    owner = field(function, "object") if function.type == "attribute" else None
    if owner is None:
        return None
    name = last_name(call)
    if name in _FROZEN_METHODS:
        return text_of(function)
    return text_of(function) if name in _CHANGING and is_outer(evidence, owner) else None


def is_outer(evidence: Evidence, owner: Node) -> bool:
    """Whether a list or such is not one that the function itself has made: ``self.seen``, a global."""
    if owner.type == "attribute":
        return True
    if owner.type != "identifier":
        return False
    function = enclosing(owner, "function_definition")
    bindings = evidence.source.names.bindings_in_scope(text_of(owner), owner)
    return bool(bindings) and (function is None or all(one.scope.id != function.id for one in bindings))


def changed_names(root: Node) -> Collection[str]:
    """The variables whose parts, or whose contents, code changes: ``state['step'] = 3``, ``seen.add(x)``."""
    found: set[str] = set()
    for node in nodes_in(root):
        owner: Node | None = None
        if node.type in _TARGETS:
            left = field(node, "left")
            owner = left if left is not None and left.type in ("attribute", "subscript") else None
        elif node.type == "call" and (last_name(node) in _CHANGING or _is_in_place(last_name(node))):
            owner = field(node, "function")
        while owner is not None and owner.type in ("attribute", "subscript"):
            owner = field(owner, "object") or field(owner, "value")
        if owner is not None and owner.type == "identifier":
            found.add(text_of(owner))
    return found


def _is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")


def is_called(identifier: Node) -> bool:
    """Whether a name is that of a function or of a model which is called, or whose method is."""
    parent = parent_of(identifier)
    if parent is not None and parent.type == "attribute" and is_field(identifier, "object"):
        return False
    return call_of(identifier) is not None
