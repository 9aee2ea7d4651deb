"""Several updates in one turn of a loop, as of a generator and a discriminator.

Each call of ``backward`` has a function of its own, and their gradients are added up. What one model made and
another judges is computed once: ``vjp`` keeps the way back to the weights of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import OPTIMIZER
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import arguments_of, field, start_of, text_of

from ..evidence import Evidence
from ..lines import line_starts, removed
from ..use import Use, changed
from .averaging import averaging_of
from .constant.detached import is_detached, is_gradient_free
from .graphs import has_outer_state, may_have_graph, models_in
from .identities import ANOTHER, name_for
from .parts.again import is_graph_used_again
from .parts.calls import calls_of, from_to, receiver_of
from .parts.clipping import CLIPS, Clip, clips_of, written_clip
from .parts.data import called_models, reads_weights, staying, with_data_before, without_data
from .parts.leaving import added_to, noting, owner_of, update_of
from .parts.losses import Loss, keeps_graph, loss_of
from .parts.moving import are_written, may_move
from .parts.zeroing import ZERO, zeroes, zeroing
from .trained import all_trained_by, made_by
from .variables import assigned_in, identifiers_in, is_needed_behind, read_before_assigned

BACKWARD = "torch.Tensor.backward"
_OF_GRADIENTS = CLIPS | {"grad", "unscale_", "retain_grad"}
GRADIENTS, SUM, BACK, SLOPE = "gradients", "gradient_sum", "pull_back", "slope"
NAMES = (ANOTHER, GRADIENTS, SUM, BACK, SLOPE)


class Part(NamedTuple):
    """A call of ``backward``, and the statements that compute its loss."""

    forward: tuple[Node, ...]
    apart: tuple[Node, ...]
    """The statements between them that have no graph for the loss, and move before the first."""
    loss: str
    backward: Node


class Round(NamedTuple):
    """What leads to one update."""

    parts: tuple[Part, ...]
    zeroed: tuple[Node, ...]
    stepped: Node
    optimizer: Node
    made: Node | None
    """The assignment of what the trained model made, where another model judges it."""
    clips: tuple[Clip, ...] = ()
    """The calls that clip the gradients before the update."""
    is_noted: bool = False
    """Whether the program finds out which parameters each loss depends on, and updates those."""


def round_at(evidence: Evidence, call: Node) -> Round | None:
    """The round that a call of ``backward`` is part of; None where it is of no form that is known."""
    statement = parent_of(call)
    block = parent_of(statement)
    if statement is None or block is None or parent_of(block) is None:
        return None
    if parent_type(block) not in ("for_statement", "while_statement"):
        return None
    statements = [one for one in block.named_children if one.type != "comment"]
    segment = _segment(evidence, statements, statement)
    optimizer = receiver_of(segment[-1]) if segment else None
    return _of_segment(evidence, statements, segment, optimizer) if optimizer is not None else None


def _are_before(statements: Sequence[Node], other: Node) -> bool:
    """Whether there are statements, and all of them stand before another."""
    return bool(statements) and statements[-1].start_byte <= other.start_byte


def _are_zeroed(evidence: Evidence, zeroed: Sequence[Node], optimizer: Node) -> bool:
    """Whether statements set the gradients of an optimizer to zero, and else only those of known ones."""
    owners = [owner for one in calls_of(zeroed, ZERO) if (owner := receiver_of(one)) is not None]
    known = all(made_by(evidence, one) or evidence.is_module(one) for one in owners)
    return known and any(zeroes(evidence, one, optimizer) for one in zeroed)


def _of_segment(
    evidence: Evidence, statements: Sequence[Node], segment: list[Node], optimizer: Node
) -> Round | None:
    """The round of a part of a loop's body that ends with a step of an optimizer."""
    trained = all_trained_by(evidence, optimizer)
    backward, zeroed = calls_of(segment, "backward"), zeroing(evidence, segment)
    if not trained or not backward or not _are_before(zeroed, backward[0]):
        return None
    if not _are_zeroed(evidence, zeroed, optimizer):
        return None
    parts = _parts(evidence, segment, backward, zeroed)
    if parts is None or has_outer_state(evidence, [one for part in parts for one in part.forward]):
        return None
    found = _with_clips(evidence, segment, Round(parts, tuple(zeroed), segment[-1], optimizer, None))
    return _of_models(evidence, statements, found, trained) if found is not None else None


def _with_clips(evidence: Evidence, segment: Sequence[Node], found: Round) -> Round | None:
    """A round with what clips its gradients before the update; None where more is done to them."""
    *_, last = found.parts
    clips = clips_of(evidence, from_to(segment, last.backward.end_byte), last.forward, [found.optimizer])
    if clips is None or (clips and evidence.context.options.distributed):
        return None
    behind = from_to(segment, found.parts[0].backward.end_byte)
    others = [one for one in behind if one not in [clip.statement for clip in clips]]
    is_more = any(text_of(name) in _OF_GRADIENTS for one in others for name in _names(one))
    return None if is_more else found._replace(clips=clips)


def _segment(evidence: Evidence, statements: Sequence[Node], place: Node) -> list[Node]:
    """The statements behind the update before a place, up to and with that behind it."""
    steps = [
        one
        for one in calls_of(statements, "step")
        if (owner := receiver_of(one)) is not None and all_trained_by(evidence, owner)
    ]
    before = [one.end_byte for one in steps if one.end_byte <= place.start_byte]
    behind = [one for one in steps if one.start_byte >= place.end_byte]
    if not behind:
        return []
    start = before[-1] if before else 0
    return [one for one in statements if start <= one.start_byte <= behind[0].start_byte]


def _parts(
    evidence: Evidence, segment: Sequence[Node], backward: Sequence[Node], zeroed: Sequence[Node]
) -> tuple[Part, ...] | None:
    found: list[Part] = []
    start = 0
    for statement in backward:
        loss = loss_of(statement)
        if loss is None or loss.expression.type != "identifier":
            return None
        before = [one for one in segment if start <= one.start_byte < statement.start_byte]
        forward, apart = _forward(evidence, [one for one in before if one not in zeroed], loss.name)
        if not forward or (keeps_graph(statement) and is_graph_used_again(evidence, forward)):
            return None
        found.append(Part(forward, apart, loss.name, statement))
        start = statement.end_byte
    return tuple(found)


def _forward(
    evidence: Evidence, statements: Sequence[Node], loss: str
) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The last statements that the loss depends on, and those between them that other models' results are of.

    The latter may come before: what stands before one that may not is no part.
    """
    found: list[Node] = []
    others: list[Node] = []
    apart: list[Node] = []
    wanted = {loss}
    for statement in reversed(statements):
        if set(assigned_in([statement])) & wanted and not is_gradient_free(evidence, statement):
            found[:0] = [statement, *others]
            others = []
            wanted |= {text_of(one) for one in identifiers_in(statement) if not is_detached(one)}
        elif _names_again(statement):
            others.insert(0, statement)
        elif _may_be_apart(evidence, statement):
            apart.insert(0, statement)
        else:
            break
    return _contiguous(evidence, found, apart)


def _contiguous(
    evidence: Evidence, needed: Sequence[Node], apart: Sequence[Node]
) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """What a loss needs behind the last statement that stays there, and what may come before."""
    fixed = staying(evidence, needed, apart)
    start = fixed[-1].end_byte if fixed else 0
    forward = tuple(one for one in needed if one.start_byte >= start)
    if not all(one.type == "expression_statement" and may_move(evidence, one) for one in forward):
        return (), ()
    return forward, tuple(one for one in apart if forward and one.start_byte > forward[0].start_byte)


def _may_be_apart(evidence: Evidence, statement: Node) -> bool:
    """Whether a statement does nothing but give variables what modules make of data, or what has no graph."""
    if not may_move(evidence, statement) or not assigned_in([statement]):
        return False
    are_modules = all(evidence.is_module(one) for one in called_models(evidence, [statement]))
    return are_modules or not may_have_graph(evidence, statement)


def _names_again(statement: Node) -> bool:
    """Whether a statement gives a variable another name, and does nothing else: ``score = output``."""
    inner = statement.named_children[0] if len(statement.named_children) == 1 else statement
    value = field(inner, "right") if inner.type == "assignment" else None
    return value is not None and value.type == "identifier"


def _of_models(
    evidence: Evidence, statements: Sequence[Node], found: Round, trained: Sequence[str]
) -> Round | None:
    """A round whose functions compute all that the gradients are of, but for what one made before."""
    made = [one for one in statements for model in trained if _is_made_by(one, model)]
    names = {name for one in made for name in assigned_in([one])}
    earlier = from_to(statements, 0, found.stepped.start_byte)
    direct = all({*trained} <= {*models_in(evidence, part.forward)} for part in found.parts)
    if any(_reads_graph(evidence, earlier, part, found, set() if direct else names) for part in found.parts):
        return None
    if direct:
        return found
    if any(len(one) != 1 for one in (found.parts, made, trained)) or not _are_assigned_once(names, earlier):
        return None
    is_judged = _inputs(found.parts[0]) & names
    return _of_judged(evidence, earlier, found, made[0], names, trained[0]) if is_judged else None


def _are_assigned_once(names: set[str], statements: Sequence[Node]) -> bool:
    every = [name for one in statements for name in assigned_in([one])]
    return all(every.count(name) == 1 for name in names)


def _reads_graph(
    evidence: Evidence, earlier: Sequence[Node], part: Part, found: Round, allowed: set[str]
) -> bool:
    """Whether a part reads what an earlier statement gives a graph, but for some names."""
    read = _inputs(part) - allowed
    return any(
        bool(read.intersection(assigned_in([one]))) and _gives_graph(evidence, one, found) for one in earlier
    )


def _of_judged(
    evidence: Evidence, earlier: Sequence[Node], found: Round, made: Node, names: set[str], trained: str
) -> Round | None:
    """A round that judges what a statement before has made with the model that is trained."""
    if trained in models_in(evidence, found.parts[0].forward):
        return None
    judged = [one for one in earlier if one not in found.parts[0].forward and one is not made]
    if any(_uses_graph(evidence, one, names) for one in judged) or are_written(judged, names):
        return None
    return found._replace(made=made)


def _uses_graph(evidence: Evidence, statement: Node, names: set[str]) -> bool:
    """Whether a statement gives variables to a model with the graph that they have."""
    read = {text_of(one) for one in identifiers_in(statement) if not is_detached(one)}
    return bool(read & names) and bool(models_in(evidence, [statement]))


def _gives_graph(evidence: Evidence, statement: Node, found: Round) -> bool:
    """Whether a statement outside of a part may give it a graph."""
    if any(one.id == statement.id for part in found.parts for one in part.forward):
        return False
    if is_gradient_free(evidence, statement):
        return False
    models = models_in(evidence, [statement]) if may_have_graph(evidence, statement) else []
    if any("." not in one or "self." in one for one in models):
        return True
    called = (name for part in found.parts for name in models_in(evidence, part.forward))
    return reads_weights(evidence, statement, {one for one in called if "." not in one})


def _inputs(part: Part) -> set[str]:
    """What a part reads and does not assign itself first, unless it is detached."""
    assigned = set(assigned_in(part.forward))
    before = set(read_before_assigned(part.forward))
    every = {text_of(one) for node in part.forward for one in identifiers_in(node) if not is_detached(one)}
    return (every - assigned) | before


def _is_made_by(statement: Node, model: str) -> bool:
    """``fake = model(noise, labels)``, with plain arguments."""
    assignment = statement.named_children[0] if statement.named_children else None
    if assignment is None or assignment.type != "assignment":
        return False
    target, value = field(assignment, "left"), field(assignment, "right")
    if target is None or target.type != "identifier" or value is None or value.type != "call":
        return False
    function, arguments = field(value, "function"), arguments_of(value)
    given = len(arguments.items)
    plain = given > 0 and len(arguments.positional) == given and not arguments.unpacked
    return function is not None and text_of(function) == model and plain


def uses_of_round(evidence: Evidence, found: Round, switch: Sequence[Edit]) -> Iterator[Use]:
    """What becomes of the statements of a round."""
    found = found._replace(parts=tuple(_with_data_before(evidence, one) for one in found.parts))
    data = evidence.source.data
    several = len(found.parts) > 1
    total = SUM if several else GRADIENTS
    averaging = averaging_of(evidence, found.stepped, found.optimizer, total)
    for statement in (*found.zeroed, found.stepped, *(part.backward for part in found.parts)):
        evidence.take_care_of(statement)
    for index, part in enumerate(found.parts):
        evidence.moved += [(one.start_byte, one.end_byte) for one in part.forward]
        outer = [*switch, *averaging.before] if index == 0 else []
        edits = [*_function(evidence, found, part), *outer]
        call = _call(evidence, found, part, is_first=index == 0)
        edit = Edit(part.backward.start_byte, part.backward.end_byte, call)
        yield noting(changed(BACKWARD, part.backward, [*edits, edit], {"ms"}), is_noted=found.is_noted)
    for statement in found.zeroed:
        yield changed(f"{OPTIMIZER}.zero_grad", statement, [removed(data, statement)])
    for clip in found.clips:
        evidence.take_care_of(clip.statement)
        yield written_clip(clip, total)
    if found.made is not None:
        yield changed("torch.nn.Module", found.made, _kept(found, found.made), {"ms"})
    averaged = f"{averaging.lines.lstrip()}\n{' ' * found.stepped.start_point[1]}" if averaging.lines else ""
    text = f"{averaged}{update_of(evidence, found.optimizer, total, is_noted=found.is_noted)}"
    edit = Edit(found.stepped.start_byte, found.stepped.end_byte, text)
    yield changed(f"{OPTIMIZER}.step", found.stepped, [edit], averaging.needs)


def _with_data_before(evidence: Evidence, part: Part) -> Part:
    """A part whose function computes only what the loss has a graph of."""
    forward = without_data(evidence, [*part.forward])
    apart = [one for one in part.apart if one.start_byte > forward[0].start_byte]
    statements = sorted([*forward, *apart], key=start_of)
    return part._replace(
        forward=with_data_before(evidence, statements, apart, place=statements[0].start_byte)
    )


def _kept(found: Round, made: Node) -> Iterator[Edit]:
    """``fake = model(noise)`` with the way back to the weights."""
    assignment = made.named_children[0]
    target, value = field(assignment, "left"), field(assignment, "right")
    arguments = arguments_of(value).items if value is not None else ()
    function = field(value, "function")
    if target is None or value is None or not arguments or function is None:
        return
    yield Edit(target.end_byte, target.end_byte, f", {BACK}")
    vjp = f"{owner_of(is_noted=found.is_noted)}.vjp({text_of(function)}, "
    yield Edit(function.start_byte, arguments[0].value.start_byte, vjp)
    behind = f", weights={text_of(found.optimizer)}.parameters)"
    yield Edit(arguments[-1].value.end_byte, value.end_byte, behind)


def _function(evidence: Evidence, found: Round, part: Part) -> Iterator[Edit]:
    first, last = part.forward[0], part.forward[-1]
    indent = " " * first.start_point[1]
    defaults = [f"{name}={name}" for name in read_before_assigned(part.forward)]
    if found.made is not None:
        defaults = [assigned_in([found.made])[0], *defaults]
    name = name_for(evidence, part.backward, part.loss)
    yield Edit(first.start_byte, first.start_byte, f"def {name}({', '.join(defaults)}):\n{indent}    ")
    spans = [(one.start_byte - one.start_point[1], one.end_byte) for one in found.zeroed]
    spans += [(begin, end) for begin, end, _ in evidence.prepared]
    for start in line_starts(evidence.source.data, first.start_byte, last.end_byte):
        if not any(begin <= start < end for begin, end in spans):
            yield Edit(start, start, "    ")
    returned = ", ".join([part.loss, *_outputs(part, evidence.source)])
    yield Edit(last.end_byte, last.end_byte, f"\n{indent}    return {returned}")


def _outputs(part: Part, source: SourceFile) -> list[str]:
    names = (name for name in assigned_in(part.forward) if name != part.loss)
    return [name for name in names if is_needed_behind(name, part.forward, source)]


def _call(evidence: Evidence, found: Round, part: Part, *, is_first: bool) -> str:
    indent = " " * part.backward.start_point[1]
    outputs = _outputs(part, evidence.source)
    taken = f"({', '.join([part.loss, *outputs])})" if outputs else part.loss
    more = ", has_aux=True" if outputs else ""
    function = name_for(evidence, part.backward, part.loss)
    if found.made is not None:
        name = assigned_in([found.made])[0]
        text = f"{taken}, {SLOPE} = ms.value_and_grad({function}, 0{more})({name})"
        return f"{text}\n{indent}_, {GRADIENTS} = {BACK}({SLOPE})"
    goal = SUM if is_first and len(found.parts) > 1 else GRADIENTS
    owner, weights = owner_of(is_noted=found.is_noted), f"{text_of(found.optimizer)}.parameters"
    more += added_to(SUM, is_noted=found.is_noted and not is_first)
    text = f"{taken}, {goal} = {owner}.value_and_grad({function}, None, {weights}{more})()"
    if not is_first:
        text += f"\n{indent}{SUM} = tuple(a + b for a, b in zip({SUM}, {GRADIENTS}))"
    return text


def loss_of_round(part: Part) -> Loss:
    """The loss of a part."""
    function = field(part.backward.named_children[0], "function")
    expression = field(function, "object")
    assert expression is not None
    return Loss(frozenset({part.loss}), part.loss, expression, "")


def _names(node: Node) -> Iterator[Node]:
    return (one for one in nodes_in(node) if one.type == "identifier")
