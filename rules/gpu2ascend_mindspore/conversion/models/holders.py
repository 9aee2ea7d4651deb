"""Lists of parameters and of modules.

``nn.ParameterList`` is a tuple there; one that grows comes from the helper file. A list of cells is made of a
list, and of nothing else that has items.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members, scan_names
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.limits.walks import REPEATED_WALK_LIMITS
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    call_of,
    field,
    is_field,
    parts_of,
    text_of,
    without_parentheses,
)

from ..evidence import ROOTS, Evidence
from ..use import Use, changed

LIST = "torch.nn.ParameterList"
_MODULES = "torch.nn.ModuleList"
_LISTS = frozenset({"list", "list_comprehension"})
_AS_THEY_ARE = _LISTS | {"none", "keyword_argument", "list_splat", "dictionary_splat"}
_GIVE_LISTS = frozenset({"list", "sorted"})
_CHANGES = frozenset({"append", "extend", "insert", "pop"})


def uses_of_holders(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each list of parameters, and of what lists of modules are made of."""
    yield from _listed(evidence)
    for ref in scan_names(evidence.source, ROOTS):
        if ref.name != LIST or ref.call is None:
            continue
        arguments = arguments_of(ref.call)
        first = arguments.at(0)
        plain = len(arguments.items) == 1 and not arguments.unpacked and first is not None
        if not plain or (first is not None and first.value.type == "none") or _is_changed(evidence, ref.call):
            continue  # the helper's
        evidence.take_care_of(ref.node)
        edits = [Edit(ref.node.start_byte, ref.node.end_byte, "ParameterTuple")]
        yield changed(LIST, ref.call, edits, {"ParameterTuple"})


def _listed(evidence: Evidence) -> Iterator[Use]:
    """``nn.ModuleList(Block() for _ in range(4))``: the items in a list, also where one is extended."""
    made = (ref.call for ref in scan_names(evidence.source, ROOTS) if ref.name == _MODULES)
    extended = (
        call_of(ref.node)
        for ref in scan_members(evidence.source, ["extend"])
        if ref.receiver_name is None and evidence.is_module(ref.receiver)
    )
    for call in (*made, *extended):
        given = field(call, "arguments") if call is not None else None
        items = parts_of(given) if given is not None else []
        if given is not None and given.type == "generator_expression":
            edits = [
                Edit(given.start_byte, given.start_byte + 1, "(["),
                Edit(given.end_byte - 1, given.end_byte, "])"),
            ]
            yield changed(_MODULES, given, edits)
        elif len(items) == 1 and items[0].type not in _AS_THEY_ARE and not _is_list(evidence, items[0]):
            edits = [
                Edit(items[0].start_byte, items[0].start_byte, "list("),
                Edit(items[0].end_byte, items[0].end_byte, ")"),
            ]
            yield changed(_MODULES, items[0], edits)


def _is_list(evidence: Evidence, expression: Node, depth: int = REPEATED_WALK_LIMITS.depth) -> bool:
    """Whether an expression is certainly a list."""
    node = without_parentheses(expression)
    if node.type in _LISTS or not depth:
        return node.type in _LISTS
    if node.type == "call":
        return text_of(field(node, "function")) in _GIVE_LISTS
    if node.type == "binary_operator":
        return any(_is_list(evidence, one, depth - 1) for one in parts_of(node))
    if node.type == "identifier":
        values = [binding.value for binding in evidence.reaching(node)]
        return bool(values) and all(one is not None and _is_list(evidence, one, depth - 1) for one in values)
    value, index = field(node, "value"), field(node, "subscript")
    if value is None or index is None or index.type != "slice":
        return False
    return _is_list(evidence, value, depth - 1)


def _is_changed(evidence: Evidence, call: Node) -> bool:
    """Whether a list gets further parameters, or others, as far as the file shows."""
    assignment = parent_of(call)
    target = field(assignment, "left") if assignment is not None and is_field(call, "right") else None
    if target is None or target.type not in ("identifier", "attribute"):
        return True
    uses = evidence.source.identifiers(text_of(target).rpartition(".")[2])
    places = (parent_of(one) if is_field(one, "attribute") else one for one in uses)
    return any(_is_changed_at(place) for place in places if place is not None)


def _is_changed_at(place: Node) -> bool:
    """``params.append(p)``, ``params[0] = p``, ``params += more``."""
    outer = parent_of(place)
    if outer is None:
        return False
    if outer.type == "attribute" and is_field(place, "object"):
        return text_of(field(outer, "attribute")) in _CHANGES
    if outer.type == "subscript":
        return is_field(outer, "left")
    return outer.type == "augmented_assignment" and is_field(place, "left")
