"""A training step: ``loss.backward(); optimizer.step()`` as a function of which gradients are taken.

The statements that compute the loss become a function without parameters in the place where they stood, so
that they read the same variables. What else it assigns and the program reads later it returns with the loss.
The forms that are written are those of which both sides were run with equal losses and weights.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import OPTIMIZER
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import ancestors, enclosing, field, text_of

from ..compiled.constructs import Obstacle
from ..evidence import Evidence
from ..use import Reason, Use, changed, refused
from .averaging import Averaging, averaging_of, is_free
from .causes import cause_of, reported_once, take_care_around, uses_without_step
from .constant.detached import heads_of_regions
from .forms import Step, step_at
from .graphs import models_in
from .identities import FUNCTION, name_for
from .lines import line_starts, removed, unwrapped, with_comment
from .parts.clipping import written_clip
from .parts.compiling import compiled
from .parts.data import with_data_before
from .parts.looking import written_look
from .parts.moving import regions_without_effect
from .parts.pairs import MORE, divided
from .parts.partly import left_out_of_step
from .parts.zeroing import uses_of_emptied
from .rounds import NAMES, Round, loss_of_round, round_at, uses_of_round
from .scaling import (
    FINITE,
    enabled_by,
    finite,
    header,
    held_by,
    is_checked,
    outermost_loop,
    takes_part,
    uses_of_scalers,
    written,
)
from .settings.modes import is_set_before, switch_of
from .trained import trained_by
from .variables import assigned_in, is_needed_behind

BACKWARD = "torch.Tensor.backward"
FIRST_VJP = Version(2, 9)
"""The first release of MindSpore whose ``vjp`` gives gradients of weights."""
GRADIENTS, SUM = "gradients", "gradient_sum"
"""What new text calls the gradients, and the sum of those of several turns."""
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
            if call is not None and call.type == "call" and call.start_byte not in self._done:
                yield from self._of_call(call)
        yield from uses_of_emptied(self._evidence, self._zeroed)
        yield from uses_without_step(self._evidence, self._optimizers, self._unknown)
        yield from uses_of_scalers(self._evidence, self._scalers)

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
            take_care_around(evidence, call)
            cause = cause_of(evidence, call)
            self._unknown.add(cause.detail if cause.reason is Reason.STEP_OPTIMIZER else "")
            yield refused(BACKWARD, call, *cause)
        else:
            yield from self._of_step(step, call)

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
    left_out = left_out_of_step(evidence, step.forward)
    if left_out is not None:
        return Obstacle(left_out[1], Reason.PARTLY, left_out[0])
    last, count = step.backward[-1], len(step.backward)
    named = step._replace(function=name_for(evidence, last, step.loss, count))
    if step.forward and step.region is None:
        named = named._replace(
            forward=with_data_before(evidence, step.forward, place=_head_of(evidence, step))
        )
    if step.region is not None:
        leading = (one for one in held_by(step.region) if one.start_byte < step.forward[0].start_byte)
        for one in leading:
            lines = with_comment(evidence.source.data, one)
            evidence.prepared.append((*lines, step.region.start_byte))
    switch = switch_of(evidence, named)
    return (named, switch) if switch is not None else Obstacle(call, Reason.MODE, "")


def _head_of(evidence: Evidence, step: Step) -> int:
    """Where the function begins: with the line of a region that does nothing, which goes for a graph."""
    first = step.forward[0]
    is_unwrapped = evidence.context.options.graph and regions_without_effect(evidence, [first])
    return first.start_byte - first.start_point[1] if is_unwrapped else first.start_byte


def _with_graph(
    evidence: Evidence, step: Step, switch: list[Edit], keepers: set[int]
) -> tuple[Step, list[Edit]] | Obstacle:
    """A step that is compiled, if that is asked for."""
    if not evidence.context.options.graph:
        return step, switch
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
        yield from uses_of_round(evidence, found, switch)
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
    edits = [*switch, *before, *_edits(evidence, step, averaging)]
    yield changed(BACKWARD, step.backward[-1], edits, {"ms", *averaging.needs})
    for statement in step.backward[:-1]:
        yield changed(BACKWARD, statement, [removed(data, statement)])
    yield from _uses_of_sum(data, step)
    for clip in step.clips:
        yield written_clip(clip, MORE if clip.place else _gradients(step))
    for look in step.looks:
        yield from written_look(evidence, look, step.weights, _gradients(step))
    if step.model is not None:
        return
    update = f"{text_of(step.optimizer)}({_gradients(step)})"
    if step.updated is not None:
        yield from written(data, step.scaler, step.unscaled, step.updated, _checked(step))
        indent = " " * (step.stepped.start_point[1] + 4)
        update = f"if {is_checked(evidence, step.scaler)}:\n{indent}{update}"
        if step.summing is not None and step.unscaled is None:
            update = f"{finite(step.scaler, SUM, step.stepped)}{update}"
    yield changed(f"{OPTIMIZER}.step", step.stepped, [_written(step.stepped, update)])
    if step.second is not None:
        edit = _written(step.second.stepped, f"{text_of(step.second.optimizer)}({MORE})")
        yield changed(f"{OPTIMIZER}.step", step.second.stepped, [edit])


def _checked(step: Step) -> str:
    """The sum of gradients that is divided again where the scaler's own call says so; empty for none."""
    return SUM if step.summing is not None else ""


def _uses_of_sum(data: bytes, step: Step) -> Iterator[Use]:
    """What becomes of the statements that set gradients to zero."""
    is_behind = step.summing is not None and step.summing.loop.end_byte <= step.stepped.start_byte
    for statement in step.zeroed:
        again = step.summing is not None and not is_behind
        edit = _written(statement, f"{SUM} = None") if again else removed(data, statement)
        yield changed(f"{OPTIMIZER}.zero_grad", statement, [edit])
    if step.started is not None:
        yield changed(f"{OPTIMIZER}.zero_grad", step.started, [_written(step.started, f"{SUM} = None")])
    elif step.summing is not None:
        loop = step.summing.loop
        text = f"{SUM} = None\n{' ' * loop.start_point[1]}"
        yield changed(f"{OPTIMIZER}.zero_grad", loop, [Edit(loop.start_byte, loop.start_byte, text)])


def _gradients(step: Step) -> str:
    return GRADIENTS if step.summing is None else SUM


def _written(statement: Node, text: str) -> Edit:
    return Edit(statement.start_byte, statement.end_byte, text)


def _edits(evidence: Evidence, step: Step, averaging: Averaging) -> Iterator[Edit]:
    """The function around the forward pass, and the call that takes its gradients."""
    backward = step.backward[-1]
    several = len(step.losses) > 1 or bool(step.scaler) or not step.loss
    outputs = [name for name in _outputs(step, evidence.source) if several or name != step.loss]
    call = _call(step, outputs, averaging, several=several)
    if not step.forward:
        indent = " " * backward.start_point[1]
        yield from _around(step, f"{_head(step)}\n{indent}    return ", "", f"\n{indent}{call}")
        return
    first, last = step.forward[0], step.forward[-1]
    if step.region is None:
        yield from _indented(evidence, step)
        inner = " " * (first.start_point[1] + 4)
    else:
        yield from _for_region(evidence, step, step.region)
        inner = " " * first.start_point[1]
    indent = " " * backward.start_point[1]
    if not step.loss and not step.is_early:
        more = "".join(f", {name}" for name in outputs)
        yield from _around(step, f"{inner[len(indent) :]}return ", more, f"\n{indent}{call}")
        return
    total = " + ".join(text_of(one.expression) for one in step.losses)
    result = f"\n{inner}return {', '.join([total, *outputs])}"
    if step.is_early:
        yield Edit(last.end_byte, last.end_byte, f"{result}\n{indent}{call}")
        yield removed(evidence.source.data, backward)
        return
    yield Edit(last.end_byte, last.end_byte, result)
    yield Edit(backward.start_byte, backward.end_byte, call)


def _around(step: Step, before: str, more: str, behind: str) -> Iterator[Edit]:
    """The edits that leave of ``backward`` only the expression of the loss, with text around it."""
    backward, loss = step.backward[-1], step.losses[-1].expression
    yield Edit(backward.start_byte, loss.start_byte, before)
    yield Edit(loss.end_byte, backward.end_byte, f"{more}{behind}")


def _call(step: Step, outputs: list[str], averaging: Averaging, *, several: bool) -> str:
    """The call that takes the gradients, and what is done with them at once."""
    indent = " " * step.backward[-1].start_point[1]
    kept = ["_" if several else step.loss, *outputs]
    taken = f"({', '.join(kept)})" if outputs else kept[0]
    more = ", has_aux=True" if outputs else ""
    function = f"ms.value_and_grad({step.function}, None, {step.weights}{more})"
    made, call = step.graph.lines(function, indent) if step.graph is not None else ("", f"{function}()")
    text = f"{made}{taken}, {GRADIENTS} = {call}{averaging.lines}"
    if step.second is not None:
        text += divided(step.optimizer, step.second, GRADIENTS, indent)
    if step.summing is not None:
        pairs = f"tuple(a + b for a, b in zip({SUM}, {GRADIENTS}))"
        text += f"\n{indent}{SUM} = {GRADIENTS} if {SUM} is None else {pairs}"
    elif step.scaler:
        text += f"\n{indent}{finite(step.scaler, GRADIENTS, step.backward[-1]).rstrip()}"
    return text


def _head(step: Step) -> str:
    defaults = tuple(f"{name}={name}" for name in step.defaults)
    return f"def {step.function}({', '.join(defaults if step.graph is None else step.graph.names)}):"


def _indented(evidence: Evidence, step: Step) -> Iterator[Edit]:
    """The head of the function, and its body by a level deeper."""
    first, last = step.forward[0], step.forward[-1]
    deeper = "    "
    indent = " " * first.start_point[1]
    plain = regions_without_effect(evidence, step.forward) if step.graph is not None else []
    start = _head_of(evidence, step)
    if start < first.start_byte:
        yield Edit(start, start, f"{indent}{_head(step)}\n")
    else:
        yield Edit(first.start_byte, first.start_byte, f"{_head(step)}\n{indent}{deeper}")
    gone = [*step.zeroed, *step.backward[:-1]] if step.summing is None else []
    removals = [removed(evidence.source.data, one) for one in gone]
    spans = [(edit.start, edit.end) for edit in removals]
    spans += heads_of_regions(evidence, step.forward, plain)
    spans += [(begin, end) for begin, end, _ in evidence.prepared]
    for region in plain:
        body = field(region, "body")
        if body is not None:
            yield from unwrapped(evidence.source.data, region, body, len(deeper)) or ()
    for start in line_starts(evidence.source.data, first.start_byte, last.end_byte):
        if not any(begin <= start < end for begin, end in spans):
            yield Edit(start, start, deeper)


def _for_region(evidence: Evidence, step: Step, region: Node) -> Iterator[Edit]:
    """The head of the function in the place of that of a region, and the model's own mixed precision."""
    edit, model = header(region, _head(step)), _mixed(evidence, step)
    assert edit is not None and model is not None
    yield edit
    yield from takes_part(evidence, region, model, outermost_loop(region))
    clause = region.named_children[0]
    evidence.take_care_of(clause)


def _mixed(evidence: Evidence, step: Step) -> str | None:
    """The model whose forward pass is in a region: that of the optimizer, or the only one that is called."""
    models = models_in(evidence, step.forward)
    trained = trained_by(evidence, step.optimizer, step.forward)
    if trained is not None:
        return trained if trained in models else None
    return models[0] if len(models) == 1 else None


def _fits(evidence: Evidence, step: Step) -> bool:
    """Whether the text of a step in a region of mixed precision can be written."""
    if step.region is None:
        return True
    condition, loop = enabled_by(step.region), outermost_loop(step.region)
    if condition and loop.id != step.region.id and not is_set_before(evidence, condition, loop):
        return False
    return header(step.region, "") is not None and _mixed(evidence, step) is not None


def _outputs(step: Step, source: SourceFile) -> list[str]:
    """What the forward pass assigns and the rest of the function, or of the module, reads."""
    if not step.forward:
        return []
    names = assigned_in(step.forward)
    return [name for name in names if is_needed_behind(name, step.forward, source)]


def _is_taken(evidence: Evidence, step: Step) -> bool:
    """Whether the file uses the names that new text needs for something else."""
    names, place = evidence.source.names, step.backward[-1]
    if any(names.bindings_in_scope(one, place) for one in (FUNCTION, GRADIENTS, SUM, FINITE, MORE)):
        return True
    if not is_free(evidence, step.optimizer):
        return True
    if any(one.type == "with_statement" for one in ancestors(step.backward[-1])):
        return True
    return enclosing(step.backward[-1], "lambda") is not None
