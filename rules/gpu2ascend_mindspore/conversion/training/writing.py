"""The text of a training step: the function of its losses, and the call that takes the gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import field, text_of

from ..evidence import Evidence
from ..lines import line_starts, removed, unwrapped
from .averaging import Averaging
from .constant.detached import heads_of_regions, span_of_head
from .constant.enabling import region_around
from .graphs import models_in
from .parts.leaving import added_to, owner_of
from .parts.moving import regions_without_effect
from .parts.pairs import divided
from .parts.step import Step
from .scaling import finite, header, outermost_loop, takes_part
from .trained import trained_by
from .variables import assigned_in, is_needed_behind

GRADIENTS, SUM = "gradients", "gradient_sum"
"""What new text calls the gradients, and the sum of those of several turns."""


def head_of(evidence: Evidence, step: Step) -> int:
    """Where the function begins: with the line of a region that does nothing, which goes for a graph."""
    first = step.forward[0]
    is_unwrapped = evidence.context.options.graph and regions_without_effect(evidence, [first])
    return first.start_byte - first.start_point[1] if is_unwrapped else first.start_byte


def gradients(step: Step) -> str:
    return GRADIENTS if step.summing is None else SUM


def replaced(statement: Node, text: str) -> Edit:
    return Edit(statement.start_byte, statement.end_byte, text)


def edits_of_step(evidence: Evidence, step: Step, averaging: Averaging) -> Iterator[Edit]:
    """The function around the forward pass, and the call that takes its gradients."""
    backward = step.backward[-1]
    several = len(step.losses) > 1 or bool(step.scaler) or not step.loss
    outputs = [name for name in _outputs(step, evidence.source) if several or name != step.loss]
    call = _call(step, outputs, averaging, several=several)
    indent = " " * backward.start_point[1]
    if not step.forward:
        yield from _around(step, f"{_head(step)}\n{indent}    return ", "", f"\n{indent}{call}")
        return
    first, last = step.forward[0], step.forward[-1]
    yield from _indented(evidence, step) if step.region is None else _for_region(evidence, step, step.region)
    inner = " " * (last.start_point[1] + 4 if step.region is None else first.start_point[1])
    if not step.loss and not step.is_early:
        more = "".join(f", {name}" for name in outputs)
        yield from _around(step, f"{inner[len(indent) :]}return ", more, f"\n{indent}{call}")
        return
    total = " + ".join(text_of(one.expression) for one in step.losses)
    result = f"\n{inner}return {', '.join([total, *outputs])}"
    plain = f"{', '.join(_results(step, outputs, several=several))} = {step.function}()"
    if step.is_early:
        result += f"\n{inner[4:]}{_early(step, call, plain, inner[4:])}"
        yield removed(evidence.source.data, backward)
    else:
        yield Edit(backward.start_byte, backward.end_byte, call)
        yield from [step.branch.otherwise(plain)] if step.branch is not None else []
    yield Edit(last.end_byte, last.end_byte, result)


def _early(step: Step, call: str, plain: str, indent: str) -> str:
    """The call right behind the function, as it stands there."""
    column = step.backward[-1].start_point[1]
    if step.branch is None:
        return call.replace(f"\n{' ' * column}", f"\n{indent}")
    call = call.replace(f"\n{' ' * column}", f"\n{indent}    ")
    return step.branch.both(call, plain, indent)


def _results(step: Step, outputs: list[str], *, several: bool) -> list[str]:
    """The variables that get what the function gives."""
    return ["_" if several else step.loss, *outputs]


def _around(step: Step, before: str, more: str, behind: str) -> Iterator[Edit]:
    """The edits that leave of ``backward`` only the expression of the loss, with text around it."""
    backward, loss = step.backward[-1], step.losses[-1].expression
    yield Edit(backward.start_byte, loss.start_byte, before)
    yield Edit(loss.end_byte, backward.end_byte, f"{more}{behind}")


def _call(step: Step, outputs: list[str], averaging: Averaging, *, several: bool) -> str:
    """The call that takes the gradients, and what is done with them at once."""
    indent = " " * step.backward[-1].start_point[1]
    kept = _results(step, outputs, several=several)
    taken = f"({', '.join(kept)})" if outputs else kept[0]
    more = ", has_aux=True" if outputs else ""
    more += added_to(SUM, is_noted=step.is_noted and step.summing is not None)
    function = (
        f"{owner_of(is_noted=step.is_noted)}.value_and_grad({step.function}, None, {step.weights}{more})"
    )
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
    start = head_of(evidence, step)
    if start < first.start_byte:
        yield Edit(start, start, f"{indent}{_head(step)}\n")
    else:
        yield Edit(first.start_byte, first.start_byte, f"{_head(step)}\n{indent}{deeper}")
    spans = _left_alone(evidence, step, plain)
    for region in plain:
        body = field(region, "body")
        if body is not None:
            left = unwrapped(evidence.source.data, region, body, len(deeper))
            yield from left.edits if left is not None else ()
    for start in line_starts(evidence.source.data, first.start_byte, last.end_byte):
        if not any(begin <= start < end for begin, end in spans):
            yield Edit(start, start, deeper)


def _left_alone(evidence: Evidence, step: Step, plain: Sequence[Node]) -> list[tuple[int, int]]:
    """Where lines are that go, or move elsewhere."""
    gone = [*step.zeroed, *step.backward[:-1]] if step.summing is None else []
    removals = [removed(evidence.source.data, one) for one in gone]
    spans = [(edit.start, edit.end) for edit in removals]
    spans += heads_of_regions(evidence, step.forward, plain)
    around = {one.id: one for each in step.forward if (one := region_around(evidence, each)) is not None}
    spans += [span_of_head(one) for one in around.values() if one.start_byte > step.forward[0].start_byte]
    return spans + [(begin, end) for begin, end, _ in evidence.prepared]


def _for_region(evidence: Evidence, step: Step, region: Node) -> Iterator[Edit]:
    """The head of the function in the place of that of a region, and the model's own mixed precision."""
    edit, model = header(region, _head(step)), mixed(evidence, step)
    assert edit is not None and model is not None
    yield edit
    yield from takes_part(evidence, region, model, outermost_loop(region))
    clause = region.named_children[0]
    evidence.take_care_of(clause)


def mixed(evidence: Evidence, step: Step) -> str | None:
    """The model whose forward pass is in a region: that of the optimizer, or the only one that is called."""
    models = models_in(evidence, step.forward)
    trained = trained_by(evidence, step.optimizer, step.forward)
    if trained is not None:
        return trained if trained in models else None
    return models[0] if len(models) == 1 else None


def _outputs(step: Step, source: SourceFile) -> list[str]:
    """What the forward pass assigns and the rest of the function, or of the module, reads."""
    if not step.forward:
        return []
    names = assigned_in(step.forward)
    return [name for name in names if is_needed_behind(name, step.forward, source)]
