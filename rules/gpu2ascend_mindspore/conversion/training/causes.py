"""Why a training step is refused: what keeps it, or what it is made of, from being written as a function."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import OPTIMIZER
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import arguments_of, call_of, enclosing, field, same, text_of

from ...correspondences.table import of_steps
from ..evidence import Evidence
from ..lines import removed
from ..use import Reason, Use, changed, refused
from .constant.detached import is_detached, is_gradient_free
from .graphs import computes_all, may_have_graph
from .parts.branches import blocks_of
from .parts.calls import calls_of, calls_within, from_to, receiver_of
from .parts.clipping import CLIPS, clips_of
from .parts.data import staying
from .parts.losses import keeps_graph, loss_of
from .parts.moving import may_move
from .parts.zeroing import zeroes, zeroing
from .trained import all_trained_by
from .updates import new_tensors
from .variables import assigned_in, identifiers_in


def shared_in(evidence: Evidence, statements: Sequence[Node], backward: Node) -> tuple[Reason, Node] | None:
    """The statement that keeps a loss among others from a function of its own, and why it does."""
    every = calls_of(statements, "backward")
    before = [one for one in statements if one.end_byte <= backward.start_byte]
    needed = _needed(evidence, before, backward)
    of_models = [one for one in needed if may_have_graph(evidence, one)]
    if len(every) < 2 or not of_models:
        return None
    start = max((one.end_byte for one in every if one.end_byte <= backward.start_byte), default=0)
    shared = [one for one in of_models if one.start_byte < start]
    if shared:
        return Reason.STEP_SHARED, shared[-1]
    others = [one for one in before if one not in (*needed, *zeroing(evidence, before))]
    fixed = staying(evidence, from_to(needed, of_models[0].start_byte), others)
    return (Reason.STEP_STATEMENT, fixed[-1]) if fixed else None


def _needed(evidence: Evidence, before: Sequence[Node], backward: Node) -> list[Node]:
    """The statements that a loss has gradients through."""
    function = field(backward.named_children[0], "function")
    wanted = {text_of(one) for one in identifiers_in(function)} if function is not None else set()
    found: list[Node] = []
    for one in reversed(before):
        if wanted.intersection(assigned_in([one])) and not is_gradient_free(evidence, one):
            found.insert(0, one)
            wanted |= {text_of(name) for name in identifiers_in(one) if not is_detached(name)}
    return found


_FIRST_NAME = re.compile(rb"\w+")


def named_by_leaves(evidence: Evidence, uses: list[Use]) -> list[Use]:
    """The uses, where what makes such a tensor says so, in place of all that follows from it."""
    if not any(True for _ in evidence.source.identifiers("backward")):
        return uses
    made = {(one.start, one.end): name for one in uses if (name := _name_of_leaf(evidence, one))}
    if not made:
        return uses
    names = set(made.values())
    return [
        one._replace(reason=Reason.LEAF, detail=made.get((one.start, one.end), one.detail))
        if (one.start, one.end) in made
        else one
        for one in uses
        if one.reason is None or (one.start, one.end) in made or not _follows(evidence, one, names)
    ]


def _name_of_leaf(evidence: Evidence, use: Use) -> str:
    """The variable that is given a tensor with a gradient of its own; empty for any other use."""
    if use.reason is not Reason.ARGUMENT or use.detail != "requires_grad":
        return ""
    assignment = parent_of(evidence.source.node_at(use.start, use.end))
    return text_of(field(assignment, "left")) if assignment is not None else ""


def _follows(evidence: Evidence, use: Use, names: Collection[str]) -> bool:
    """Whether a refused use is of such a tensor, or a step that takes gradients of one."""
    first = _FIRST_NAME.match(evidence.source.data, use.start)
    if first is not None and first[0].decode() in names:
        return True
    if not use.api.endswith(".backward"):
        return False
    node = evidence.source.node_at(use.start, use.end)
    scope = enclosing(node, *_SCOPES) if node is not None else None
    return scope is not None and any(text_of(one) in names for one in identifiers_in(scope))


def uses_without_step(evidence: Evidence, optimizers: set[str], unknown: set[str]) -> Iterator[Use]:
    """The calls of optimizers that belong to no step: gradients are kept nowhere, to be zero or used."""
    for method in ("zero_grad", "step"):
        for name in evidence.source.identifiers(method):
            attribute = parent_of(name)
            if attribute is None or attribute.type != "attribute":
                continue
            call, owner = call_of(attribute), field(attribute, "object")
            if call is None or owner is None or evidence.is_taken_care_of(call):
                continue
            api, statement = f"{OPTIMIZER}.{method}", parent_of(call)
            known = text_of(owner) in optimizers
            is_statement = parent_type(call) == "expression_statement"
            if known and method == "zero_grad" and statement is not None and is_statement:
                evidence.take_care_of(call)
                yield changed(api, statement, [removed(evidence.source.data, statement)])
            elif known or text_of(owner) in unknown or _makes_optimizer(evidence, owner):
                evidence.take_care_of(call)
                yield refused(api, call, Reason.STEP)


def _makes_optimizer(evidence: Evidence, node: Node) -> bool:
    found = evidence.instance(node)
    name = found.class_name if found is not None else ""
    return name.startswith("torch.optim.") and ".lr_" not in name


_LONGEST = 60
_SCOPES = ("function_definition", "module")


class Cause(NamedTuple):
    """Why a step is refused, and what that is about."""

    reason: Reason
    detail: str = ""


def cause_of(evidence: Evidence, call: Node) -> Cause:
    """Why the step around a call of ``backward`` is refused: the first that its block shows."""
    statement = parent_of(call)
    block = parent_of(statement) if statement is not None else None
    if statement is None or block is None or statement.type != "expression_statement":
        return Cause(Reason.STEP)
    loss = loss_of(statement)
    if loss is None:
        return Cause(Reason.STEP_CALL, short(call))
    every = [*blocks_of(evidence, statement)]
    own = set(assigned_in(from_to(every[0], 0, statement.start_byte)))
    statements = every[0] if own & loss.names else every[-1]
    return _of_updates(evidence, statements, statement, _updates(evidence, statement, statements))


def take_care_around(evidence: Evidence, call: Node) -> None:
    """A refused ``backward`` speaks for what sets gradients to zero or clips them beside it, too."""
    statement = parent_of(call)
    block = parent_of(statement)
    beside = [*block.named_children] if block is not None else []
    around = blocks_of(evidence, statement) if statement is not None else ()
    evidence.take_care_of(call)
    for name in ("zero_grad", *CLIPS):
        for one in calls_within([*beside, *(one for some in around for one in some)], name):
            evidence.take_care_of(one)


def reported_once(data: bytes, uses: list[Use]) -> list[Use]:
    """The uses of steps, where a refused ``backward`` speaks for the calls of its optimizer, too."""
    if not any(one.reason is not None and one.api.endswith(".backward") for one in uses):
        return uses
    return [
        one
        for one in uses
        if one.reason is not Reason.STEP or one.api.endswith(".backward") or data[: one.end][-2:] != b"()"
    ]


def told_by_steps(uses: list[Use]) -> list[Use]:
    """The uses, where none says that what is converted with a step has no counterpart.

    The refused ``backward`` says why its step is not converted. Without one in the file, what works on
    gradients does; a region of mixed precision without a step has indeed no counterpart.
    """
    lone = {one for one in uses if one.reason is Reason.NO_TARGET and one.api in of_steps()}
    if not lone:
        return uses
    if any(one.reason is not None and one.api.endswith(".backward") for one in uses if one not in lone):
        return [one for one in uses if one not in lone]
    return [one._replace(reason=Reason.STEP) if one in lone and "_grad" in one.api else one for one in uses]


def _of_updates(
    evidence: Evidence, statements: Sequence[Node], backward: Node, updates: Sequence[Node]
) -> Cause:
    """Why a step of an ordinary ``backward`` is refused, by the calls of optimizers around it."""
    if not updates:
        return Cause(Reason.STEP_UPDATE)
    first = next((one for one in updates if one.start_byte > backward.start_byte), updates[0])
    optimizer = receiver_of(first)
    if optimizer is None or arguments_of(first.named_children[0]).items:
        return Cause(Reason.STEP)  # that of a scaler, or with a closure
    return (
        _of_wrapper(evidence, optimizer)
        or _of_zeroing(evidence, optimizer)
        or _of_statements(evidence, statements, backward)
        or _of_gradients(statements, backward)
        or _of_optimizers(evidence, updates)
        or _of_several(evidence, statements, backward)
        or _of_clips(evidence, statements, backward, optimizer)
        or _of_graph(evidence, statements, backward, optimizer)
        or Cause(Reason.STEP)
    )


def _updates(evidence: Evidence, backward: Node, statements: Sequence[Node]) -> list[Node]:
    """The calls of optimizers that may belong to a step: in its block, else in its function."""
    own, scope = calls_of(statements, "step"), enclosing(backward, *_SCOPES)
    every = own, calls_within([scope], "step") if scope is not None else []
    found = ([one for one in calls if not _is_schedule(evidence, receiver_of(one))] for calls in every)
    return next((calls for calls in found if calls), [])


def _is_schedule(evidence: Evidence, owner: Node | None) -> bool:
    """Whether a step is one of a schedule of rates: by the class, else by the name."""
    found = evidence.instance(owner) if owner is not None else None
    if found is not None:
        return ".lr_scheduler." in found.class_name
    return owner is not None and "sched" in text_of(owner).rpartition(".")[2].lower()


def _of_wrapper(evidence: Evidence, optimizer: Node) -> Cause | None:
    """A class of the file that is no optimizer takes the step: ``NoamOpt(optimizer)``."""
    found = evidence.instance(optimizer)
    if found is None or found.definition is None or found.class_name.startswith("torch."):
        return None
    return Cause(Reason.STEP_WRAPPER, text_of(optimizer))


def _of_zeroing(evidence: Evidence, optimizer: Node) -> Cause | None:
    """No statement sets the gradients of the optimizer to zero."""
    scope = enclosing(optimizer, *_SCOPES)
    every = calls_within([scope], "zero_grad") if scope is not None else []
    zeroed = [one for one in every if same(enclosing(one, *_SCOPES), scope)]
    if any(zeroes(evidence, one, optimizer) for one in zeroed):
        return None
    return Cause(Reason.STEP_ZERO, text_of(optimizer))


def _of_optimizers(evidence: Evidence, updates: Sequence[Node]) -> Cause | None:
    """Of one of several optimizers, or of one in a list, the file does not show whose parameters it has."""
    if len({text_of(one) for one in updates}) < 2 and not _is_of_list(evidence, receiver_of(updates[0])):
        return None
    owners = [owner for one in updates if (owner := receiver_of(one)) is not None]
    unknown = [text_of(one) for one in owners if not all_trained_by(evidence, one)]
    return Cause(Reason.STEP_OPTIMIZER, unknown[0]) if unknown else None


def _is_of_list(evidence: Evidence, optimizer: Node | None) -> bool:
    """``optimizers[0]``, ``for optimizer in optimizers``."""
    if optimizer is None or optimizer.type != "identifier":
        return optimizer is not None and optimizer.type == "subscript"
    bindings = evidence.source.names.bindings_in_scope(text_of(optimizer), optimizer)
    return any(one.kind is BindingKind.LOOP for one in bindings)


def _of_several(evidence: Evidence, statements: Sequence[Node], backward: Node) -> Cause | None:
    """One of several losses shares with another what it has gradients through."""
    found = shared_in(evidence, statements, backward)
    return Cause(found[0], short(found[1])) if found is not None else None


def _of_statements(evidence: Evidence, statements: Sequence[Node], backward: Node) -> Cause | None:
    """A statement before cannot become part of a function."""
    before = [one for one in statements if one.end_byte <= backward.start_byte]
    new = new_tensors(evidence, before)
    fixed = [one for one in before if not may_move(evidence, one, new)]
    return Cause(Reason.STEP_STATEMENT, short(fixed[-1])) if fixed else None


def _of_gradients(statements: Sequence[Node], backward: Node) -> Cause | None:
    """A statement behind reads the gradient of a parameter."""
    behind = [one for one in statements if one.start_byte >= backward.end_byte]
    read = (node for one in behind for node in nodes_in(one) if node.type == "attribute")
    found = next((one for one in read if text_of(one).endswith(".grad")), None)
    return Cause(Reason.STEP_GRADIENTS, short(found)) if found is not None else None


def _of_clips(
    evidence: Evidence, statements: Sequence[Node], backward: Node, optimizer: Node
) -> Cause | None:
    """A call behind clips gradients in a way that is not known, or those of other parameters."""
    before, behind = from_to(statements, 0, backward.start_byte), from_to(statements, backward.end_byte)
    if clips_of(evidence, behind, before, [optimizer]) is not None:
        return None
    found = [one for name in sorted(CLIPS) for one in calls_within(behind, name)]
    return Cause(Reason.STEP_GRADIENTS, short(found[0])) if found else None


def _of_graph(
    evidence: Evidence, statements: Sequence[Node], backward: Node, optimizer: Node
) -> Cause | None:
    """A graph is kept for a later ``backward``, or what the loss is of was computed elsewhere."""
    if keeps_graph(backward):
        return Cause(Reason.STEP_KEPT, short(backward))
    before = [one for one in statements if one.end_byte <= backward.start_byte]
    is_whole = computes_all(evidence, [*_needed(evidence, before, backward), backward], [optimizer])
    return None if is_whole else Cause(Reason.STEP_OUTSIDE)


def short(node: Node) -> str:
    text = " ".join(text_of(node).split()).replace("`", "'")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
