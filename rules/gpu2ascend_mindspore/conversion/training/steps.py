"""A training step: ``loss.backward(); optimizer.step()`` as a function of which gradients are taken.

The statements that compute the loss become a function without parameters in the place where they stood, so
that they read the same variables. What else it assigns and the program reads later it returns with the loss.
The forms that are written are those of which both sides were run with equal losses and weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import OPTIMIZER
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import ancestors, enclosing, text_of

from ..compiled.constructs import Obstacle
from ..evidence import Evidence
from ..lines import removed, with_comment
from ..use import Reason, Use, changed, refused
from .averaging import averaging_of, is_free
from .causes import Cause, cause_of, reported_once, take_care_around, uses_without_step
from .constant.enabling import switches_gradients
from .forms import step_at
from .identities import ANOTHER, name_for
from .methods import method_called
from .parts.clipping import written_clip
from .parts.compiling import compiled
from .parts.data import with_data_before
from .parts.leaving import FIRST_VJP, can_note, may_leave_out, may_move_more, noting, update_of
from .parts.looking import written_look
from .parts.pairs import MORE
from .parts.partly import left_out_of_step
from .parts.step import Step
from .parts.zeroing import uses_of_emptied
from .phases import Phase, phases_at, uses_of_phases
from .rounds import NAMES, Round, loss_of_round, round_at, uses_of_round
from .scaling import (
    FINITE,
    enabled_by,
    finite,
    header,
    held_by,
    is_checked,
    outermost_loop,
    uses_of_scalers,
    written,
)
from .settings.modes import is_set_before, switch_of
from .writing import GRADIENTS, SUM, edits_of_step, gradients, head_of, mixed, replaced

BACKWARD = "torch.Tensor.backward"
_SWITCHES = ".set_train()"


def uses_of_steps(evidence: Evidence) -> Iterator[Use]:
    """What becomes of every call of ``backward``, with the step around it.

    Lines that several steps write before the same statement are written together, in the order of the steps.
    """
    uses = reported_once(evidence.source.data, list(_Steps(evidence).uses()))
    lines: dict[int, str] = {}
    for edit in (one for use in uses for one in use.edits if one.start == one.end):
        known = lines.get(edit.start, "")
        lines[edit.start] = known if edit.text in known and _SWITCHES in edit.text else known + edit.text
    for use in uses:
        kept = [
            one._replace(text=lines.pop(one.start, "")) if one.start == one.end else one for one in use.edits
        ]
        yield use._replace(edits=tuple(one for one in kept if one.text or one.start != one.end))


class _Steps:
    """The steps of a file, in order, and what those before one have come to."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._done: set[int] = set()
        """Where the calls of ``backward`` begin that are part of a step or a round."""
        self._optimizers: set[str] = set()
        self._unknown: set[str] = set()
        self._scalers: set[str] = set()
        self._keepers: set[int] = set()
        self._zeroed: list[Node] = []

    def uses(self) -> Iterator[Use]:
        """What becomes of each call of ``backward``, and of what its steps leave behind."""
        for name in self._evidence.source.identifiers("backward"):
            attribute = parent_of(name)
            call = parent_of(attribute) if attribute is not None and attribute.type == "attribute" else None
            if call is not None and call.type == "call" and not self._is_done(call):
                yield from self._of_call(call)
        yield from uses_of_emptied(self._evidence, self._zeroed)
        yield from uses_without_step(self._evidence, self._optimizers, self._unknown)
        yield from uses_of_scalers(self._evidence, self._scalers)

    def _is_done(self, call: Node) -> bool:
        """Whether a call is part of a step, or one of a method of the class itself."""
        statement = parent_of(call)
        is_own = statement is not None and method_called(self._evidence, statement) is not None
        return call.start_byte in self._done or is_own

    def _of_call(self, call: Node) -> Iterator[Use]:
        evidence = self._evidence
        step = step_at(evidence, call)
        found = round_at(evidence, call) if step is None else None
        if found is not None and not _has_names(evidence, call):
            self._done.update(part.backward.start_byte for part in found.parts)
            self._optimizers.add(text_of(found.optimizer))
            self._zeroed += found.zeroed
            yield from _of_round(evidence, found)
        elif step is None or _is_taken(evidence, step) or not _fits(evidence, step):
            yield from self._of_methods(call, phases_at(evidence, call) if step is None else None)
        else:
            yield from self._of_step(step, call)

    def _of_methods(self, call: Node, phases: list[Phase] | Cause | None) -> Iterator[Use]:
        """What becomes of a call at the end of a method; refused where there is no update by others."""
        evidence = self._evidence
        if phases is None or isinstance(phases, Cause):
            take_care_around(evidence, call)
            cause = phases or cause_of(evidence, call)
            self._unknown.add(cause.detail if cause.reason is Reason.STEP_OPTIMIZER else "")
            yield refused(BACKWARD, call, *cause)
            return
        self._done.update(one.last.start_byte for phase in phases for one in phase.endings)
        self._optimizers.update(text_of(one.optimizer) for one in phases)
        self._zeroed += [one for phase in phases for one in phase.zeroed]
        yield from uses_of_phases(evidence, phases)

    def _of_step(self, step: Step, call: Node) -> Iterator[Use]:
        self._done.update(one.start_byte for one in step.backward)
        made = _fitted(self._evidence, step, call)
        if not isinstance(made, Obstacle):
            self._optimizers.update(map(text_of, step.optimizers) if step.model is None else ())
            self._scalers.add(step.scaler)
            self._zeroed += step.zeroed
            made = _with_graph(self._evidence, *made, self._keepers)
        if isinstance(made, Obstacle):
            self._evidence.take_care_of(step.backward[-1])
            yield refused(BACKWARD, made.node, made.reason, made.text)
        else:
            yield from _uses(self._evidence, *made)


def _fitted(evidence: Evidence, step: Step, call: Node) -> tuple[Step, list[Edit]] | Obstacle:
    """A step with the name of its function, and what sets the modes of modules for it."""
    left_out = left_out_of_step(evidence, step.forward) if not can_note(evidence) else None
    if left_out is not None:
        return Obstacle(left_out[1], Reason.PARTLY, left_out[0])
    parts = step.forward or step.backward
    is_noted = can_note(evidence) and _leaves_out(evidence, step, parts)
    last, count = step.backward[-1], len(step.backward)
    named = step._replace(function=name_for(evidence, last, step.loss, count), is_noted=is_noted)
    if step.forward and step.region is None:
        named = named._replace(
            forward=with_data_before(evidence, step.forward, place=head_of(evidence, step))
        )
    if step.region is not None:
        leading = (one for one in held_by(step.region) if one.start_byte < step.forward[0].start_byte)
        for one in leading:
            lines = with_comment(evidence.source.data, one)
            evidence.prepared.append((*lines, step.region.start_byte))
    switch = switch_of(evidence, named)
    return (named, switch) if switch is not None else Obstacle(call, Reason.MODE, "")


def _leaves_out(evidence: Evidence, step: Step, parts: Sequence[Node]) -> bool:
    """Whether it matters to a step that its loss may not depend on all parameters."""
    is_asked = any("None" in text_of(one.statement) for one in step.looks)
    if step.model is not None:
        return is_asked and may_leave_out(evidence, [step.model], parts)
    return any(may_move_more(evidence, one, parts, is_asked=is_asked) for one in step.optimizers)


def _with_graph(
    evidence: Evidence, step: Step, switch: list[Edit], keepers: set[int]
) -> tuple[Step, list[Edit]] | Obstacle:
    """A step that is compiled, if that is asked for."""
    if not evidence.context.options.graph:
        return step, switch
    if step.branch is not None:
        return Obstacle(step.backward[-1], Reason.GRAPH_STEP, "")
    parts = (*step.forward, *(one.expression for one in step.losses))
    graph = compiled(evidence, parts, step.optimizer, keepers, frozenset({step.scaler}))
    return graph if isinstance(graph, Obstacle) else (step._replace(graph=graph), switch)


def _of_round(evidence: Evidence, found: Round) -> Iterator[Use]:
    last = found.parts[-1]
    made = [found.made] if found.made is not None else []
    forward = (*(one for part in found.parts for one in part.forward), *made)
    losses = (loss_of_round(last),)
    step = Step(forward, losses, (last.backward,), found.zeroed, found.stepped, found.optimizer)
    if evidence.context.options.graph:
        yield from _refused_round(evidence, found, Reason.GRAPH_STEP)
        return
    if found.made is not None and evidence.context.options.mindspore_version < FIRST_VJP:
        yield from _refused_round(evidence, found, Reason.RELEASE, str(FIRST_VJP))
        return
    switch = switch_of(evidence, step)
    if switch is not None:
        is_noted = can_note(evidence) and may_move_more(evidence, found.optimizer, forward)
        yield from uses_of_round(evidence, found._replace(is_noted=is_noted), switch)
        return
    yield from _refused_round(evidence, found, Reason.MODE)


def _refused_round(evidence: Evidence, found: Round, reason: Reason, detail: str = "") -> Iterator[Use]:
    for statement in (*found.zeroed, found.stepped):
        evidence.take_care_of(statement)
    for part in found.parts:
        evidence.take_care_of(part.backward)
        yield refused(BACKWARD, part.backward, reason, detail)


def _has_names(evidence: Evidence, place: Node) -> bool:
    return any(evidence.source.names.bindings_in_scope(one, place) for one in NAMES)


def _uses(evidence: Evidence, step: Step, switch: list[Edit]) -> Iterator[Use]:
    data = evidence.source.data
    evidence.moved += [(one.start_byte, one.end_byte) for one in step.forward]
    own = None if step.loss or step.is_early else step.losses[-1].expression
    for statement in step.statements:
        evidence.take_care_of(statement, but=own)
    averaging = averaging_of(evidence, step.backward[-1], step.optimizer, GRADIENTS)
    before = (*averaging.before, *(step.graph.before if step.graph is not None else ()))
    edits = [*switch, *before, *edits_of_step(evidence, step, averaging)]
    taken = changed(BACKWARD, step.backward[-1], edits, {"ms", *averaging.needs})
    yield noting(taken, is_noted=step.is_noted)
    for statement in step.backward[:-1]:
        yield changed(BACKWARD, statement, [removed(data, statement)])
    yield from _uses_of_sum(data, step)
    for clip in step.clips:
        yield written_clip(clip, MORE if clip.place else gradients(step))
    for look in step.looks:
        yield from written_look(evidence, look, step.weights, gradients(step), is_noted=step.is_noted)
    if step.model is not None:
        return
    update = update_of(evidence, step.optimizer, gradients(step), is_noted=step.is_noted)
    if step.updated is not None:
        yield from written(data, step.scaler, step.unscaled, step.updated, _checked(step))
        indent = " " * (step.stepped.start_point[1] + 4)
        update = f"if {is_checked(evidence, step.scaler)}:\n{indent}{update}"
        if step.summing is not None and step.unscaled is None:
            update = f"{finite(step.scaler, SUM, step.stepped)}{update}"
    yield changed(f"{OPTIMIZER}.step", step.stepped, [replaced(step.stepped, update)])
    if step.second is not None:
        text = update_of(evidence, step.second.optimizer, MORE, is_noted=step.is_noted)
        edit = replaced(step.second.stepped, text)
        yield changed(f"{OPTIMIZER}.step", step.second.stepped, [edit])


def _checked(step: Step) -> str:
    """The sum of gradients that is divided again where the scaler's own call says so; empty for none."""
    return SUM if step.summing is not None else ""


def _uses_of_sum(data: bytes, step: Step) -> Iterator[Use]:
    """What becomes of the statements that set gradients to zero."""
    is_behind = step.summing is not None and step.summing.loop.end_byte <= step.stepped.start_byte
    for statement in step.zeroed:
        again = step.summing is not None and not is_behind
        edit = replaced(statement, f"{SUM} = None") if again else removed(data, statement)
        yield changed(f"{OPTIMIZER}.zero_grad", statement, [edit])
    if step.started is not None:
        yield changed(f"{OPTIMIZER}.zero_grad", step.started, [replaced(step.started, f"{SUM} = None")])
    elif step.summing is not None:
        loop = step.summing.loop
        text = f"{SUM} = None\n{' ' * loop.start_point[1]}"
        yield changed(f"{OPTIMIZER}.zero_grad", loop, [Edit(loop.start_byte, loop.start_byte, text)])


def _fits(evidence: Evidence, step: Step) -> bool:
    """Whether the text of a step in a region of mixed precision can be written."""
    if step.region is None:
        return True
    condition, loop = enabled_by(step.region), outermost_loop(step.region)
    if condition and loop.id != step.region.id and not is_set_before(evidence, condition, loop):
        return False
    return header(step.region, "") is not None and mixed(evidence, step) is not None


def _is_taken(evidence: Evidence, step: Step) -> bool:
    """Whether the file uses the names that new text needs for something else."""
    names, place = evidence.source.names, step.backward[-1]
    if any(names.bindings_in_scope(one, place) for one in (ANOTHER, GRADIENTS, SUM, FINITE, MORE)):
        return True
    if not is_free(evidence, step.optimizer):
        return True
    regions = (one for one in ancestors(step.backward[-1]) if one.type == "with_statement")
    if not all(switches_gradients(evidence, one) for one in regions):
        return True
    return enclosing(step.backward[-1], "lambda") is not None
