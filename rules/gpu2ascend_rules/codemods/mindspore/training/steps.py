"""A training step: ``loss.backward(); optimizer.step()`` as a function of which gradients are taken.

The statements that compute the loss become a function without parameters in the place where they stood, so
that they read the same variables. What else it assigns and the program reads later it returns with the loss.
The forms that are written are those of which both sides were run with equal losses and weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from ....model.finding import Edit
from ....text.syntax import ancestors, arguments_of, call_of, enclosing, field, last_name, same, text_of
from ..evidence import Evidence
from ..use import Reason, Use, changed, refused
from .lines import has_line_string, line_starts, removed
from .variables import assigned_in, is_read_outside, read_before_assigned

BACKWARD = "torch.Tensor.backward"
FUNCTION, GRADIENTS = "compute_loss", "gradients"
"""What new text calls the function and the gradients."""
_LEAVES = ("break_statement", "continue_statement", "return_statement", "yield", "await", "named_expression")


class _Step(NamedTuple):
    """A training step in one block."""

    forward: tuple[Node, ...]
    """The statements that compute the loss, in order, without a gap."""
    loss: str
    backward: Node
    zeroed: Node
    stepped: Node
    optimizer: Node
    clipped: Node | None
    """The call that clips the gradients, between both."""


def uses_of_steps(evidence: Evidence) -> Iterator[Use]:
    """What becomes of every call of ``backward``, with the step around it."""
    for name in evidence.source.identifiers("backward"):
        attribute = name.parent
        call = attribute.parent if attribute is not None and attribute.type == "attribute" else None
        if attribute is None or call is None or call.type != "call":
            continue
        step = _step(call)
        if step is None or _is_taken(evidence, step):
            evidence.take_care_of(call)
            yield refused(BACKWARD, call, Reason.STEP)
            continue
        if not _is_switched(evidence, step):
            evidence.take_care_of(step.backward)
            yield refused(BACKWARD, call, Reason.MODE)
            continue
        yield from _uses(evidence, step)


def _is_switched(evidence: Evidence, step: _Step) -> bool:
    """Whether a model is switched to training before the step, in its function or in the module."""
    scope = enclosing(step.backward, "function_definition", "module")
    for name in evidence.source.identifiers("train"):
        call = call_of(name.parent) if name.parent is not None and name.parent.type == "attribute" else None
        if call is None or call.start_byte > step.backward.start_byte:
            continue
        if same(enclosing(call, "function_definition", "module"), scope):
            return True
    return False


def _uses(evidence: Evidence, step: _Step) -> Iterator[Use]:
    for statement in (step.backward, step.zeroed, step.stepped, *([step.clipped] if step.clipped else [])):
        evidence.take_care_of(statement)
    yield changed(BACKWARD, step.backward, _edits(evidence, step), {"ms"})
    yield changed(
        "torch.optim.Optimizer.zero_grad", step.zeroed, [removed(evidence.source.data, step.zeroed)]
    )
    if step.clipped is not None:
        yield _clipping(step.clipped)
    text = f"{text_of(step.optimizer)}({GRADIENTS})"
    edit = Edit(step.stepped.start_byte, step.stepped.end_byte, text)
    yield changed("torch.optim.Optimizer.step", step.stepped, [edit])


def _clipping(statement: Node) -> Use:
    """What becomes of a call that clips the gradients of all parameters."""
    call = statement.named_children[0]
    limit = arguments_of(call).get("max_norm", 1)
    assert limit is not None
    before = Edit(
        statement.start_byte, limit.value.start_byte, f"{GRADIENTS} = ops.clip_by_global_norm({GRADIENTS}, "
    )
    behind = Edit(limit.value.end_byte, statement.end_byte, ")")
    return changed("torch.nn.utils.clip_grad_norm_", statement, [before, behind], {"ops"})


def _edits(evidence: Evidence, step: _Step) -> Iterator[Edit]:
    """The function around the forward pass, and the call that takes its gradients."""
    first, last = step.forward[0], step.forward[-1]
    indent = " " * first.start_point[1]
    deeper = "    "
    outputs = [name for name in _outputs(step) if name != step.loss]
    defaults = ", ".join(f"{name}={name}" for name in read_before_assigned(step.forward))
    yield Edit(first.start_byte, first.start_byte, f"def {FUNCTION}({defaults}):\n{indent}{deeper}")
    for start in line_starts(evidence.source.data, first.start_byte, last.end_byte):
        if not step.zeroed.start_byte - step.zeroed.start_point[1] <= start < step.zeroed.end_byte:
            yield Edit(start, start, deeper)
    returned = ", ".join([step.loss, *outputs])
    taken = f"({returned})" if outputs else step.loss
    more = ", has_aux=True" if outputs else ""
    weights = f"{text_of(step.optimizer)}.parameters"
    call = f"ms.value_and_grad({FUNCTION}, None, {weights}{more})()"
    yield Edit(last.end_byte, last.end_byte, f"\n{indent}{deeper}return {returned}")
    yield Edit(step.backward.start_byte, step.backward.end_byte, f"{taken}, {GRADIENTS} = {call}")


def _outputs(step: _Step) -> list[str]:
    """What the forward pass assigns and the rest of the function, or of the module, reads."""
    return [name for name in assigned_in(step.forward) if is_read_outside(name, step.forward)]


def _step(call: Node) -> _Step | None:
    """The step around a call of ``backward``; None where it is of no form that is known."""
    backward = call.parent
    block = backward.parent if backward is not None else None
    arguments, function = field(call, "arguments"), field(call, "function")
    loss = field(function, "object") if function is not None else None
    if backward is None or block is None or backward.type != "expression_statement" or loss is None:
        return None
    if loss.type != "identifier" or (arguments is not None and arguments.named_children):
        return None
    statements = [child for child in block.named_children if child.type != "comment"]
    zeroed, stepped = _call_of(statements, "zero_grad"), _call_of(statements, "step", after=backward)
    if zeroed is None or stepped is None or len(_calls_of(statements, "backward")) != 1:
        return None
    optimizer = _receiver(stepped)
    if optimizer is None or text_of(optimizer) != text_of(_receiver(zeroed) or stepped):
        return None
    if backward.start_byte < zeroed.start_byte < stepped.start_byte:
        return None
    forward = _forward(statements, backward, zeroed, text_of(loss))
    clipping = [
        one for one in _calls_of(statements, "clip_grad_norm_") if one.start_byte > backward.start_byte
    ]
    if len(clipping) > 1 or not all(_clips_all(one) for one in clipping):
        return None
    clipped = clipping[0] if clipping else None
    step = _Step(forward, text_of(loss), backward, zeroed, stepped, optimizer, clipped)
    return step if forward and not _touches_gradients(statements, step) else None


def _clips_all(statement: Node) -> bool:
    """Whether a call clips the norm of all the parameters of a module, by the usual norm."""
    arguments = arguments_of(statement.named_children[0])
    first = arguments.at(0)
    usual = len(arguments.items) == 2 and arguments.get("max_norm", 1) is not None
    return usual and first is not None and last_name(first.value) == "parameters"


def _touches_gradients(statements: Sequence[Node], step: _Step) -> bool:
    """Whether a statement between the gradients and the step looks at them."""
    between = [
        one for one in statements if step.backward.end_byte <= one.start_byte < step.stepped.start_byte
    ]
    names = {text_of(node) for one in between if one is not step.clipped for node in _identifiers(one)}
    return bool(names & {"grad", "unscale_", "clip_grad_value_"})


def _forward(statements: Sequence[Node], backward: Node, zeroed: Node, loss: str) -> tuple[Node, ...]:
    """The statements from the first that the loss depends on to the last, if nothing else is between."""
    before = [one for one in statements if one.end_byte <= backward.start_byte and one.id != zeroed.id]
    wanted, found = {loss}, []
    for statement in reversed(before):
        names = set(assigned_in([statement]))
        if names & wanted:
            found.append(statement)
            wanted |= {text_of(node) for node in _identifiers(statement)}
    chosen = found[::-1]
    if not chosen:
        return ()
    span = [one for one in before if chosen[0].start_byte <= one.start_byte <= chosen[-1].start_byte]
    if [one.id for one in span] != [one.id for one in chosen] or not all(_may_move(one) for one in chosen):
        return ()
    return tuple(chosen)


def _may_move(statement: Node) -> bool:
    """Whether a statement means the same in a function of its own."""
    if statement.type != "expression_statement" or has_line_string(statement):
        return False
    stack = [statement]
    while stack:
        node = stack.pop()
        if node.type in _LEAVES or (node.type == "assignment" and _writes_into(node)):
            return False
        stack += node.named_children
    return True


def _writes_into(assignment: Node) -> bool:
    """Whether an assignment is to anything but variables."""
    target = field(assignment, "left")
    return target is not None and any(
        one.type in ("attribute", "subscript") for one in [target, *target.children]
    )


def _identifiers(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        one = stack.pop()
        if one.type == "identifier":
            yield one
        stack += one.named_children


def _calls_of(statements: Sequence[Node], name: str) -> list[Node]:
    """The statements that are nothing but a call of a method."""
    return [
        one
        for one in statements
        if one.type == "expression_statement"
        and one.named_children
        and one.named_children[0].type == "call"
        and last_name(one.named_children[0]) == name
    ]


def _call_of(statements: Sequence[Node], name: str, after: Node | None = None) -> Node | None:
    """The one statement that calls a method; of several ``step`` the first after the gradients."""
    found = _calls_of(statements, name)
    if after is not None:
        return next((one for one in found if one.start_byte > after.start_byte), None)
    return found[0] if len(found) == 1 else None


def _receiver(statement: Node) -> Node | None:
    function = field(statement.named_children[0], "function")
    receiver = field(function, "object") if function is not None else None
    return receiver if receiver is not None and receiver.type in ("identifier", "attribute") else None


def _is_taken(evidence: Evidence, step: _Step) -> bool:
    """Whether the file uses the names that new text needs for something else."""
    names = evidence.source.names
    if names.bindings(FUNCTION) or names.bindings(GRADIENTS):
        return True
    loops = [one for one in ancestors(step.backward) if one.type in ("with_statement",)]
    return bool(loops) or enclosing(step.backward, "lambda") is not None
