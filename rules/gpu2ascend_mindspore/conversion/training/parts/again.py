"""Whether a graph that ``backward`` keeps is used again: by a later ``backward``, or in the next turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import MODULE
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import ancestors, call_of, enclosing, field, text_of

from ...evidence import Evidence
from ..constant.detached import is_gradient_free
from ..variables import assigned_in, attributes_assigned_in, identifiers_in, is_carried, is_needed_behind
from .data import called_models

_WITHOUT_GRAPH = frozenset({"data", "detach", "device", "dtype", "item", "shape", "size", "tolist"})
"""Members that give of a tensor nothing that gradients go through."""


def is_graph_used_again(evidence: Evidence, forward: Sequence[Node]) -> bool:
    """Whether what statements compute may reach a later loss with its graph, as far as the file shows."""
    if any(attributes_assigned_in(one) for one in forward) or _may_be_kept_elsewhere(evidence):
        return True
    if not all(_is_shown(evidence, one) for one in called_models(evidence, forward)):
        return True  # who made a model may have one that keeps what it computed
    names = [one for one in assigned_in(forward) if is_needed_behind(one, forward, evidence.source)]
    return any(is_carried(one, forward) or _is_read_with_graph(evidence, forward, one) for one in names)


def _is_shown(evidence: Evidence, model: Node) -> bool:
    """Whether it is known what is called: a function of the file, a class of torch's or of the file."""
    definition = evidence.context.instances.classes.definition_of(model)
    if definition is not None and definition.type == "function_definition":
        return True
    found = evidence.instance(model)
    return found is not None and (found.definition is not None or found.class_name != MODULE)


def _may_be_kept_elsewhere(evidence: Evidence) -> bool:
    """Whether an object may keep a tensor between calls: one of the project, or a class of the file."""
    source, project = evidence.source, evidence.context.project
    roots = (one.target.partition(".")[0] for one in source.names.imports)
    if any(not root or project.has_module(source.path, root) for root in roots):
        return True
    methods = (one for one in nodes_in(source.root) if one.type == "function_definition")
    return any(
        bool(attributes_assigned_in(one))
        for one in methods
        if text_of(field(one, "name")) != "__init__" and enclosing(one, "class_definition") is not None
    )


def _is_read_with_graph(evidence: Evidence, forward: Sequence[Node], name: str) -> bool:
    start, end = forward[0].start_byte, forward[-1].end_byte
    return any(
        not (start <= one.start_byte < end or _is_without_graph(evidence, one))
        for one in _reads(forward[0], name)
    )


def _reads(place: Node, name: str) -> Iterator[Node]:
    """Where the function around a place, or the module, reads a variable."""
    scope = enclosing(place, "function_definition", "module")
    for one in identifiers_in(scope) if scope is not None else ():
        if text_of(one) == name and not _is_target(one):
            yield one


def _is_target(node: Node) -> bool:
    parent = parent_of(node)
    left = field(parent, "left") if parent is not None and parent.type == "assignment" else None
    return left is not None and left.id == node.id


def _is_without_graph(evidence: Evidence, read: Node) -> bool:
    """Whether a variable is read for its number alone, without gradients, or for ``backward`` itself."""
    member = text_of(field(parent_of(read), "attribute"))
    if member in _WITHOUT_GRAPH or (member == "backward" and call_of(parent_of(read)) is not None):
        return True
    return any(is_gradient_free(evidence, one) for one in ancestors(read))
