"""Gradients that a step looks at or changes itself: ``p.grad``, between ``backward`` and the next turn.

A dictionary has them by the parameter, made before the statement that asks. What a statement changes there
becomes the gradients again behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, call_of, field, is_field, last_name, same, text_of

from ....correspondences.call_edits import edits_of
from ....correspondences.rendering import Piece, Slot
from ...evidence import Evidence
from ...use import Use, changed
from ...values.parameters import is_parameter
from .calls import is_within

GRADIENT_OF = "gradient_of"
"""What new text calls the gradients by their parameters."""
GRAD = "torch.Tensor.grad"
_METHODS = {"mul_": " * ", "div_": " / ", "add_": " + ", "sub_": " - "}
_UPDATES = {"*=": " * ", "/=": " / ", "+=": " + ", "-=": " - "}
_SAME = frozenset({"data"})


class Look(NamedTuple):
    """A statement that asks for gradients by their parameters."""

    statement: Node
    reads: tuple[Node, ...]
    """The expressions of gradients: ``p.grad``, with ``.data`` behind it."""
    changes: tuple[Node, ...]
    """The statements in it that change one."""


def looks_in(evidence: Evidence, statements: Sequence[Node], but: Sequence[Node]) -> tuple[Look, ...] | None:
    """The statements that ask for gradients, without some; None where one has a form that is not known."""
    found: list[Look] = []
    for statement in statements:
        grads = [one for one in nodes_in(statement) if _is_grad(one) and not is_within(one, but)]
        look = _look(evidence, statement, grads) if grads else None
        if look is not None:
            found.append(look)
        elif grads:
            return None
    return tuple(found) if not found or not evidence.source.names.bindings(GRADIENT_OF) else None


def _look(evidence: Evidence, statement: Node, grads: Sequence[Node]) -> Look | None:
    """A statement with some gradients; None where one has a form that is not known."""
    if not _has_lines(evidence, statement) or not all(_is_of_parameter(one) for one in grads):
        return None
    changes: dict[int, Node] = {}
    for one in grads:
        change = _change(one)
        if change is not None:
            changes[change.id] = change
        elif _is_changed(one):
            return None
    if not all(_may_be_written(one) for one in changes.values()):
        return None
    return Look(statement, tuple(map(_whole, grads)), tuple(changes.values()))


def _is_grad(node: Node) -> bool:
    name = field(node, "attribute") if node.type == "attribute" else None
    return text_of(name) == "grad"


def _has_lines(evidence: Evidence, statement: Node) -> bool:
    """Whether a statement has its lines to itself, and the last one ends."""
    data, start = evidence.source.data, statement.start_byte - statement.start_point[1]
    end = data.find(b"\n", statement.end_byte)
    behind = data[statement.end_byte : end].strip()
    return end != -1 and not data[start : statement.start_byte].strip() and behind[:1] in (b"", b"#")


def _is_of_parameter(grad: Node) -> bool:
    """Whether a gradient is that of a parameter: of one that a loop goes over, or of a weight by its name."""
    owner = field(grad, "object")
    if owner is None or call_of(grad) is not None:
        return False
    if owner.type == "identifier":
        return is_parameter(owner)
    return owner.type == "attribute" and text_of(owner).endswith((".weight", ".bias"))


def _whole(grad: Node) -> Node:
    """The gradient with what does not change it: ``p.grad.data``, ``p.grad.detach()``."""
    at = grad
    while (parent := parent_of(at)) is not None and parent.type == "attribute" and is_field(at, "object"):
        name = text_of(parent).rpartition(".")[2]
        call = call_of(parent)
        if name in _SAME and call is None:
            at = parent
        elif name == "detach" and call is not None and not arguments_of(call).items:
            at = call
        else:
            break
    return at


def _change(grad: Node) -> Node | None:
    """The statement that changes a gradient; None where it only is a value."""
    whole = _whole(grad)
    parent = parent_of(whole)
    is_target = parent is not None and parent.type in ("assignment", "augmented_assignment")
    if is_target and is_field(whole, "left"):
        statement = parent_of(parent)
        return statement if statement is not None and statement.type == "expression_statement" else None
    call = call_of(parent) if parent is not None and parent.type == "attribute" else None
    if call is not None and last_name(call).endswith("_") and last_name(call) != "requires_grad_":
        statement = parent_of(call)
        return statement if statement is not None and statement.type == "expression_statement" else None
    return None


def _is_changed(grad: Node) -> bool:
    """Whether it is changed in a way that is no statement of its own."""
    whole = _whole(grad)
    parent = parent_of(whole)
    if parent is None or (parent.type in ("assignment", "augmented_assignment") and is_field(whole, "left")):
        return True
    call = call_of(parent) if parent.type == "attribute" else None
    if call is not None and last_name(call).endswith("_"):
        return True
    return parent.type == "subscript" and parent_of(parent) is not None and is_field(parent, "left")


def _may_be_written(statement: Node) -> bool:
    inner = statement.named_children[0]
    if inner.type == "call":
        return _by_method(inner) is not None
    operator, value = field(inner, "operator"), field(inner, "right")
    return value is not None and value.type != "none" and (operator is None or text_of(operator) in _UPDATES)


def _by_method(call: Node) -> list[Piece] | None:
    """What comes behind a gradient, of a call that changes it in place: an operator with what it takes."""
    name, arguments = last_name(call), arguments_of(call)
    given = [one.value for one in arguments.items if one.keyword is None]
    if arguments.unpacked:
        return None
    if name in ("clamp_", "clip_"):
        return _clamped(call)
    if name == "zero_" and not arguments.items:
        return [" * 0"]
    alpha = arguments.keyword("alpha")
    if name not in _METHODS or len(given) != 1 or len(arguments.items) != 1 + (alpha is not None):
        return None
    factor: list[Piece] = [" * (", Slot(alpha.value), ")"] if alpha is not None else []
    return [_METHODS[name], "(", Slot(given[0]), ")", *factor]


def _clamped(call: Node) -> list[Piece] | None:
    arguments = arguments_of(call)
    pieces: list[Piece] = [".clamp("]
    for index, one in enumerate(arguments.items):
        if one.keyword not in (None, "min", "max"):
            return None
        pieces += [f"{', ' if index else ''}{one.keyword + '=' if one.keyword else ''}", Slot(one.value)]
    return [*pieces, ")"]


def written_look(
    evidence: Evidence, look: Look, weights: str, gradients: str, *, is_noted: bool
) -> Iterator[Use]:
    """What becomes of a statement that asks for gradients.
    Raises Refused: the new text would change the order of what is computed."""
    statement = look.statement
    start, indent = statement.start_byte - statement.start_point[1], " " * statement.start_point[1]
    made = f"{{id(one): gradient for one, gradient in zip({weights}, {gradients})}}"
    made = f"like_torch.gradients_by_id({weights}, {gradients})" if is_noted else made
    edits = [Edit(start, start, f"{indent}{GRADIENT_OF} = {made}\n")]
    if look.changes:
        again = f"tuple({GRADIENT_OF}[id(one)] for one in {weights})"
        again = f"like_torch.gradients_in_order({weights}, {GRADIENT_OF})" if is_noted else again
        behind = evidence.source.data.find(b"\n", statement.end_byte) + 1
        edits.append(Edit(behind, behind, f"{indent}{gradients} = {again}\n"))
    for change in look.changes:
        edits += _changed(change)
    for read in look.reads:
        if not any(_is_target(read, change) for change in look.changes):
            edits += _read(read)
        evidence.take_care_of(read, but=_owner(read))
    for change in look.changes:
        inner = change.named_children[0]
        if inner.type == "call":
            function = field(inner, "function")
            if function is not None:
                evidence.take_care_of(function, but=_owner(function))
    yield changed(GRAD, statement, edits)


def _is_target(read: Node, change: Node) -> bool:
    """Whether it is the gradient that a statement changes, and not one that it reads for it."""
    inner = change.named_children[0]
    if inner.type != "call":
        return same(field(inner, "left"), read)
    function = field(inner, "function")
    return function is not None and same(field(function, "object"), read)


def _owner(read: Node) -> Node:
    """The parameter in ``p.grad.data``."""
    for one in nodes_in(read):
        if _is_grad(one):
            owner = field(one, "object")
            if owner is not None:
                return owner
    return read


def _read(read: Node) -> list[Edit]:
    owner = _owner(read)
    if owner.type == "identifier":
        return [Edit(read.start_byte, read.end_byte, f"{GRADIENT_OF}.get(id({text_of(owner)}))")]
    return [
        Edit(read.start_byte, owner.start_byte, f"{GRADIENT_OF}.get(id("),
        Edit(owner.end_byte, read.end_byte, "))"),
    ]


def _changed(statement: Node) -> list[Edit]:
    inner = statement.named_children[0]
    grad = (
        field(inner, "left") if inner.type != "call" else field(field(inner, "function") or inner, "object")
    )
    assert grad is not None
    owner = _owner(grad)
    place = f"{GRADIENT_OF}[id({text_of(owner)})]"
    pieces: list[Piece] = [f"{GRADIENT_OF}[id(", Slot(owner), ")] = "]
    if inner.type == "call":
        behind = _by_method(inner)
        assert behind is not None
        return edits_of(statement, [*pieces, place, *behind])
    value, operator = field(inner, "right"), field(inner, "operator")
    assert value is not None
    if operator is None:
        return edits_of(statement, [*pieces, Slot(value)])
    return edits_of(statement, [*pieces, f"{place}{_UPDATES[text_of(operator)]}(", Slot(value), ")"])


def loop_that_updates(statement: Node) -> Node | None:
    """The module whose parameters a statement changes by their gradients; None for any other statement."""
    if not any(_is_grad(one) for one in nodes_in(statement)):
        return None
    owners = {
        text_of(owner): owner
        for call in nodes_in(statement)
        if call.type == "call"
        and last_name(call) == "parameters"
        and (owner := field(field(call, "function") or call, "object")) is not None
    }
    if len(owners) != 1 or not any(_sets_parameter(one) for one in nodes_in(statement)):
        return None
    return next(iter(owners.values()))


def _sets_parameter(node: Node) -> bool:
    """``p -= ...``, ``p.data -= ...``, ``p.data.add_(...)``, ``p.data = ...``"""
    if node.type in ("assignment", "augmented_assignment"):
        target = field(node, "left")
        return target is not None and is_parameter(_without_data(target))
    if node.type != "call" or not last_name(node).endswith("_"):
        return False
    function = field(node, "function")
    owner = field(function, "object")
    return owner is not None and is_parameter(_without_data(owner))


def _without_data(node: Node) -> Node:
    if node.type == "attribute" and text_of(node).endswith(".data"):
        return field(node, "object") or node
    return node


def is_zeroing(statement: Node) -> bool:
    """Whether a loop over parameters does nothing but set their gradients to zero, or to nothing."""
    if statement.type == "with_statement":
        inner = field(statement, "body")
        return inner is not None and len(inner.named_children) == 1 and is_zeroing(inner.named_children[0])
    body = field(statement, "body") if statement.type == "for_statement" else None
    return body is not None and bool(body.named_children) and all(_zeroes(one) for one in body.named_children)


def _zeroes(statement: Node) -> bool:
    if statement.type == "if_statement" and field(statement, "alternative") is None:
        block, condition = field(statement, "consequence"), field(statement, "condition")
        asks = condition is not None and text_of(condition).endswith((".grad is not None", ".grad"))
        return asks and block is not None and all(_zeroes(one) for one in block.named_children)
    if statement.type == "comment":
        return True
    return statement.type == "expression_statement" and _zeroes_by(statement.named_children[0])


def _zeroes_by(inner: Node) -> bool:
    """``p.grad = None``, ``p.grad.zero_()``."""
    if inner.type == "assignment":
        target, value = field(inner, "left"), field(inner, "right")
        return target is not None and value is not None and _is_grad(target) and value.type == "none"
    if inner.type != "call" or last_name(inner) not in ("zero_", "detach_"):
        return False
    return any(_is_grad(one) for one in nodes_in(inner)) and not arguments_of(inner).items
