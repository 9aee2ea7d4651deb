"""Regions without gradients, and flags of torch's back ends: there is nothing for them to do.

Outside of a function of which gradients are taken MindSpore records nothing. What such a function calls is
another matter, so that a region within a module is left.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....engine.events import NameRef
from ....engine.scan import scan_names
from ....inference.torch_classes import is_module
from ....text.syntax import ancestors, enclosing, enclosing_statement, field, same, text_of
from ..evidence import ROOTS, Evidence
from ..use import Reason, Use, changed, refused
from .lines import removed, unwrapped

_NO_GRADIENTS = frozenset({"torch.no_grad", "torch.inference_mode"})
_FLAGS = "torch.backends."


def uses_of_regions(evidence: Evidence) -> Iterator[Use]:
    """What becomes of ``with torch.no_grad()``, its decorator, and assignments to flags."""
    for ref in scan_names(evidence.source, ROOTS):
        if ref.name in _NO_GRADIENTS:
            use = _region(evidence, ref)
        elif ref.name.startswith(_FLAGS):
            use = _flag(evidence, ref)
        else:
            continue
        evidence.take_care_of(ref.node)
        yield use


def _region(evidence: Evidence, ref: NameRef) -> Use:
    place = ref.call or ref.node
    if _is_in_module(evidence, place):
        return refused(ref.name, place, Reason.REGION)
    data = evidence.source.data
    if place.parent is not None and place.parent.type == "decorator":
        return changed(ref.name, place, [removed(data, place.parent)])
    statement = enclosing(place, "with_statement")
    body = field(statement, "body") if statement is not None else None
    item = enclosing(place, "with_item")
    clause = item.parent if item is not None else None
    if statement is None or body is None or clause is None or len(clause.named_children) != 1:
        return refused(ref.name, place, Reason.REGION)
    edits = unwrapped(data, statement, body) if same(clause.parent, statement) else None
    return changed(ref.name, place, edits) if edits else refused(ref.name, place, Reason.REGION)


def _is_in_module(evidence: Evidence, node: Node) -> bool:
    """Whether code is part of a module, or of what may be one, and a gradient may be taken of it."""
    for one in ancestors(node):
        if one.type == "class_definition":
            if field(one, "superclasses") is None:
                return False
            base = evidence.context.instances.classes.torch_base(one)
            return (base is None or is_module(base)) and not _is_called_by_others(evidence, node)
    return False


def _is_called_by_others(evidence: Evidence, place: Node) -> bool:
    """Whether a region is the decorator of a method that the module does not call."""
    decorated = enclosing(place, "decorated_definition", "block")
    if decorated is None or decorated.type != "decorated_definition":
        return False
    function = field(decorated, "definition")
    name = field(function, "name") if function is not None else None
    if name is None or text_of(name) in ("forward", "__call__"):
        return False
    called = [one.parent for one in evidence.source.identifiers(text_of(name))]
    return not any(
        one is not None and one.type == "attribute" and text_of(one).startswith(("self.", "super()"))
        for one in called
    )


def _flag(evidence: Evidence, ref: NameRef) -> Use:
    statement = enclosing_statement(ref.node)
    assignment = statement.named_children[0] if statement.named_children else None
    if assignment is None or assignment.type != "assignment" or not same(field(assignment, "left"), ref.node):
        return refused(ref.name, ref.node, Reason.NO_TARGET)
    return changed(ref.name, statement, [removed(evidence.source.data, statement)])
