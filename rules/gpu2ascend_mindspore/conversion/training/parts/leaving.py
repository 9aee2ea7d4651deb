"""Parameters that a loss may not depend on: an optimizer of PyTorch leaves them alone in such a step.

They have no gradient there. ``ms.value_and_grad`` gives zeros, with which an optimizer of MindSpore moves
them by weight decay, momentum and its moments. Where the file does not show that a loss depends on all
parameters, the helper file notes, at each step, on which it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from gpu2ascend_rules.codemods.program import Program
from gpu2ascend_rules.engine.scan import scan_definitions
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    call_of,
    enclosing,
    field,
    last_name,
    parts_of,
    same,
    text_of,
)

from ...evidence import Evidence
from ...use import Reason, Use, refused
from ..identities import identity
from ..trained import made_by, owners_trained_by
from ..variables import assigned_in
from .partly import WITHOUT_WEIGHTS, layers_left_out, left_out_of_step
from .zeroing import ZERO

FIRST_NODES = Version(2, 9)
"""The first release of MindSpore that shows what a tensor was computed of."""
FIRST_VJP = Version(2, 9)
"""The first release of MindSpore whose ``vjp`` gives gradients of weights."""
_PARTS = frozenset({"update"})
_NEEDS = frozenset({"like_torch"})
_CUTS = re.compile(
    r"\.detach\(|no_grad|inference_mode|set_grad_enabled|\.data\b|\.item\(|\.numpy\(|\.tolist\(|arg(?:max|min|sort)"
    r"|multinomial|bernoulli|\.(?:long|int|bool|round|floor|ceil|sign)\("
)
"""What gradients do not go through."""
_CHOICES = frozenset({"if_statement", "conditional_expression", "match_statement", "try_statement"})
_SEVERAL = frozenset({"expression_list", "tuple", "list", "dictionary", "list_comprehension"})
_BASES = re.compile(r"^\((?:\w+\.)*(?:Module|Sequential|_Loss)\)$")
"""Classes that use all that they are given."""
_OF_MOMENTS = re.compile(r"\b(?:momentum|weight_decay)\s*=|\*")


def may_move_more(
    evidence: Evidence, optimizer: Node, statements: Sequence[Node], *, is_asked: bool = False
) -> bool:
    """Whether an optimizer may move what a loss does not depend on, or the program asks what that is."""
    if not is_asked and _moves_by_gradients_alone(evidence, optimizer):
        return False
    return may_leave_out(evidence, owners_trained_by(evidence, optimizer), statements)


def may_leave_out(evidence: Evidence, owners: Sequence[Node], statements: Sequence[Node]) -> bool:
    """Whether a loss that statements compute may not depend on all parameters of modules."""
    nodes = [one for statement in statements for one in nodes_in(statement)]
    called = {
        identity(evidence, function) for one in nodes if (function := field(one, "function")) is not None
    }
    if not owners or not {identity(evidence, one) for one in owners} <= called:
        return True
    if any(_is_cut(one, assigned_in(statements)) for one in nodes):
        return True
    if not all(_is_known(evidence, one) for one in owners) or left_out_of_step(evidence, statements):
        return True
    return evidence.source.once((may_leave_out,), lambda: any(_hints(evidence)))


def uses_of_partly(evidence: Evidence) -> Iterator[Use]:
    """The layers that some calls leave out, where the program cannot find out in which."""
    if can_note(evidence):
        return
    for _, forward in scan_definitions(evidence.source, ["forward"]):
        owner = enclosing(forward, "class_definition")
        for name, place in layers_left_out(evidence, owner, forward) if owner is not None else ():
            yield refused("torch.nn.Module.forward", place, Reason.PARTLY, name)


def owner_of(*, is_noted: bool) -> str:
    """What has the function that takes gradients."""
    return "like_torch" if is_noted else "ms"


def update_of(evidence: Evidence, optimizer: Node, gradients: str, *, is_noted: bool) -> str:
    """The call that updates the parameters of an optimizer."""
    name = text_of(optimizer)
    if not is_noted:
        return f"{name}({gradients})"
    kept = evidence.source.once((update_of,), lambda: next(_kept_as_zeros(evidence), None))
    return f"like_torch.update({name}, {gradients}{f', set_to_none={kept}' if kept else ''})"


def added_to(gradients: str, *, is_noted: bool) -> str:
    """The argument that says what the gradients are added to that a call takes; empty where nothing asks."""
    return f", added_to={gradients}" if is_noted else ""


def _kept_as_zeros(evidence: Evidence) -> Iterator[str]:
    """What calls of ``zero_grad`` say where gradients may stay, as zeros: ``set_to_none=False``."""
    for name in evidence.source.identifiers(ZERO):
        call = call_of(parent_of(name))
        given = arguments_of(call).get("set_to_none", 0) if call is not None else None
        if given is not None and text_of(given.value) != "True":
            yield text_of(given.value)


def noting(use: Use, *, is_noted: bool) -> Use:
    """A use that may note the parameters of a loss."""
    if not is_noted:
        return use
    return use._replace(needs=use.needs | _NEEDS, parts=use.parts | _PARTS)


def can_note(evidence: Evidence) -> bool:
    """Whether the program can find out what a loss depends on: not in a graph, nor in an older release."""
    options = evidence.context.options
    return not options.graph and options.mindspore_version >= FIRST_NODES


def _moves_by_gradients_alone(evidence: Evidence, optimizer: Node) -> bool:
    """Whether an optimizer leaves alone whatever has gradients of zero: SGD without momentum and decay."""
    made = made_by(evidence, optimizer)
    return bool(made) and all(
        last_name(one) == "SGD"
        and len(arguments_of(one).positional) <= 2
        and not _OF_MOMENTS.search(text_of(field(one, "arguments")))
        for one in made
    )


def _is_cut(node: Node, computed: Sequence[str]) -> bool:
    """Whether gradients do not go through what a node makes of computed variables, or only in some calls."""
    if node.type in ("call", "attribute", "with_statement"):
        body = field(node, "body")
        head = body.start_byte - node.start_byte if body is not None else None
        names = {text_of(one) for one in nodes_in(node) if one.type == "identifier"}
        is_of_computed = body is not None or not names.isdisjoint(computed)
        return is_of_computed and bool(_CUTS.search(text_of(node)[:head]))
    return node.type in _CHOICES


def _is_known(evidence: Evidence, owner: Node) -> bool:
    """Whether a module is one of torch, or its class is in the file."""
    found = evidence.instance(owner)
    return found is not None and (found.definition is not None or ".nn." in found.class_name)


def _hints(evidence: Evidence) -> Iterator[bool]:
    """Whether each class of modules in the file, and each use of one, may leave out parameters."""
    yield _imports_modules(evidence)
    gives_several = False
    for name in evidence.source.identifiers("forward"):
        definition, owner = enclosing(name, "function_definition"), enclosing(name, "class_definition")
        body = field(owner, "body")
        if owner is None or body is None or definition is None:
            continue
        yield _may_miss(evidence, owner, definition, body)
        gives_several = gives_several or _gives_several(definition)
    if gives_several:
        yield not _are_all_read(evidence)


def _imports_modules(evidence: Evidence) -> bool:
    """Whether files that this one reaches define modules, which may be parts of those here."""
    program = Program(evidence.source, evidence.context.project)
    try:
        return any(b"def forward(" in one.data for one in program.files if one.path != evidence.source.path)
    finally:
        program.forget()


def _may_miss(evidence: Evidence, owner: Node, forward: Node, body: Node) -> bool:
    used = "\n".join(_reached_from("forward", body))
    if _CUTS.search(used) or any(layers_left_out(evidence, owner, forward)):
        return True
    if not _BASES.search(text_of(field(owner, "superclasses"))):
        return True
    held = _held(evidence, owner)
    names = {*re.findall(r"\bself\.(\w+)", used)}
    picked = {*re.findall(r"\bself\.(\w+)\[", used)}
    return not all(known and name in names - picked for name, known in held.items())


def _reached_from(name: str, body: Node) -> list[str]:
    """The texts of a method of a class and of those of its methods that it calls."""
    methods = {text_of(field(one, "name")): text_of(one) for one in body.named_children}
    found, wanted = {}, [name]
    while wanted:
        name = wanted.pop()
        if name in methods and name not in found:
            found[name] = methods[name]
            wanted += re.findall(r"\bself\.(\w+)", methods[name])
    return list(found.values())


def _held(evidence: Evidence, owner: Node) -> dict[str, bool]:
    """The attributes of a module that may have parameters, and whether their classes are known."""
    found: dict[str, bool] = {}
    for target, value in (one for node in nodes_in(owner) for one in _given(node)):
        instance = evidence.instance(value)
        kind = instance.class_name if instance is not None else ""
        is_own = instance is not None and instance.definition is not None
        is_attribute = text_of(target).startswith("self.") and text_of(target).count(".") == 1
        if not is_attribute or value.type != "call" or WITHOUT_WEIGHTS.search(kind):
            continue
        if is_own or evidence.is_module(value) or last_name(value) == "Parameter":
            is_known = is_own or ".nn." in kind or last_name(value) == "Parameter"
            found[text_of(target).removeprefix("self.")] = is_known
    return found


def _given(node: Node) -> Iterator[tuple[Node, Node]]:
    """What an assignment gives each of its targets: ``self.a, self.b = A(), B()``."""
    target, value = field(node, "left"), field(node, "right")
    if node.type == "assignment" and target is not None and value is not None:
        are_many = target.type == "pattern_list" and value.type == "expression_list"
        yield from zip(parts_of(target), parts_of(value), strict=False) if are_many else [(target, value)]


def _gives_several(forward: Node) -> bool:
    """Whether a module may give more than one tensor."""
    values = [one.named_children[0] for one in nodes_in(forward) if _returns(one)]
    names = {text_of(one) for one in values if one.type == "identifier"}
    given = [one for node in nodes_in(forward) for one in _given(node)]
    values += [value for target, value in given if text_of(target) in names]
    return any(one.type in _SEVERAL for one in values)


def _returns(node: Node) -> bool:
    return node.type == "return_statement" and bool(node.named_children)


def _are_all_read(evidence: Evidence) -> bool:
    """Whether all that modules of the file's own give is read, in the calls that compute it."""
    found = [node for node in nodes_in(evidence.source.root) if _calls_own_module(evidence, node)]
    return bool(found) and all(_is_whole(one) for one in found)


def _calls_own_module(evidence: Evidence, node: Node) -> bool:
    value = field(node, "right") if node.type == "assignment" else None
    function = field(value, "function") if value is not None and value.type == "call" else None
    found = evidence.instance(function) if function is not None else None
    return found is not None and found.definition is not None and bool(found.class_name)


def _is_whole(assignment: Node) -> bool:
    """Whether each of several results is read behind where it is assigned, in the same branch."""
    target, scope = field(assignment, "left"), enclosing(assignment, "function_definition", "module")
    around = enclosing(assignment, *_CHOICES)
    read = {
        text_of(one)
        for one in nodes_in(scope or assignment)
        if one.type == "identifier"
        and one.start_byte > assignment.end_byte
        and ((inner := enclosing(one, *_CHOICES)) == around or same(inner, around))
    }
    if target is None or target.type != "pattern_list":
        return False
    return {text_of(one) for one in parts_of(target)} <= read
