"""The forms of training steps that are known: which statements belong to one, and what each is for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from ....text.syntax import arguments_of, enclosing, field, last_name, text_of
from ..evidence import Evidence
from .graphs import computes_all, trained_by
from .lines import has_line_string
from .scaling import opened, scaled_by
from .variables import assigned_in, identifiers_in

_LEAVES = ("break_statement", "continue_statement", "return_statement", "yield", "await", "named_expression")
_LOOPS = ("for_statement", "while_statement")


class Step(NamedTuple):
    """A training step in one block."""

    forward: tuple[Node, ...]
    """The statements that compute the losses, in order, without a gap."""
    losses: tuple[str, ...]
    """The losses whose gradients are added up."""
    backward: tuple[Node, ...]
    """The statement for each loss."""
    zeroed: tuple[Node, ...]
    """The statements that set the gradients to zero."""
    stepped: Node
    optimizer: Node
    clipped: Node | None
    """The call that clips the gradients, between both."""
    started: Node | None = None
    """With gradients that several turns of the loop add up, the statement that zeroes them before it."""
    region: Node | None = None
    """The region of mixed precision that the forward pass is in."""
    scaler: str = ""
    """What scales the loss; empty if nothing does."""
    unscaled: Node | None = None
    updated: Node | None = None
    """The calls of the scaler behind ``backward``."""

    @property
    def loss(self) -> str:
        """The last of the losses."""
        return self.losses[-1]

    @property
    def statements(self) -> list[Node]:
        """All but those that compute the losses."""
        clipped = [self.clipped] if self.clipped is not None else []
        others = [one for one in (self.started, self.unscaled, self.updated) if one is not None]
        return [*self.backward, *self.zeroed, self.stepped, *clipped, *others]


def step_at(evidence: Evidence, call: Node) -> Step | None:
    """The step around a call of ``backward``; None where it is of no form that is known."""
    backward = call.parent
    block = backward.parent if backward is not None else None
    if backward is None or block is None or backward.type != "expression_statement":
        return None
    given = [child for child in block.named_children if child.type != "comment"]
    statements, region = opened(evidence, given)
    several = calls_of(statements, "backward")
    losses = [_loss_of(one, is_last=one.id == several[-1].id) for one in several]
    if not several or any(one is None for one in losses):
        return None
    names = tuple(one for one in losses if one is not None)
    step = _plain(evidence, statements, several, names) or _accumulating(evidence, statements, several, names)
    if step is not None and region is not None:
        step = _in_region(step, region)
    if step is None or not step.forward or _touches_gradients(statements, step):
        return None
    if step.clipped is not None and not _clips_all(evidence, step):
        return None
    return step if computes_all(evidence, step.forward, step.optimizer) else None


def _in_region(step: Step, region: Node) -> Step | None:
    """A step whose forward pass is all that a region of mixed precision holds, and is there as a whole."""
    body = field(region, "body")
    inner = [one for one in body.named_children if one.type != "comment"] if body is not None else []
    zeroed = {one.id for one in step.zeroed}
    whole = [one.id for one in inner if one.id not in zeroed] == [one.id for one in step.forward]
    return step._replace(region=region) if whole and len(inner) == len(step.forward) else None


def _plain(
    evidence: Evidence, statements: Sequence[Node], backward: Sequence[Node], losses: tuple[str, ...]
) -> Step | None:
    """Gradients, and an update with them, in the same block."""
    zeroed, stepped = calls_of(statements, "zero_grad"), calls_of(statements, "step")
    stepped = [one for one in stepped if one.start_byte > backward[-1].start_byte]
    scaler = _scaler_of(backward)
    if scaler is None:
        return None
    if scaler:
        stepped = [one for one in stepped if text_of(receiver_of(one) or one) == scaler]
    optimizer = _stepped(stepped[0], scaler) if stepped else None
    if optimizer is None or not zeroed or not all(zeroes(evidence, one, optimizer) for one in zeroed):
        return None
    if any(backward[0].start_byte < one.start_byte < stepped[0].start_byte for one in zeroed):
        return None
    clipped = _clipping(statements, backward[-1], stepped[0])
    if len(clipped) > 1:
        return None
    forward = _forward(statements, backward, zeroed, losses)
    clip = clipped[0] if clipped else None
    step = Step(forward, losses, tuple(backward), tuple(zeroed), stepped[0], optimizer, clip)
    return _scaled(statements, step, scaler) if scaler else step


def _scaled(statements: Sequence[Node], step: Step, scaler: str) -> Step | None:
    """A step whose loss is scaled: gradients that are clipped are divided again before."""
    unscaled = [one for one in calls_of(statements, "unscale_") if _receiver_text(one) == scaler]
    updated = [one for one in calls_of(statements, "update") if _receiver_text(one) == scaler]
    if len(unscaled) > 1 or len(updated) != 1 or updated[0].start_byte < step.stepped.start_byte:
        return None
    if arguments_of(updated[0].named_children[0]).items or len(step.losses) != 1:
        return None
    first = unscaled[0] if unscaled else None
    if step.clipped is not None and (first is None or first.start_byte > step.clipped.start_byte):
        return None
    return step._replace(scaler=scaler, unscaled=first, updated=updated[0])


def _receiver_text(statement: Node) -> str:
    receiver = receiver_of(statement)
    return text_of(receiver) if receiver is not None else ""


def _scaler_of(backward: Sequence[Node]) -> str | None:
    """What scales the losses: nothing, one scaler, or None where it is not the same for all."""
    found = set()
    for statement in backward:
        function = field(statement.named_children[0], "function")
        loss = field(function, "object") if function is not None else None
        owner = scaled_by(loss) if loss is not None else None
        found.add(text_of(owner) if owner is not None else "")
    return found.pop() if len(found) == 1 else None


def _stepped(statement: Node, scaler: str) -> Node | None:
    """The optimizer that a call of ``step`` updates by: its receiver, or what a scaler is given."""
    if not scaler:
        return receiver_of(statement)
    first = arguments_of(statement.named_children[0]).at(0)
    return first.value if first is not None and first.value.type in ("identifier", "attribute") else None


def _accumulating(
    evidence: Evidence, statements: Sequence[Node], backward: Sequence[Node], losses: tuple[str, ...]
) -> Step | None:
    """Gradients in each turn of a loop, and an update in some: ``if (i + 1) % n == 0``."""
    branches = [one for one in statements if one.type == "if_statement" and _has_step(one)]
    loop = enclosing(backward[0], *_LOOPS, "function_definition", "module")
    if _scaler_of(backward) != "":
        return None
    if len(branches) != 1 or branches[0].start_byte < backward[-1].start_byte or len(losses) != 1:
        return None
    if loop is None or loop.type not in _LOOPS or field(branches[0], "alternative") is not None:
        return None
    body = field(branches[0], "consequence")
    inner = [one for one in body.named_children if one.type != "comment"] if body is not None else []
    zeroed, stepped = calls_of(inner, "zero_grad"), calls_of(inner, "step")
    optimizer = receiver_of(stepped[0]) if stepped else None
    started = _started(loop)
    if optimizer is None or len(zeroed) != 1 or started is None or calls_of(statements, "zero_grad"):
        return None
    every = [*zeroed, started]
    if zeroed[0].start_byte < stepped[0].end_byte:
        return None
    if not all(zeroes(evidence, one, optimizer) for one in every):
        return None
    clipped = _clipping(inner, backward[-1], stepped[0])
    if len(clipped) > 1:
        return None
    forward = _forward(statements, backward, (), losses)
    clip = clipped[0] if clipped else None
    return Step(forward, losses, tuple(backward), tuple(zeroed), stepped[0], optimizer, clip, started)


def _has_step(branch: Node) -> bool:
    body = field(branch, "consequence")
    return body is not None and bool(calls_of(body.named_children, "step"))


def _started(loop: Node) -> Node | None:
    """The statement directly before a loop that sets the gradients to zero."""
    before = loop.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    return before if before is not None and calls_of([before], "zero_grad") else None


def zeroes(evidence: Evidence, statement: Node, optimizer: Node) -> bool:
    """Whether a statement sets all gradients of an optimizer to zero: its own call, or that of its module."""
    receiver = receiver_of(statement)
    if receiver is None:
        return False
    return text_of(receiver) in (text_of(optimizer), trained_by(evidence, optimizer))


def _loss_of(statement: Node, *, is_last: bool) -> str | None:
    """The variable whose gradients a statement takes; None for any other form of the call."""
    call = statement.named_children[0]
    function, arguments = field(call, "function"), arguments_of(call)
    loss = field(function, "object") if function is not None else None
    if loss is not None and scaled_by(loss) is not None:
        loss = arguments_of(loss).items[0].value
    if loss is None or loss.type != "identifier" or arguments.unpacked:
        return None
    kept = [one for one in arguments.items if one.keyword == "retain_graph"]
    if len(kept) != len(arguments.items) or (kept and is_last):
        return None
    return text_of(loss)


def _clipping(statements: Sequence[Node], backward: Node, stepped: Node) -> list[Node]:
    return [
        one
        for one in calls_of(statements, "clip_grad_norm_")
        if backward.start_byte < one.start_byte < stepped.start_byte
    ]


def _clips_all(evidence: Evidence, step: Step) -> bool:
    """Whether a call clips the norm of all the parameters that the optimizer has, by the usual norm."""
    assert step.clipped is not None
    arguments = arguments_of(step.clipped.named_children[0])
    first = arguments.at(0)
    if len(arguments.items) != 2 or arguments.get("max_norm", 1) is None or first is None:
        return False
    if first.value.type != "call" or last_name(first.value) != "parameters":
        return False
    function = field(first.value, "function")
    owner = field(function, "object") if function is not None else None
    trained = trained_by(evidence, step.optimizer)
    if owner is None or trained is not None:
        return owner is not None and text_of(owner) == trained
    called = {
        text_of(one)
        for statement in step.forward
        for call in _calls_in(statement)
        for one in [field(call, "function")]
        if one is not None
    }
    return text_of(owner) in called


def _calls_in(node: Node) -> list[Node]:
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found += [one] if one.type == "call" else []
        stack += one.named_children
    return found


def _touches_gradients(statements: Sequence[Node], step: Step) -> bool:
    """Whether a statement between the gradients and the step looks at them."""
    first, last = step.backward[0].end_byte, step.stepped.end_byte
    between = [one for one in statements if first <= one.start_byte < last]
    names = {
        text_of(node)
        for one in between
        if one is not step.clipped and one is not step.unscaled
        for node in _every_identifier(one)
        if not _is_within(node, step.clipped)
    }
    return bool(names & {"grad", "unscale_", "clip_grad_value_", "clip_grad_norm_"})


def _is_within(node: Node, other: Node | None) -> bool:
    return other is not None and other.start_byte <= node.start_byte < other.end_byte


def _forward(
    statements: Sequence[Node], backward: Sequence[Node], zeroed: Sequence[Node], losses: Sequence[str]
) -> tuple[Node, ...]:
    """The statements from the first that the losses depend on to the last, if nothing else is between."""
    left_out = {one.id for one in (*zeroed, *backward)}
    before = [one for one in statements if one.end_byte <= backward[-1].start_byte and one.id not in left_out]
    wanted, found = set(losses), []
    for statement in reversed(before):
        names = set(assigned_in([statement]))
        if names & wanted:
            found.append(statement)
            wanted |= {text_of(node) for node in identifiers_in(statement)}
    chosen = found[::-1]
    if not chosen or any(one.start_byte < chosen[0].start_byte for one in backward):
        return ()
    span = [one for one in before if chosen[0].start_byte <= one.start_byte <= chosen[-1].start_byte]
    if [one.id for one in span] != [one.id for one in chosen] or not all(may_move(one) for one in chosen):
        return ()
    return () if _is_changed_behind(chosen, backward, losses) else tuple(chosen)


def _is_changed_behind(chosen: Sequence[Node], backward: Sequence[Node], losses: Sequence[str]) -> bool:
    """Whether a loss gets another value behind the call that takes its gradients."""
    return any(
        name in assigned_in([one for one in chosen if one.start_byte > call.start_byte])
        for name, call in zip(losses, backward, strict=True)
    )


def may_move(statement: Node) -> bool:
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


def _every_identifier(node: Node) -> list[Node]:
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found += [one] if one.type == "identifier" else []
        stack += one.named_children
    return found


def calls_of(statements: Sequence[Node], name: str) -> list[Node]:
    """The statements that are nothing but a call of a method."""
    return [
        one
        for one in statements
        if one.type == "expression_statement"
        and one.named_children
        and one.named_children[0].type == "call"
        and last_name(one.named_children[0]) == name
    ]


def receiver_of(statement: Node) -> Node | None:
    function = field(statement.named_children[0], "function")
    receiver = field(function, "object") if function is not None else None
    return receiver if receiver is not None and receiver.type in ("identifier", "attribute") else None
