"""Flags of parameters that are off while another optimizer updates: ``p.requires_grad = False`` and back.

They spare PyTorch gradients that nobody uses. A step of MindSpore takes those of its own optimizer alone, so
that they go, where the parameters of each optimizer are on in each of its steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.syntax import (
    LOOPS,
    ancestors,
    arguments_of,
    call_of,
    enclosing,
    field,
    last_name,
    same,
    text_of,
)

from ...elsewhere import may_be_off_elsewhere
from ...evidence import Evidence
from ...lines import removed
from ...training.identities import Identity, identity
from ...training.parts.calls import from_to, is_within, receiver_of, statements_of
from ...training.parts.flags import Toggle, flags_set
from ...training.parts.zeroing import without_blank_lines
from ...training.settings.beginning import begins_in_training
from ...training.trained import made_by, owners_trained_by
from ...use import Use, changed

_API = "torch.Tensor.requires_grad"
_LEAVES = ("return_statement", "yield", "break_statement", "continue_statement")
_SCOPES = ("function_definition", "module", "lambda")


def uses_of_toggles(evidence: Evidence) -> Iterator[Use]:
    """The statements that set such flags, and the functions that do nothing else, all of them or none."""
    flags, functions, toggles = flags_set(evidence)
    spans = [*(one.statement for one in toggles), *functions]
    if not _are_all_known(evidence, flags, functions, toggles) or not _are_spared(evidence, toggles):
        return
    if may_be_off_elsewhere(evidence):
        return
    for node in spans:
        evidence.take_care_of(node)
        without = without_blank_lines if node.type == "function_definition" else removed
        yield changed(_API, node, [without(evidence.source.data, node)])


def _are_all_known(
    evidence: Evidence, flags: Sequence[Node], functions: Sequence[Node], toggles: Sequence[Toggle]
) -> bool:
    """Whether there are such statements, and nothing else uses flags, or the functions that set them."""
    called = [one.statement for one in toggles]
    names = [field(one, "name") for one in functions]
    uses = [use for name in names for use in evidence.source.identifiers(text_of(name))]
    return bool(toggles) and all(is_within(one, [*called, *functions]) for one in (*flags, *uses))


def _are_spared(evidence: Evidence, toggles: Sequence[Toggle]) -> bool:
    """Whether all flags are on in the steps that use them, so that they only spare gradients."""
    by_model: dict[Identity, list[Toggle]] = {}
    for toggle in toggles:
        for model in toggle.models:
            by_model.setdefault(identity(evidence, model), []).append(toggle)
    return all(_is_on_where_used(evidence, model, of_it) for model, of_it in by_model.items())


def _is_on_where_used(evidence: Evidence, model: Identity, toggles: Sequence[Toggle]) -> bool:
    """Whether a model's flags are on in each step that updates it, as far as the file shows.

    That of a part of another is not known: an optimizer of the whole updates it, too.
    """
    if all(one.is_on for one in toggles):
        return _is_made_here(evidence, model, toggles)
    if not any(one.is_on for one in toggles):
        return False
    updates = [(one, by, owners_trained_by(evidence, by)) for one, by in _updates(evidence)]
    if not all(owners for _, _, owners in updates):
        return False
    own = [(one, by) for one, by, owners in updates if model in (identity(evidence, each) for each in owners)]
    return bool(own) and _is_on_in(evidence, own, [one for one, *_ in updates], toggles)


def _is_on_in(
    evidence: Evidence, own: Sequence[tuple[Node, Node]], updates: Sequence[Node], toggles: Sequence[Toggle]
) -> bool:
    """Whether the flags are on in some of the updates, from their losses on, and where the optimizers are
    made."""
    places = [one for one, _ in own]
    return (
        all(_is_on_at(one, toggles) and _is_made_on(evidence, by, toggles) for one, by in own)
        and not _are_set_within(evidence, places, updates, toggles)
        and not _leads_to(toggles, places)
    )


def _are_set_within(
    evidence: Evidence, own: Sequence[Node], updates: Sequence[Node], toggles: Sequence[Toggle]
) -> bool:
    """Whether the flags are set between the losses of a step and its update: PyTorch asks them before."""
    for update in own:
        function = enclosing(update, "function_definition", "module") or update
        earlier = [one.start_byte for one in from_to(updates, function.start_byte, update.start_byte)]
        begin = max([function.start_byte, *earlier])
        starts = [start for start, _ in evidence.moved if begin <= start < update.start_byte]
        within = from_to([one.statement for one in toggles], min(starts), update.start_byte) if starts else []
        if within:
            return True
    return False


def _leads_to(toggles: Sequence[Toggle], updates: Sequence[Node]) -> bool:
    """Whether a function that updates the model is called while its flags are off."""
    around = (enclosing(one, "function_definition") for one in updates)
    names = {text_of(field(one, "name")) for one in around if one is not None}
    between = [each for one in toggles if not one.is_on for each in _until_on(one, toggles)]
    return any(last_name(one) in names for each in between for one in nodes_in(each) if one.type == "call")


def _is_made_on(evidence: Evidence, optimizer: Node, toggles: Sequence[Toggle]) -> bool:
    """Whether the flags are on where an optimizer is made."""
    return all(_is_on_at(one, toggles) for one in made_by(evidence, optimizer))


def _is_made_here(evidence: Evidence, model: Identity, toggles: Sequence[Toggle]) -> bool:
    """Whether the file makes a model, so that its flags are on from there."""
    named = (each for one in toggles for each in one.models if identity(evidence, each) == model)
    return all(begins_in_training(evidence, one) for one in named)


def _updates(evidence: Evidence) -> Iterator[tuple[Node, Node]]:
    """The statements that update by an optimizer, or by what may be one, and that."""
    for name in evidence.source.identifiers("step"):
        call = call_of(parent_of(name)) if parent_type(name) == "attribute" else None
        statement = parent_of(call)
        receiver = receiver_of(statement) if call is not None and statement is not None else None
        if call is None or statement is None or receiver is None or _is_schedule(evidence, receiver):
            continue
        first = arguments_of(call).at(0)
        yield statement, first.value if first is not None else receiver


def _is_schedule(evidence: Evidence, receiver: Node) -> bool:
    found = evidence.instance(receiver)
    return found is not None and ".lr_scheduler." in found.class_name


def _is_on_at(place: Node, toggles: Sequence[Toggle]) -> bool:
    """Whether the flags are on at a place, by the last statement before it that sets them.

    Where there is none in its function, which does not make the models, each that turns them off must have
    one behind it that turns them on.
    """
    for around in (place, *ancestors(place)):
        turn = _last_in(around, toggles)[0] if around.type in LOOPS else []
        before, is_certain = _set_before(around, toggles)
        if not all(one.is_on for one in (*turn, *before)):
            return False
        if is_certain:
            return True
        if around.type == "module" or (around.type in _SCOPES and _makes(around, toggles)):
            return True
        if around.type in _SCOPES:
            break
    return all(one.is_on or _is_set_back(one, toggles) for one in toggles)


def _set_before(statement: Node, toggles: Sequence[Toggle]) -> tuple[list[Toggle], bool]:
    """The last statements in a block before another that may set the flags, and whether one is sure to."""
    block = parent_of(statement)
    if block is None or block.type not in ("block", "module"):
        return [], False
    return _last_of([one for one in block.named_children if one.end_byte <= statement.start_byte], toggles)


def _last_of(statements: Sequence[Node], toggles: Sequence[Toggle]) -> tuple[list[Toggle], bool]:
    """The last of statements that may set the flags, and whether one is sure to."""
    found: list[Toggle] = []
    for statement in reversed(statements):
        inside, is_certain = _last_in(statement, toggles)
        found += inside
        if is_certain:
            return found, True
    return found, False


def _makes(function: Node, toggles: Sequence[Toggle]) -> bool:
    """Whether each call of a function makes the models anew whose flags it sets."""
    targets = [field(one, "left") for one in nodes_in(function) if one.type == "assignment"]
    made = {text_of(each) for one in targets if one is not None for each in (one, *one.named_children)}
    return all(text_of(model) in made for one in toggles for model in one.models)


def _last_in(statement: Node, toggles: Sequence[Toggle]) -> tuple[list[Toggle], bool]:
    """The same of a statement: of a loop what its next turn begins with, of branches that of each."""
    own = [one for one in toggles if same(one.statement, statement)]
    if own or not any(is_within(one.statement, [statement]) for one in toggles):
        return own, bool(own)
    if statement.type in ("block", "module", "with_statement"):
        return _last_of(statement.named_children, toggles)
    arms = [_last_in(one, toggles)[0] for one in statement.named_children]
    return [one for arm in arms for one in arm], False


def _is_set_back(toggle: Toggle, toggles: Sequence[Toggle]) -> bool:
    """Whether the flags are on again behind a statement, in the same block, which nothing leaves before."""
    block = parent_of(toggle.statement)
    between = _until_on(toggle, toggles)
    is_on = any(
        one.is_on and one.statement.start_byte > toggle.statement.start_byte
        for one in toggles
        if same(parent_of(one.statement), block)
    )
    return is_on and not any(one.type in _LEAVES for each in between for one in nodes_in(each))


def _until_on(toggle: Toggle, toggles: Sequence[Toggle]) -> list[Node]:
    """The statements of its block behind one that turns the flags off, up to one that turns them on."""
    block, end = parent_of(toggle.statement), toggle.statement.end_byte
    behind = [one.statement for one in toggles if one.is_on and same(parent_of(one.statement), block)]
    ends = (one.start_byte for one in from_to(behind, end))
    return from_to(statements_of(block), end, min(ends, default=inf))
