"""Whether functions of a file may keep a tensor with its graph until they are called again."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.syntax import ancestors, arguments_of, field, last_name, text_of

from ...evidence import Evidence
from ..constant.detached import reads_graph
from ..variables import assigned_in, identifiers_in

_FUNCTIONS = ("function_definition", "lambda")
_OUTER = ("global_statement", "nonlocal_statement")
_KEEPING = frozenset({"add", "append", "appendleft", "extend", "insert", "push", "put", "setattr", "update"})
"""What puts its arguments into an object; methods in place write them into a tensor."""


def may_keep(evidence: Evidence, place: Node) -> bool:
    """Whether what is computed around a place may be kept elsewhere: by the project, or by another function
    of the file. What the function around the place itself keeps is seen there."""
    source, project = evidence.source, evidence.context.project
    roots = (one.target.partition(".")[0] for one in source.names.imports)
    if any(not root or project.has_module(source.path, root) for root in roots):
        return True
    around = {one.id for one in ancestors(place)}
    functions = (one for one in nodes_in(source.root) if one.type in _FUNCTIONS and one.id not in around)
    return any(_keeps(evidence, one) for one in functions if text_of(field(one, "name")) != "__init__")


def _keeps(evidence: Evidence, function: Node) -> bool:
    """Whether a function gives what it reads with a graph to anything but its own variables."""
    body, parameters = field(function, "body"), field(function, "parameters")
    if body is None:
        return False
    own = set(assigned_in([body]))
    given = own | {text_of(one) for one in (nodes_in(parameters) if parameters is not None else ())}
    return any(
        kept is None or (_root(kept) not in own and any(_is_given(evidence, one, given) for one in values))
        for node in nodes_in(body)
        for kept, values in _kept_by(node)
    )


def _kept_by(node: Node) -> Iterator[tuple[Node | None, list[Node]]]:
    """What keeps values, and the values; None for the variables of a scope around."""
    if node.type in _OUTER:
        yield None, []
    elif node.type == "call":
        yield from _kept_by_call(node)
    elif node.type in ("assignment", "augmented_assignment"):
        target, value = field(node, "left"), field(node, "right")
        if target is not None and value is not None:
            parts = (one for one in nodes_in(target) if one.type in ("attribute", "subscript"))
            yield from ((one, [value]) for one in parts)


def _kept_by_call(call: Node) -> Iterator[tuple[Node | None, list[Node]]]:
    function, name = field(call, "function"), last_name(call)
    is_in_place = name.endswith("_") and not name.endswith("__")
    values = [one.value for one in arguments_of(call).items]
    if values and (name in _KEEPING or is_in_place):
        yield (values[0] if name == "setattr" else function), values


def _root(node: Node) -> str:
    """``self`` of ``self.seen[0].append``; empty for what has just been made."""
    while node.type in ("attribute", "subscript", "call"):
        node = node.named_children[0]
    return text_of(node) if node.type == "identifier" else ""


def _is_given(evidence: Evidence, value: Node, given: set[str]) -> bool:
    return any(text_of(one) in given and reads_graph(evidence, one) for one in identifiers_in(value))
