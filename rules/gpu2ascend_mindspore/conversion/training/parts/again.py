"""Whether a graph that ``backward`` keeps is used again: by a later ``backward``, or in the next turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import MODULE, TENSOR
from gpu2ascend_rules.inference.instances import Instance
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_type
from gpu2ascend_rules.text.syntax import enclosing, field, text_of

from ...evidence import Evidence
from ..constant.detached import reads_graph
from ..graphs import may_have_graph
from ..variables import (
    assigned_in,
    attributes_assigned_in,
    identifiers_in,
    is_carried,
    is_read_outside,
    is_target,
    variables_of,
)
from .data import called_models
from .keeping import may_keep

_TURNS = ("for_statement", "while_statement", "function_definition", "module")
_GIVING = ("assignment", "augmented_assignment")


def is_graph_used_again(evidence: Evidence, forward: Sequence[Node]) -> bool:
    """Whether what statements compute may reach a later loss with its graph, as far as the file shows."""
    if any(attributes_assigned_in(one) for one in forward) or may_keep(evidence, forward[0]):
        return True
    if not all(_is_shown(evidence, one) for one in called_models(evidence, forward)):
        return True  # who made a model may have one that keeps what it computed
    return _is_reached(evidence, forward)


def _is_shown(evidence: Evidence, model: Node) -> bool:
    """Whether it is known what is called: a function of the file, a class of torch's or of the file."""
    definition = evidence.context.instances.classes.definition_of(model)
    if definition is not None and definition.type == "function_definition":
        return True
    owner = field(model, "object")
    found = evidence.instance(model) or (evidence.instance(owner) if owner is not None else None)
    return found is not None and (found.definition is not None or found.class_name != MODULE)


def _is_reached(evidence: Evidence, forward: Sequence[Node]) -> bool:
    """Whether a variable with the graph, or with what is computed of it, is read otherwise than by the turn
    of the loop that makes it."""
    turn = enclosing(forward[0], *_TURNS)
    body = field(turn, "body") or turn
    if body is None:
        return True
    if any(_is_made_before(evidence, one, body) for part in forward for one in identifiers_in(part)):
        return True
    whole = body.named_children
    for name, given_by in _names_with_graph(evidence, forward, body).items():
        if is_carried(name, whole) or _is_of_outer_scope(name, body):
            return True
        needed = any(is_read_outside(name, part, evidence.source) for part in given_by)
        if needed and any(not _is_harmless(evidence, one, forward, body) for one in _reads(body, name)):
            return True
    return False


def _is_made_before(evidence: Evidence, read: Node, body: Node) -> bool:
    """Whether a variable may have a graph that was made before the turn, which each turn goes through."""
    if not reads_graph(evidence, read) or evidence.instance(read) not in (None, Instance(TENSOR)):
        return False
    return any(
        not body.start_byte <= one.node.start_byte < body.end_byte and may_have_graph(evidence, one.statement)
        for one in evidence.source.names.bindings_in_scope(text_of(read), read)
        if one.statement.type in _GIVING
    )


def _names_with_graph(
    evidence: Evidence, forward: Sequence[Node], body: Node
) -> dict[str, list[Sequence[Node]]]:
    """The variables that hold the graph of statements, each with what gives it: the statements themselves,
    what they are computed of, and what is computed of them."""
    found: dict[str, list[Sequence[Node]]] = {name: [forward] for name in assigned_in(forward)}
    start, end = forward[0].start_byte, forward[-1].end_byte
    givings = [one for one in nodes_in(body) if one.type in _GIVING and not start <= one.start_byte < end]
    read = set().union(*(_read_with_graph(evidence, part) for part in forward))
    for one in givings:
        names = _targets(one)
        if names & read and may_have_graph(evidence, one):
            found |= {name: [*found.get(name, []), [one]] for name in names}
    return _with_computed(evidence, found, givings)


def _with_computed(
    evidence: Evidence, found: dict[str, list[Sequence[Node]]], givings: Sequence[Node]
) -> dict[str, list[Sequence[Node]]]:
    """Variables with a graph, and those that are computed of them, with the assignments that do so."""
    read = [(one, _read_with_graph(evidence, field(one, "right"))) for one in givings]
    while True:
        more = [one for one, names in read if names & found.keys() and _targets(one) - found.keys()]
        if not more:
            return found
        found |= {name: [[one]] for one in more for name in _targets(one) - found.keys()}


def _targets(giving: Node) -> set[str]:
    target = field(giving, "left")
    return {text_of(one) for one in variables_of(target)} if target is not None else set()


def _read_with_graph(evidence: Evidence, value: Node | None) -> set[str]:
    """The variables that an expression reads with the graph that they have."""
    read = identifiers_in(value) if value is not None else ()
    return {text_of(one) for one in read if reads_graph(evidence, one)}


def _is_of_outer_scope(name: str, body: Node) -> bool:
    """Whether a function gives a variable of the module, or of a function around it."""
    scope = enclosing(body, "function_definition")
    return any(
        one.type in ("global_statement", "nonlocal_statement") and name in map(text_of, one.named_children)
        for one in (nodes_in(scope) if scope is not None else ())
    )


def _is_harmless(evidence: Evidence, read: Node, forward: Sequence[Node], body: Node) -> bool:
    """Whether a read is one of the statements, gives but other variables of the turn, or reads no graph."""
    if forward[0].start_byte <= read.start_byte < forward[-1].end_byte or not reads_graph(evidence, read):
        return True
    giving = enclosing(read, *_GIVING)
    target = field(giving, "left")
    if giving is None or target is None or parent_type(giving) != "expression_statement":
        return False
    are_variables = all(one.type not in ("attribute", "subscript") for one in nodes_in(target))
    return are_variables and body.start_byte <= giving.start_byte < body.end_byte


def _reads(body: Node, name: str) -> Iterator[Node]:
    """Where the function around a turn, or the module, reads a variable."""
    scope = enclosing(body, "function_definition", "module") or body
    return (one for one in identifiers_in(scope) if text_of(one) == name and not is_target(one))
