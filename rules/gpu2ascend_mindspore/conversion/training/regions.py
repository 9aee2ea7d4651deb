"""Regions without gradients, and flags of torch's back ends: there is nothing for them to do.

Outside of a function of which gradients are taken MindSpore records nothing. In such a function, and in what
it calls, the results of a region become constants.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.events import NameRef
from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    ancestors,
    arguments_of,
    enclosing,
    enclosing_statement,
    field,
    same,
    text_of,
)

from ..differentiated import is_differentiated
from ..evidence import ROOTS, Evidence
from ..lines import removed, unwrapped
from ..use import Reason, Use, changed, refused
from .constant.detached import NO_GRADIENTS, edits_of_region, is_gradient_free, written_constants
from .constant.enabling import ALWAYS, ENABLING, mode_given

_FLAGS = "torch.backends."
_COMPILING = frozenset(
    f"torch.jit.{name}"
    for name in ("script", "ignore", "unused", "export", "script_if_tracing", "_script_if_tracing")
) | {"torch.compiler.disable", "torch.jit._overload_method"}
"""Decorators that say how code is compiled; all of it is run as it is there."""
_WRAP, _ASSERT = "torch.fx.wrap", "torch._assert"


def uses_of_regions(evidence: Evidence) -> Iterator[Use]:
    """What becomes of ``with torch.no_grad()``, its decorator, and assignments to flags."""
    for ref in scan_names(evidence.source, ROOTS):
        use: Use | None
        if ref.name in NO_GRADIENTS:
            use = _region(evidence, ref)
        elif ref.name in ENABLING | ALWAYS:
            use = _switch(evidence, ref)
        elif ref.name in _COMPILING or ref.name in (_WRAP, _ASSERT):
            use = _compiling(evidence, ref)
        elif ref.name.startswith(_FLAGS):
            use = _flag(evidence, ref)
        else:
            continue
        if use is not None:
            evidence.take_care_of(ref.node)
            yield use


def _compiling(evidence: Evidence, ref: NameRef) -> Use | None:
    """What becomes of what is said to torch's compilers; None where it is more than a remark."""
    place = ref.call or ref.node
    parent = parent_of(place)
    data = evidence.source.data
    if parent is None or (parent.type == "decorator") is not (ref.name in _COMPILING):
        return None
    if parent.type == "decorator":
        return changed(ref.name, place, [removed(data, parent)])
    if parent.type != "expression_statement" or ref.call is None:
        return None
    if ref.name == _WRAP:
        return changed(ref.name, place, [removed(data, parent)])
    arguments = arguments_of(ref.call)
    condition, message = arguments.get("condition", 0), arguments.get("message", 1)
    if condition is None or message is None or len(arguments.items) != 2:
        return None
    edits = [
        Edit(place.start_byte, condition.value.start_byte, "assert ("),
        Edit(condition.value.end_byte, message.value.start_byte, "), ("),
        Edit(message.value.end_byte, place.end_byte, ")"),
    ]
    return changed(ref.name, place, edits)


def _switch(evidence: Evidence, ref: NameRef) -> Use | None:
    """What becomes of a region, a decorator or a statement that switches gradients on or off."""
    place = ref.call or ref.node
    mode, statement = mode_given(evidence, place), parent_of(place)
    if statement is not None and statement.type == "expression_statement":
        is_idle = not any(evidence.source.identifiers(one) for one in ("backward", "grad"))
        return changed(ref.name, place, [removed(evidence.source.data, statement)]) if is_idle else None
    if mode == "False" or not mode:
        return _region(evidence, ref) if mode else None
    is_certain = mode == "True" or not is_differentiated(evidence, place) or _has_step(evidence, place)
    if not is_certain or any(is_gradient_free(evidence, one) for one in ancestors(place)):
        return refused(ref.name, place, Reason.REGION)
    return _region(evidence, ref, has_gradients=True)


def _has_step(evidence: Evidence, place: Node) -> bool:
    """Whether a region computes the losses of a training step."""
    around = enclosing(place, "with_statement")
    return around is not None and any(
        around.start_byte <= start < around.end_byte for start, _ in evidence.moved
    )


def _region(evidence: Evidence, ref: NameRef, *, has_gradients: bool = False) -> Use:
    place = ref.call or ref.node
    is_traced = not has_gradients and is_differentiated(evidence, place)
    decorator = parent_of(place)
    if decorator is not None and decorator.type == "decorator":
        edits = [removed(evidence.source.data, decorator)]
        if not is_traced or _is_called_by_others(evidence, place):
            return changed(ref.name, place, edits)
        edits += _of_decorated(place)
        return changed(ref.name, place, edits, {"ops"} if len(edits) > 1 else ())
    statement = enclosing(place, "with_statement")
    item = enclosing(place, "with_item")
    clause = parent_of(item)
    is_only = clause is not None and len(clause.named_children) == 1
    found = None
    if statement is not None and is_only and same(parent_of(clause), statement):
        found = _without_head(evidence, statement, is_traced=is_traced)
    if found is None:
        return refused(ref.name, place, Reason.REGION)
    return changed(ref.name, place, found, {"ops"} if is_traced else ())


def _without_head(evidence: Evidence, statement: Node, *, is_traced: bool) -> list[Edit] | None:
    """The edits that leave of a region its body."""
    body = field(statement, "body")
    if body is None or is_traced:
        return edits_of_region(evidence, statement, body) if body is not None else None
    left = unwrapped(evidence.source.data, statement, body)
    if left is None:
        return None
    evidence.unwrapped.append(left)
    return [left.head]


def _of_decorated(place: Node) -> list[Edit]:
    """The edits that make constants of what a decorated function returns, or writes elsewhere."""
    decorated = enclosing(place, "decorated_definition")
    function = field(decorated, "definition")
    body = field(function, "body")
    return list(written_constants(body)) if body is not None else []


def _is_called_by_others(evidence: Evidence, place: Node) -> bool:
    """Whether a region is the decorator of a method that the module does not call."""
    decorated = enclosing(place, "decorated_definition", "block")
    if decorated is None or decorated.type != "decorated_definition":
        return False
    function = field(decorated, "definition")
    name = field(function, "name")
    if name is None or text_of(name) in ("forward", "__call__"):
        return False
    called = [parent_of(one) for one in evidence.source.identifiers(text_of(name))]
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
