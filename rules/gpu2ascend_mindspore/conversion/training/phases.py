"""The updates of a method that calls others which end in ``backward``, and the text that they become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import OPTIMIZER, is_module
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_type
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import enclosing, field, same, text_of

from ..evidence import Evidence
from ..lines import removed
from ..use import Reason, Use, changed
from .averaging import averaging_of
from .causes import Cause, short
from .identities import Identity, identity
from .methods import (
    Ending,
    always_assigned,
    are_only_called,
    are_overridden,
    attributes_read,
    endings_of,
    method_called,
    no_plain_calls,
    others_assigning,
    reached_by,
    updating,
    uses_any,
)
from .outside import are_changed_elsewhere
from .parts.calls import calls_of, from_to, receiver_of, statements_of
from .parts.clipping import Clip, clips_of, written_clip
from .parts.flags import sets_flags
from .parts.leaving import FIRST_VJP, can_note, may_move_more, noting, owner_of, update_of
from .parts.losses import keeps_graph, loss_of
from .parts.partly import left_out_of_step
from .parts.step import Step
from .parts.zeroing import zeroes, zeroing
from .rounds import BACK, BACKWARD, GRADIENTS, NAMES, SLOPE
from .settings.modes import switch_of
from .trained import all_trained_by, owners_trained_by
from .variables import attributes_assigned_in


class Phase(NamedTuple):
    """One update, and the methods that compute its losses."""

    calls: tuple[Node, ...]
    """The statements that call methods which end in ``backward``."""
    endings: tuple[Ending, ...]
    zeroed: tuple[Node, ...]
    stepped: Node
    optimizer: Node
    between: tuple[Node, ...] = ()
    """The other calls of methods since the update before."""
    made: tuple[Node, ...] = ()
    """Those that compute what the losses have a graph of, here."""
    before: Node | None = None
    """The one that does so before another update."""
    kept: str = ""
    """The attribute that it gives: ``self.fake``."""
    clips: tuple[Clip, ...] = ()
    switched: tuple[str, ...] = ()
    """What has the models train: ``self.net.set_train()``."""
    is_noted: bool = False

    @property
    def computing(self) -> list[Node]:
        """The calls of methods that compute what the losses have a graph of."""
        return [*self.made, *([self.before] if self.before is not None else [])]

    @property
    def written(self) -> list[Node]:
        """The statements in whose place there is new text."""
        return [*([self.before] if self.before is not None else []), self.calls[-1]]


def phases_at(evidence: Evidence, backward: Node) -> list[Phase] | Cause | None:
    """The updates that a ``backward`` at the end of a method is for; None where it is of no such method."""
    function = updating(evidence, backward)
    if function is None or same(function, enclosing(backward, "function_definition")):
        return None
    statements = statements_of(field(function, "body"))
    found = _split(evidence, statements)
    if not found or isinstance(found, Cause):
        return found or None
    has_names = any(evidence.source.names.bindings_in_scope(one, found[0].stepped) for one in NAMES)
    if parent_type(function) == "decorated_definition" or has_names:
        return Cause(Reason.STEP)
    if evidence.context.options.graph:
        return Cause(Reason.GRAPH_STEP)
    return _all_whole(evidence, statements, found)


def _all_whole(evidence: Evidence, statements: Sequence[Node], found: Sequence[Phase]) -> list[Phase] | Cause:
    """Updates with what computes all that their losses have gradients of; why not where that is not shown."""
    endings = [one for phase in found for one in phase.endings]
    kept = next((one.last for one in endings if one.is_backward and keeps_graph(one.last)), None)
    if kept is not None:
        return Cause(Reason.STEP_KEPT, short(kept))
    calls = [one for phase in found for one in phase.calls]
    done = _each_whole(evidence, statements, found)
    if isinstance(done, Cause):
        return done
    rest = ([one for phase in done for one in phase.computing], calls, [one.optimizer for one in done])
    if not are_only_called(evidence, endings, calls) or are_changed_elsewhere(evidence, endings, *rest):
        return Cause(Reason.STEP_METHODS, text_of(field(endings[0].function, "name")))
    return done


def _each_whole(
    evidence: Evidence, statements: Sequence[Node], found: Sequence[Phase]
) -> list[Phase] | Cause:
    done: list[Phase] = []
    for phase in found:
        whole = _whole(evidence, statements, phase, done)
        if isinstance(whole, Cause):
            return whole
        done.append(whole)
    return Cause(Reason.MODE) if _are_switched_late(done) else done


def _are_switched_late(phases: Sequence[Phase]) -> bool:
    """Whether a method that stays as it is runs before the models are switched to training."""
    place = min(one.start_byte for phase in phases for one in phase.written)
    moved = [one.id for phase in phases for one in phase.computing]
    left = [one for phase in phases for one in phase.between if one.id not in moved]
    return any(one.switched for one in phases) and any(one.start_byte < place for one in left)


def _split(evidence: Evidence, statements: Sequence[Node]) -> list[Phase] | Cause:
    """The updates of the statements of a method, in order."""
    found: list[Phase] = []
    steps = [one for one in calls_of(statements, "step") if _trains(evidence, receiver_of(one))]
    start = 0
    for stepped in steps:
        optimizer = receiver_of(stepped)
        own = from_to(statements, start, stepped.start_byte)
        start = stepped.end_byte
        phase = _phase(evidence, own, stepped, optimizer) if optimizer is not None else Cause(Reason.STEP)
        if isinstance(phase, Cause):
            return phase
        found.append(phase)
    behind = from_to(statements, start)
    late = next((one for one in behind if any(endings_of(evidence, each) for each in nodes_in(one))), None)
    return Cause(Reason.STEP_STATEMENT, short(late)) if late is not None else found


def _trains(evidence: Evidence, optimizer: Node | None) -> bool:
    return optimizer is not None and bool(all_trained_by(evidence, optimizer))


def _phase(evidence: Evidence, own: Sequence[Node], stepped: Node, optimizer: Node) -> Phase | Cause:
    """The update that some statements are for; why there is none where one of them is not known."""
    endings = {one.id: found for one in own if (found := endings_of(evidence, one))}
    calls = [one for one in own if one.id in endings]
    zeroed = zeroing(evidence, own)
    if not calls or not owners_trained_by(evidence, optimizer):
        return Cause(Reason.STEP_OPTIMIZER, text_of(optimizer))
    if not any(zeroes(evidence, one, optimizer) for one in from_to(zeroed, 0, calls[0].start_byte)):
        return Cause(Reason.STEP_ZERO, text_of(optimizer))
    return _with_others(evidence, own, Phase((*calls,), (), (*zeroed,), stepped, optimizer), endings)


def _with_others(
    evidence: Evidence, own: Sequence[Node], phase: Phase, endings: Mapping[int, Sequence[Ending]]
) -> Phase | Cause:
    """An update with what its other statements do; why there is none where one of them is not known."""
    calls, optimizer = phase.calls, phase.optimizer
    clips = clips_of(evidence, from_to(own, calls[-1].end_byte), calls, [optimizer]) or ()
    known = {one.id for one in (*calls, *phase.zeroed, *(clip.statement for clip in clips))}
    others = [one for one in own if one.id not in known and not _is_passive(evidence, one)]
    fixed = [one for one in others if not _may_be_between(evidence, one, calls[0])]
    is_more = bool(clips) and evidence.context.options.distributed
    fixed = fixed or no_plain_calls([*calls, *others])
    if fixed or is_more:
        return Cause(Reason.STEP_STATEMENT, short([*fixed, *calls][0]))
    chains = tuple(each for one in calls for each in endings[one.id])
    return phase._replace(endings=chains, between=(*others,), clips=clips)


def _may_be_between(evidence: Evidence, statement: Node, call: Node) -> bool:
    """Whether a statement calls a method before the losses."""
    return method_called(evidence, statement) is not None and statement.start_byte < call.start_byte


def _is_passive(evidence: Evidence, statement: Node) -> bool:
    """Whether a statement computes nothing: a text, or one that sets flags."""
    is_text = bool(statement.named_children) and statement.named_children[0].type == "string"
    return is_text or sets_flags(evidence, statement)


def _whole(
    evidence: Evidence, statements: Sequence[Node], phase: Phase, done: Sequence[Phase]
) -> Phase | Cause:
    """An update with what computes all that its losses have gradients of; why not where that is not shown."""
    models = {identity(evidence, one) for one in owners_trained_by(evidence, phase.optimizer)}
    made = [one for one in phase.between if _uses(evidence, [one], models)]
    made = from_to(phase.between, made[0].start_byte) if made else []
    own = reached_by(evidence, [*made, *phase.calls])
    read = attributes_read(evidence, own) - always_assigned(reached_by(evidence, made))
    start = (*made, *phase.calls)[0].start_byte
    earlier = _earlier(evidence, from_to(statements, 0, start), models, read)
    known = [*own, *reached_by(evidence, earlier)]
    if others_assigning(evidence, read, models, known):
        return Cause(Reason.STEP_OUTSIDE)
    if are_overridden(evidence, known):
        return Cause(Reason.STEP_METHODS, text_of(field(known[0], "name")))
    phase = phase._replace(made=(*made,))
    if earlier:
        joined = _kept_for(evidence, statements, phase, earlier, read, models, done)
        if isinstance(joined, Cause):
            return joined
        phase = joined
    elif not _uses(evidence, [*made, *phase.calls], models):
        return Cause(Reason.STEP_OUTSIDE)
    return _ready(evidence, phase, [*reached_by(evidence, earlier), *own])


def _earlier(
    evidence: Evidence, statements: Sequence[Node], models: set[Identity], read: set[str]
) -> list[Node]:
    """The calls of methods that give attributes which are read a graph of models, also by each other."""
    given: set[str] = set()
    found: list[Node] = []
    for one in statements:
        own = reached_by(evidence, [one]) if method_called(evidence, one) is not None else []
        if own and (_uses(evidence, [one], models) or attributes_read(evidence, own) & given):
            given |= _given_by(evidence, one)
            found += [one] if _given_by(evidence, one) & read else []
    return found


def _uses(evidence: Evidence, statements: Sequence[Node], models: set[Identity]) -> bool:
    return uses_any(evidence, [*statements, *reached_by(evidence, statements)], models)


def _given_by(evidence: Evidence, statement: Node) -> set[str]:
    """The attributes that the methods of a call give values."""
    return {name for one in reached_by(evidence, [statement]) for name in attributes_assigned_in(one)}


def _kept_for(
    evidence: Evidence,
    statements: Sequence[Node],
    phase: Phase,
    earlier: Sequence[Node],
    read: set[str],
    models: set[Identity],
    done: Sequence[Phase],
) -> Phase | Cause:
    """An update whose losses go through one attribute, which a method gave before another update."""
    first = earlier[0]
    names = read & _given_by(evidence, first)
    shared = Cause(Reason.STEP_SHARED, short(first))
    is_taken = any(first.id in [one.id for one in each.computing] for each in done)
    if len(earlier) > 1 or len(names) != 1 or is_taken or _uses(evidence, phase.calls, models) or phase.made:
        return shared
    (name,) = names
    within = from_to(statements, first.end_byte, phase.calls[0].start_byte)
    moved = [one for one in within if sets_flags(evidence, one) and uses_any(evidence, [one], models)]
    if moved:
        return Cause(Reason.STEP_STATEMENT, short(moved[0]))
    if evidence.context.options.mindspore_version < FIRST_VJP:
        return Cause(Reason.RELEASE, str(FIRST_VJP))
    return phase._replace(before=first, kept=name)


def _ready(evidence: Evidence, phase: Phase, functions: Sequence[Node]) -> Phase | Cause:
    """An update whose models are in training, and what its parameters have to be asked for."""
    forward = tuple(one for each in functions for one in statements_of(field(each, "body")))
    losses = tuple(one for one in (loss_of(each.last) for each in phase.endings) if one is not None)
    step = Step(forward, losses, phase.calls, phase.zeroed, phase.stepped, phase.optimizer)
    switch = switch_of(evidence, step)
    if switch is None or any(not one.text.startswith("self.") for one in switch):
        return Cause(Reason.MODE)
    phase = phase._replace(switched=tuple(name for one in switch for name in one.text.split()))
    if can_note(evidence):
        return phase._replace(is_noted=may_move_more(evidence, phase.optimizer, forward))
    left_out = left_out_of_step(evidence, forward)
    return Cause(Reason.PARTLY, left_out[0]) if left_out is not None else phase


def uses_of_phases(evidence: Evidence, phases: Sequence[Phase]) -> Iterator[Use]:
    """What becomes of the statements of updates, and of the methods that compute their losses."""
    endings = {one.function.id: one for phase in phases for one in phase.endings}.values()
    for ending in endings:
        if ending.is_backward:
            evidence.take_care_of(ending.last, but=ending.loss)
            yield changed(BACKWARD, ending.last, [*_returning(evidence, ending)], {"ms"})
    more = [edit for one in endings if not one.is_backward for edit in _returning(evidence, one)]
    lines = dict.fromkeys(one for phase in phases for one in phase.switched)
    first = min(one.start_byte for phase in phases for one in phase.written)
    for phase in phases:
        yield from _uses_of_phase(evidence, phase, more, {first: [*lines]})
        more = []


def _returning(evidence: Evidence, ending: Ending) -> Iterator[Edit]:
    """The end of a method that gives its loss."""
    last, loss = ending.last, ending.loss
    if not ending.is_backward:
        if loss is None:
            yield Edit(last.start_byte, last.start_byte, "return ")
        elif not ending.is_returned:
            text = f"\n{' ' * last.start_point[1]}return {text_of(loss)}"
            yield Edit(last.end_byte, last.end_byte, text)
    elif ending.is_returned or loss is None:
        yield removed(evidence.source.data, last)
    else:
        yield Edit(last.start_byte, loss.start_byte, "return ")
        yield Edit(loss.end_byte, last.end_byte, "")


def _uses_of_phase(
    evidence: Evidence, phase: Phase, more: Sequence[Edit], switched: Mapping[int, Sequence[str]]
) -> Iterator[Use]:
    data, last = evidence.source.data, phase.calls[-1]
    evidence.moved += [(one.start_byte, one.end_byte) for one in (*phase.made, *phase.calls)]
    for one in (*phase.zeroed, phase.stepped):
        evidence.take_care_of(one)
    gone = [removed(data, one) for one in (*phase.made, *phase.calls[:-1])]
    texts = [_keeping(evidence, phase, phase.before)] if phase.before is not None else []
    texts.append(_taking(evidence, phase))
    for at, one in enumerate(phase.written):
        lines = (f"{line}\n{' ' * one.start_point[1]}" for line in switched.get(one.start_byte, ()))
        texts[at] = "".join(lines) + texts[at]
    edits = [*more, *gone, Edit(last.start_byte, last.end_byte, texts[-1])]
    needs = {"ms", "ops"} if phase.kept else {"ms"}
    yield noting(changed(BACKWARD, last, edits, needs), is_noted=phase.is_noted)
    if phase.before is not None:
        evidence.called.append((phase.before.start_byte, phase.before.end_byte))
        edit = Edit(phase.before.start_byte, phase.before.end_byte, texts[0])
        yield noting(changed("torch.nn.Module", phase.before, [edit], {"ms"}), is_noted=phase.is_noted)
    for one in phase.zeroed:
        yield changed(f"{OPTIMIZER}.zero_grad", one, [removed(data, one)])
    for clip in phase.clips:
        evidence.take_care_of(clip.statement)
        yield written_clip(clip, GRADIENTS)
    averaging = averaging_of(evidence, phase.stepped, phase.optimizer, GRADIENTS)
    averaged = averaging.lines.lstrip()
    update = update_of(evidence, phase.optimizer, GRADIENTS, is_noted=phase.is_noted)
    text = f"{averaged}\n{' ' * phase.stepped.start_point[1]}{update}" if averaged else update
    edit = Edit(phase.stepped.start_byte, phase.stepped.end_byte, text)
    yield changed(f"{OPTIMIZER}.step", phase.stepped, [*averaging.before, edit], averaging.needs)


def _keeping(evidence: Evidence, phase: Phase, before: Node) -> str:
    """A call that gives an attribute, with the way back to the weights."""
    indent, name = " " * before.start_point[1], phase.kept.removeprefix("self.")
    weights = f"weights={text_of(phase.optimizer)}.parameters"
    return (
        f"def compute_{name}():\n{indent}    {_called(evidence, before)}\n{indent}    return {phase.kept}\n"
        f"{indent}_, {BACK} = {owner_of(is_noted=phase.is_noted)}.vjp(compute_{name}, {weights})"
    )


def _taking(evidence: Evidence, phase: Phase) -> str:
    """The call that takes the gradients of the losses, with the function that it needs."""
    calls = [_called(evidence, one) for one in phase.calls]
    indent, name = " " * phase.calls[-1].start_point[1], phase.kept.removeprefix("self.")
    function = _name(phase)
    lines = [*(_called(evidence, one) for one in phase.made), f"return {' + '.join(calls)}"]
    if phase.kept:
        lines = [f"{phase.kept} = {name}", *lines]
    body = "".join(f"\n{indent}    {one}" for one in lines)
    if phase.kept:
        head, taken = f"def {function}({name}):{body}\n{indent}", f"ops.stop_gradient({phase.kept})"
        text = f"{head}_, {SLOPE} = ms.value_and_grad({function}, 0)({taken})"
        return f"{text}\n{indent}_, {GRADIENTS} = {BACK}({SLOPE})"
    is_plain = len(lines) == 1 and len(calls) == 1
    head = "" if is_plain else f"def {function}():{body}\n{indent}"
    goal = calls[0].removesuffix("()") if is_plain else function
    owner, weights = owner_of(is_noted=phase.is_noted), f"{text_of(phase.optimizer)}.parameters"
    return f"{head}_, {GRADIENTS} = {owner}.value_and_grad({goal}, None, {weights})()"


def _called(evidence: Evidence, statement: Node) -> str:
    """The text of a call of a method, which may be that of a module."""
    owner = enclosing(statement, "class_definition")
    base = evidence.context.instances.classes.torch_base(owner) if owner is not None else None
    is_forward = text_of(statement) == "self.forward()" and base is not None and is_module(base)
    return "self.construct()" if is_forward else text_of(statement)


def _name(phase: Phase) -> str:
    """What the function of the losses is called: by the one loss, or the optimizer."""
    whole = text_of(phase.endings[0].loss) if len(phase.calls) == 1 else ""
    optimizer = text_of(phase.optimizer).rpartition(".")[2]
    return f"compute_{whole.rpartition('.')[2]}" if whole else f"compute_losses_of_{optimizer}"
