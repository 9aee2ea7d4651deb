"""Gradients of what a model gives by its inputs, as gradient penalties need them: ``torch.autograd.grad``.

The statements that compute the outputs become a function of the inputs. What they assign and the rest of the
function reads comes out beside the gradients, so that the model runs once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.limits.walks import NAME_LIMITS
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    enclosing,
    enclosing_statement,
    field,
    is_field,
    last_name,
    same,
    text_of,
)

from ...evidence import ROOTS, Evidence
from ...lines import line_starts, removed
from ...use import Reason, Use, changed, refused
from ..variables import assigned_in, computing, identifiers_in, is_needed_behind, read_before_assigned
from .calls import from_to, statements_of
from .moving import may_move

GRAD = "torch.autograd.grad"
FUNCTION, SLOPE = "compute_outputs", "slope"
"""What new text calls the function, and its gradients."""
_PARAMETERS = (
    "outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "only_inputs", "allow_unused"
)  # fmt: skip
_FLAGS = {
    "create_graph": ("True", "False"),
    "retain_graph": ("True", "False", "None"),
    "only_inputs": ("True",),
    "allow_unused": ("False", "None"),
}
_ONES = frozenset({"torch.ones", "torch.ones_like"})
_VARIABLES = frozenset({"torch.autograd.Variable", "torch.autograd.variable.Variable"})
_KEEPS = frozenset({"to", "cuda", "cpu", "type_as", "float", "requires_grad_", "detach"})


class Penalty(NamedTuple):
    """A call of ``torch.autograd.grad``."""

    call: Node
    inputs: tuple[Node, ...]
    is_single: bool
    """Whether the inputs are a variable, and no list of such."""
    outputs: Node
    weights: Node | None
    """What the outputs are weighted with, where that is not one."""
    is_differentiated: bool
    """Whether gradients of the gradients may be taken."""
    forward: tuple[Node, ...]
    """The statements that compute the outputs; none where the call does."""


def uses_of_penalties(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each call of ``torch.autograd.grad``, and of flags of what gradients are taken by."""
    for ref in scan_names(evidence.source, ROOTS):
        if ref.name != GRAD or ref.call is None:
            continue
        penalty = None if _is_taken(evidence, ref.call) else _penalty(evidence, ref.call)
        if penalty is None:
            evidence.take_care_of(ref.call)
            yield refused(GRAD, ref.call, Reason.STEP)
            continue
        evidence.take_care_of(ref.call, but=penalty.outputs if not penalty.forward else None)
        yield _written(evidence, penalty)
        for variable in penalty.inputs:
            yield from _flags(evidence, variable)


def _is_taken(evidence: Evidence, place: Node) -> bool:
    return any(evidence.source.names.bindings_in_scope(one, place) for one in (FUNCTION, SLOPE))


def _penalty(evidence: Evidence, call: Node) -> Penalty | None:
    values = _values(call)
    outputs, inputs = _single(values.get("outputs")), values.get("inputs")
    if outputs is None or inputs is None:
        return None
    variables = tuple(inputs.named_children) if inputs.type in ("list", "tuple") else (inputs,)
    if not variables or any(one.type != "identifier" for one in variables):
        return None
    weighted = _single(values.get("grad_outputs"))
    weights = None if weighted is None or _Ones(evidence).are(weighted) else weighted
    forward = _forward(evidence, call, outputs, [text_of(one) for one in variables])
    if forward is None or (weights is not None and not _is_known(evidence, weights, forward)):
        return None
    single = inputs.type == "identifier"
    is_differentiated = text_of(values.get("create_graph")) == "True"
    return Penalty(call, variables, single, outputs, weights, is_differentiated, forward)


def _values(call: Node) -> dict[str, Node]:
    """The arguments by name; none where there are others, or flags that mean something else."""
    arguments = arguments_of(call)
    given = {name: arguments.get(name, index) for index, name in enumerate(_PARAMETERS)}
    values = {name: one.value for name, one in given.items() if one is not None}
    if arguments.unpacked or len(values) != len(arguments.items):
        return {}
    is_usual = all(text_of(values[name]) in _FLAGS[name] for name in values.keys() & _FLAGS.keys())
    return values if is_usual else {}


def _single(value: Node | None) -> Node | None:
    """An argument, or the only element of one that is a list."""
    if value is not None and value.type in ("list", "tuple"):
        return value.named_children[0] if len(value.named_children) == 1 else None
    return value


class _Ones:
    """Whether values are tensors of ones, as far as the function shows. Each variable is looked at once."""

    def __init__(self, evidence: Evidence) -> None:
        self._names = evidence.source.names
        self._known: dict[tuple[str, int], bool] = {}

    def are(self, value: Node, depth: int = 0) -> bool:
        if value.type == "none":
            return True
        if value.type == "identifier":
            return self._is_variable(value, depth)
        function = field(value, "function") if value.type == "call" else None
        resolution = self._names.qualified_name(function) if function is not None else None
        name = resolution.qualified_name if resolution is not None else ""
        if name in _VARIABLES:
            first = arguments_of(value).at(0)
            return first is not None and self.are(first.value, depth)
        if name in _ONES or (last_name(value) == "fill_" and text_of(value).endswith(("(1.0)", "(1)"))):
            return True
        owner = field(function, "object") if function is not None and function.type == "attribute" else None
        return owner is not None and last_name(value) in _KEEPS and self.are(owner, depth)

    def _is_variable(self, name: Node, depth: int) -> bool:
        found = self._names.bindings_in_scope(text_of(name), name)
        if not found or depth >= NAME_LIMITS.rebindings:
            return False
        key = (text_of(name), found[0].scope.id)
        if key not in self._known:
            self._known[key] = False  # what a variable is cannot be seen from itself
            values = [one.value for one in found]
            self._known[key] = all(one is not None and self.are(one, depth + 1) for one in values)
        return self._known[key]


def _is_known(evidence: Evidence, weights: Node, forward: Sequence[Node]) -> bool:
    """Whether weights are a variable that has its value before the outputs are computed."""
    if weights.type != "identifier" or not forward:
        return weights.type == "identifier"
    found = evidence.source.names.bindings_in_scope(text_of(weights), weights)
    return bool(found) and all(one.node.start_byte < forward[0].start_byte for one in found)


def _names_in(part: Node) -> set[str]:
    return {text_of(one) for one in identifiers_in(part)}


def _forward(evidence: Evidence, call: Node, outputs: Node, inputs: Sequence[str]) -> tuple[Node, ...] | None:
    """The statements that compute the outputs from the inputs, without a gap; none where the call does."""
    statement = enclosing_statement(call)
    beside = statements_of(parent_of(statement))
    before = from_to(beside, 0, statement.start_byte)
    wanted = _names_in(outputs)
    last = max((one.end_byte for one in before if set(assigned_in([one])) & set(inputs)), default=0)
    chosen = computing(from_to(before, last), wanted, inputs)
    read = [_names_in(one) for one in chosen or [outputs]]
    if not set(inputs) <= set().union(*read):
        return None
    if not chosen:
        return () if outputs.type == "call" else None
    first = next(one for one in chosen if _names_in(one) & set(inputs))
    span = from_to(before, first.start_byte, chosen[-1].end_byte)
    plain = all(one.type == "expression_statement" and may_move(evidence, one) for one in span)
    return tuple(span) if plain and outputs.type == "identifier" else None


def _written(evidence: Evidence, penalty: Penalty) -> Use:
    call, taken = penalty.call, parent_of(penalty.call)
    takes_first = taken is not None and text_of(taken).endswith("[0]") and is_field(call, "value")
    place = taken if taken is not None and takes_first and taken.type == "subscript" else call
    opening, closing = _around(penalty, takes_first=place is not call)
    if penalty.forward:
        head = list(_function(evidence, penalty))
        text = f"{opening}{SLOPE}{closing}"
        return changed(GRAD, call, [*head, Edit(place.start_byte, place.end_byte, text)], _needs(penalty))
    names = ", ".join(text_of(one) for one in penalty.inputs)
    before = f"{opening}{_before(penalty)}lambda {names}: "
    behind = f".sum(){_behind(penalty, names)}{closing}"
    if penalty.weights is not None:
        before, behind = f"{before}(", f" * {text_of(penalty.weights)}){behind}"
    edits = [
        Edit(place.start_byte, penalty.outputs.start_byte, before),
        Edit(penalty.outputs.end_byte, place.end_byte, behind),
    ]
    return changed(GRAD, call, edits, _needs(penalty))


def _around(penalty: Penalty, *, takes_first: bool) -> tuple[str, str]:
    """What is around gradients: the call gives several, MindSpore one where there is one input."""
    if penalty.is_single:
        return ("", "") if takes_first else ("(", ",)")
    return ("", "[0]") if takes_first else ("", "")


def _needs(penalty: Penalty) -> frozenset[str]:
    return frozenset({"ms"} if penalty.is_differentiated else {"ms", "ops"})


def _before(penalty: Penalty) -> str:
    return "ms.grad(" if penalty.is_differentiated else "ops.stop_gradient(ms.grad("


def _behind(penalty: Penalty, names: str, more: str = "") -> str:
    """The end of the call that takes gradients, which are constant unless the call says otherwise."""
    where = "" if penalty.is_single else f", {tuple(range(len(penalty.inputs)))}"
    return f"{where}{more})({names}){'' if penalty.is_differentiated else ')'}"


def _function(evidence: Evidence, penalty: Penalty) -> Iterator[Edit]:
    """The edits that make a function of the statements before the call, and take its gradients behind it."""
    first, last = penalty.forward[0], penalty.forward[-1]
    names = ", ".join(text_of(one) for one in penalty.inputs)
    is_moved = any(start <= first.start_byte < end for start, end in evidence.moved)
    indent = " " * (first.start_point[1] + 4 * is_moved)
    before = [one for one in read_before_assigned(penalty.forward) if one not in names.split(", ")]
    head = ", ".join([names, *(f"{one}={one}" for one in before)])
    yield Edit(first.start_byte, first.start_byte, f"def {FUNCTION}({head}):\n{indent}    ")
    for start in line_starts(evidence.source.data, first.start_byte, last.end_byte):
        yield Edit(start, start, "    ")
    outputs = text_of(penalty.outputs)
    total = outputs if penalty.weights is None else f"({outputs} * {text_of(penalty.weights)})"
    others = [one for one in assigned_in(penalty.forward) if _is_read_behind(evidence, one, penalty)]
    more = ", has_aux=True" if others else ""
    taken = f"{SLOPE}, ({', '.join(others)},)" if others else SLOPE
    if others and not penalty.is_differentiated:
        text = f"{taken} = ms.grad({FUNCTION}{_where(penalty)}{more})({names})\n{indent}"
        text += f"{SLOPE} = ops.stop_gradient({SLOPE})"
    else:
        text = f"{taken} = {_before(penalty)}{FUNCTION}{_behind(penalty, names, more)}"
    result = ", ".join([f"{total}.sum()", *others])
    yield Edit(last.end_byte, last.end_byte, f"\n{indent}    return {result}\n{indent}{text}")


def _where(penalty: Penalty) -> str:
    return "" if penalty.is_single else f", {tuple(range(len(penalty.inputs)))}"


def _is_read_behind(evidence: Evidence, name: str, penalty: Penalty) -> bool:
    """Whether the function reads a variable anywhere but in what computes it and in the call."""
    if not is_needed_behind(name, penalty.forward, evidence.source):
        return False
    scope = enclosing(penalty.call, "function_definition", "module")
    spans = [penalty.call, *penalty.forward]
    return scope is None or any(
        text_of(one) == name
        and not is_field(one, "left")
        and not any(span.start_byte <= one.start_byte < span.end_byte for span in spans)
        for one in identifiers_in(scope)
    )


def _flags(evidence: Evidence, variable: Node) -> Iterator[Use]:
    """What becomes of ``x.requires_grad_(True)`` and ``x.requires_grad = True``: gradients need no flag."""
    scope = enclosing(variable, "function_definition", "module")
    for name in ("requires_grad_", "requires_grad"):
        for identifier in evidence.source.identifiers(name):
            attribute = parent_of(identifier)
            if attribute is None or attribute.type != "attribute" or scope is None:
                continue
            if not scope.start_byte <= attribute.start_byte < scope.end_byte:
                continue
            use = _flag(evidence, attribute, text_of(variable))
            if use is not None:
                yield use


def _flag(evidence: Evidence, attribute: Node, variable: str) -> Use | None:
    owner, outer = field(attribute, "object"), parent_of(attribute)
    if owner is None or outer is None:
        return None
    statement = enclosing_statement(attribute)
    api = "torch.Tensor.requires_grad_"
    if text_of(owner) == variable:
        whole = outer.type == "assignment" and text_of(field(outer, "right") or outer) == "True"
        if whole or (outer.type == "call" and same(parent_of(outer), statement)):
            evidence.take_care_of(statement)
            return changed(api, statement, [removed(evidence.source.data, statement)])
        return None
    target = field(statement.named_children[0], "left") if statement.named_children else None
    is_assigned = target is not None and text_of(target) == variable
    if outer.type != "call" or not is_assigned or not is_field(outer, "right"):
        return None
    evidence.take_care_of(outer, but=owner)
    return changed(api, outer, [Edit(owner.end_byte, outer.end_byte, "")])
