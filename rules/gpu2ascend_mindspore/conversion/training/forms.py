"""The forms of training steps that are known: which statements belong to one, and what each is for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import arguments_of, text_of

from ..evidence import Evidence
from .constant.detached import is_gradient_free
from .constant.enabling import may_be_off
from .graphs import computes_all, may_have_graph, models_in
from .parts.accumulation import optimizer_of, summing_at
from .parts.again import is_graph_used_again
from .parts.branches import (
    Branch,
    asks_for_none,
    blocks_of,
    branch_between,
    has_no_end,
    is_readable,
    means_the_same,
)
from .parts.calls import (
    are_any_between,
    calls_of,
    calls_within,
    from_to,
    in_branches,
    is_within,
    receiver_of,
    statements_of,
)
from .parts.clipping import CLIPS, clips_of
from .parts.data import reads_weights, without_data
from .parts.looking import is_zeroing, looks_in, loop_that_updates
from .parts.losses import Loss, keeps_graph, loss_of
from .parts.moving import may_move, sometimes_assigned
from .parts.pairs import Second, second_of
from .parts.step import Step
from .parts.zeroing import zeroed_before, zeroes, zeroing
from .scaling import held_by, opened
from .trained import all_trained_by, behind_optimizers
from .updates import new_tensors
from .variables import assigned_in, computing, is_carried, read_before_assigned

_NAMES = ("identifier", "attribute")
_OF_GRADIENTS = CLIPS | {"grad", "unscale_"}


def step_at(evidence: Evidence, call: Node) -> Step | None:
    """The step around a call of ``backward``; None where it is of no form that is known."""
    backward = parent_of(call)
    if backward is None or backward.type != "expression_statement":
        return None
    steps = (_in_block(evidence, one) for one in blocks_of(evidence, backward))
    step = next((one for one in steps if one is not None), None)
    return _branched(evidence, step) if step is not None else None


def _branched(evidence: Evidence, step: Step) -> Step | None:
    """A step with the branch that its update is in; None where it cannot be written."""
    if not _is_in_one_region(evidence, step):
        return None
    branch = branch_between(step.forward, step.backward[0])
    if branch is None:
        return step
    if any(is_carried(one, step.forward) for one in step.defaults):
        return None  # it may have a graph of turns without an update
    is_split = step.forward[-1].end_byte > branch.statement.start_byte
    if is_split or step.summing is not None or step.model is not None or not is_readable(branch):
        return None
    return _with_branch(step, branch)


def _with_branch(step: Step, branch: Branch) -> Step | None:
    """A step whose losses are computed in either way before a branch, or in the way that it says."""
    forward = step.forward[0].start_byte
    passed = [*step.forward, *from_to(_beside(branch.statement), forward, branch.statement.start_byte)]
    passed += from_to(_beside(step.backward[0]), 0, step.backward[0].start_byte)
    is_last = has_no_end(branch, [one for one in step.statements if one.id != step.stepped.id])
    if step.loss and not step.is_early and not is_last and means_the_same(branch, passed, twice=False):
        return step._replace(branch=branch)
    if not step.losses[-1].is_plain:
        return None
    if means_the_same(branch, passed, twice=True):
        return step._replace(branch=branch, is_early=True)
    return None if asks_for_none(branch) else step._replace(is_early=True)


def _beside(statement: Node) -> list[Node]:
    return statements_of(parent_of(statement))


def _is_in_one_region(evidence: Evidence, step: Step) -> bool:
    """Whether the same regions that switch gradients have all of what a step trains."""
    regions = [may_be_off(evidence, one, step.backward[0]) for one in step.forward]
    if not any(regions):
        return True
    inside = max(regions, key=len)
    outside = [one for one, found in zip(step.forward, regions, strict=True) if found != inside]
    trained = [name for one in step.optimizers for name in all_trained_by(evidence, one)]
    used = [text_of(one) for each in outside for one in nodes_in(each) if one.type in _NAMES]
    return bool(trained) and not any(f"{one}.".startswith(f"{name}.") for one in used for name in trained)


def _in_block(evidence: Evidence, given: Sequence[Node]) -> Step | None:
    """The step that some statements are."""
    statements, region = opened(evidence, given)
    several = calls_of(statements, "backward")
    found = _losses_of(several)
    if not found:
        return None
    step = _plain(evidence, statements, several, found) or _summing(evidence, statements, several, found)
    step = step or _by_hand(evidence, statements, several, found)
    if step is not None and region is not None:
        step = _in_region(evidence, step, region)
    return step if step is not None and _is_whole(evidence, step) else None


def _is_whole(evidence: Evidence, step: Step) -> bool:
    """Whether all that gradients go through is in a step, now and later."""
    parts = step.forward or [one.expression for one in step.losses]
    is_used_again = keeps_graph(step.backward[-1]) and is_graph_used_again(evidence, parts)
    return not is_used_again and computes_all(evidence, step.forward or step.backward, step.optimizers)


def _losses_of(several: Sequence[Node]) -> tuple[Loss, ...]:
    """The losses of calls of ``backward``; none where one is not known, or they cannot be summed."""
    losses = [loss_of(one) for one in several]
    found = tuple(one for one in losses if one is not None)
    if len(found) != len(losses) or len({one.scaler for one in found}) != 1:
        return ()
    is_sum = len(found) > 1
    return () if is_sum and any(not one.name or one.scaler for one in found) else found


def _in_region(evidence: Evidence, step: Step, region: Node) -> Step | None:
    """A step whose forward pass is what a region of mixed precision ends with, and all of it.

    What only prepares data stays before the region, or comes before it.
    """
    before = [one for one in step.forward if one.start_byte < region.start_byte]
    if any(may_have_graph(evidence, one) for one in before):
        return None
    forward = tuple(one for one in step.forward if one not in before)
    held = held_by(region)
    leading = held[: len(held) - len(forward)]
    is_whole = [one.id for one in (*leading, *forward)] == [one.id for one in held]
    if not forward or not is_whole or any(may_have_graph(evidence, one) for one in leading):
        return None
    if not before:
        return step._replace(region=region)
    defaults = _defaults(evidence, forward)
    return step._replace(region=region, forward=forward, defaults=defaults) if defaults is not None else None


def _plain(
    evidence: Evidence, statements: Sequence[Node], backward: Sequence[Node], losses: tuple[Loss, ...]
) -> Step | None:
    """Gradients, and an update with them, in the same block."""
    scaler = losses[-1].scaler
    zeroed, stepped = zeroing(evidence, statements), calls_of(statements, "step")
    zeroed = zeroed or zeroed_before(evidence, statements[-1])
    stepped = from_to(stepped, backward[-1].start_byte + 1)
    if scaler:
        stepped = [one for one in stepped if optimizer_of(one, scaler) is not None]
    optimizer = optimizer_of(stepped[0], scaler) if stepped else None
    second = second_of(evidence, stepped, optimizer) if optimizer is not None and not scaler else None
    if optimizer is None or not _are_zeroed(evidence, zeroed, optimizer, second):
        return None
    if are_any_between(zeroed, backward[0], stepped[0]):
        return None
    step = _computing(evidence, statements, backward, zeroed, losses)
    if step is None:
        return None
    last = second.stepped if second is not None else stepped[0]
    behind = from_to(statements, backward[0].end_byte, last.start_byte)
    behind = [one for one in behind if one not in (*step.forward, *backward, stepped[0])]
    step = step._replace(zeroed=tuple(zeroed), stepped=stepped[0], optimizer=optimizer, second=second)
    return _used(evidence, step, behind, statements)


def _are_zeroed(
    evidence: Evidence, statements: Sequence[Node], optimizer: Node, second: Second | None
) -> bool:
    """Whether statements set the gradients of each optimizer to zero, and nothing else."""
    optimizers = [optimizer, *([second.optimizer] if second is not None else [])]
    by_optimizer = [[one for one in statements if zeroes(evidence, one, by)] for by in optimizers]
    return all(by_optimizer) and {one.id for some in by_optimizer for one in some} == {
        one.id for one in statements
    }


def _summing(
    evidence: Evidence, statements: Sequence[Node], backward: Sequence[Node], losses: tuple[Loss, ...]
) -> Step | None:
    """Gradients in each turn of a loop, and an update in some, or behind it."""
    if len(losses) != 1:
        return None
    found = summing_at(evidence, statements, backward[0], losses[0].scaler)
    step = _computing(evidence, statements, backward, (), losses) if found is not None else None
    if found is None or step is None:
        return None
    step = step._replace(zeroed=found.zeroed, stepped=found.stepped, optimizer=found.optimizer, summing=found)
    own = [one for one in statements if one.start_byte >= backward[0].end_byte]
    branch = [one for one in own if is_within(found.stepped, [one])]
    behind = [*(one for one in own if one not in branch), *found.behind[:-1]]
    return _used(evidence, step, behind, found.block)


def _used(evidence: Evidence, step: Step, behind: Sequence[Node], block: Sequence[Node]) -> Step | None:
    """A step with what is done to its gradients before the update; None where that is not known."""
    clips = clips_of(evidence, behind, step.forward or step.backward, step.optimizers)
    if clips is None:
        return None
    step = step._replace(clips=clips)
    if step.scaler:
        scaled = _scaled(behind, block, step)
        if scaled is None:
            return None
        step = scaled
    known = [one.statement for one in clips] + ([step.unscaled] if step.unscaled is not None else [])
    asked = [*behind, *_asking_later(step, block)]
    looks = looks_in(evidence, asked, (*known, *step.zeroed))
    if looks is None:
        return None
    step = step._replace(looks=looks)
    known += [one.statement for one in looks]
    names = {
        text_of(node)
        for one in behind
        for node in nodes_in(one)
        if node.type == "identifier" and not is_within(node, known)
    }
    return None if names & _OF_GRADIENTS else step


def _asking_later(step: Step, block: Sequence[Node]) -> list[Node]:
    """The statements behind an update, up to those that set the gradients to zero again."""
    later: list[Node] = []
    for one in block:
        if one.start_byte < step.stepped.end_byte:
            continue
        if any(one.id == zero.id for zero in step.zeroed):
            break
        later.append(one)
    return later


def _by_hand(
    evidence: Evidence, statements: Sequence[Node], backward: Sequence[Node], losses: tuple[Loss, ...]
) -> Step | None:
    """Gradients, and a loop that changes the parameters of a module by them."""
    behind = from_to(statements, backward[-1].end_byte)
    updates = [(one, model) for one in behind if (model := loop_that_updates(one)) is not None]
    if len(updates) != 1 or losses[-1].scaler or evidence.context.options.distributed:
        return None
    updated, model = updates[0]
    calls = calls_of(statements, "zero_grad")
    zeroed = (*calls, *filter(is_zeroing, statements))
    if not zeroed or any(text_of(receiver_of(one)) != text_of(model) for one in calls):
        return None
    if are_any_between(zeroed, backward[0], updated):
        return None
    step = _computing(evidence, statements, backward, zeroed, losses)
    if step is None:
        return None
    step = step._replace(zeroed=zeroed, stepped=updated, optimizer=model, model=model)
    behind = [one for one in behind if one.start_byte <= updated.start_byte and one not in step.forward]
    return _used(evidence, step, behind, statements)


def _scaled(behind: Sequence[Node], block: Sequence[Node], step: Step) -> Step | None:
    """A step whose loss is scaled: gradients that are clipped are divided again before."""
    unscaled = _of_scaler(calls_within(behind, "unscale_"), step)
    updated = _of_scaler(calls_of(block, "update"), step)
    if len(unscaled) > 1 or len(updated) != 1 or updated[0].start_byte < step.stepped.start_byte:
        return None
    if arguments_of(updated[0].named_children[0]).items:
        return None
    first = unscaled[0] if unscaled else None
    if step.clips and (first is None or first.start_byte > step.clips[0].statement.start_byte):
        return None
    if first is not None and not any(in_branches(first, one) for one in behind):
        return None
    return step._replace(unscaled=first, updated=updated[0])


def _of_scaler(calls: Sequence[Node], step: Step) -> list[Node]:
    return [one for one in calls if _receiver_text(one) == step.scaler]


def _receiver_text(statement: Node) -> str:
    receiver = receiver_of(statement)
    return text_of(receiver)


def _computing(
    evidence: Evidence,
    statements: Sequence[Node],
    backward: Sequence[Node],
    zeroed: Sequence[Node],
    losses: tuple[Loss, ...],
) -> Step | None:
    """The forward pass of a step; what the step does with the gradients is still open in the result."""
    forward = _forward(evidence, statements, backward, zeroed, losses)
    if forward is None or (not forward and losses[-1].name):
        return None
    left_out = (*forward, *backward, *zeroed)
    start = forward[-1].end_byte if forward else backward[0].start_byte
    between = [one for one in statements if start <= one.start_byte < backward[-1].start_byte]
    is_early = any(one not in left_out and not is_within(one, left_out) for one in between)
    if is_early and not losses[-1].is_plain:
        return None
    defaults = _defaults(evidence, forward)
    if defaults is None:
        return None
    return Step(forward, losses, tuple(backward), (), backward[-1], backward[-1], defaults, is_early)


def _defaults(evidence: Evidence, forward: Sequence[Node]) -> tuple[str, ...] | None:
    """The variables that statements have from before and assign themselves; None where one may have none."""
    sometimes = sometimes_assigned(evidence, forward) if forward else []
    return (
        tuple(dict.fromkeys([*read_before_assigned(forward), *sometimes])) if sometimes is not None else None
    )


def _forward(
    evidence: Evidence,
    statements: Sequence[Node],
    backward: Sequence[Node],
    zeroed: Sequence[Node],
    losses: Sequence[Loss],
) -> tuple[Node, ...] | None:
    """The statements from the first that the losses depend on to the last, and what stands between them.

    None where one of them cannot be part of a function.
    """
    left_out = {one.id for one in (*zeroed, *backward)}
    before = [one for one in statements if one.end_byte <= backward[-1].start_byte and one.id not in left_out]
    before = behind_optimizers(evidence, before)
    wanted = {name for one in losses for name in (*one.names, one.name)}
    new = new_tensors(evidence, before)
    chosen = without_data(evidence, computing(before, wanted))
    chosen = _from_gap(evidence, before, chosen, new)
    if not chosen:
        return ()
    if any(one.start_byte < chosen[0].start_byte for one in backward):
        return None
    span = from_to(before, chosen[0].start_byte, chosen[-1].end_byte)
    if not all(may_move(evidence, one, new) for one in span) or _is_changed_behind(span, backward, losses):
        return None
    return tuple(span)


def _from_gap(
    evidence: Evidence, before: Sequence[Node], chosen: list[Node], new: Collection[str]
) -> list[Node]:
    """The statements without those that only prepare data, where others that cannot move are behind them.

    A region without gradients does not count to begin with.
    """
    while chosen and is_gradient_free(evidence, chosen[0]):
        chosen = chosen[1:]
    if not chosen:
        return []
    span = [one for one in before if chosen[0].start_byte <= one.start_byte <= chosen[-1].start_byte]
    gaps = [one for one in span if not may_move(evidence, one, new) or one not in chosen]
    if not gaps:
        return chosen
    first = _first_with_weights(evidence, chosen)
    return [one for one in chosen if one.start_byte >= first.start_byte]


def _first_with_weights(evidence: Evidence, chosen: Sequence[Node]) -> Node:
    """The first of statements that may call a model or read a weight, else the last."""
    models = {one for one in models_in(evidence, chosen) if "." not in one}
    for one in chosen:
        if may_have_graph(evidence, one) or reads_weights(evidence, one, models):
            return one
    return chosen[-1]


def _is_changed_behind(chosen: Sequence[Node], backward: Sequence[Node], losses: Sequence[Loss]) -> bool:
    """Whether a loss gets another value behind the call that takes its gradients."""
    return any(
        loss.name in assigned_in([one for one in chosen if one.start_byte > call.start_byte])
        for loss, call in zip(losses, backward, strict=True)
    )
