"""The parameters of a module: all of them, where ``trainable_params()`` leaves out those that are frozen.

What an optimizer is given, what is frozen, and what is asked for the flag are those that are trained.
Elsewhere a helper gives all, under the names that PyTorch has for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.inference.classes.torch_classes import is_module
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    ancestors,
    arguments_of,
    call_of,
    enclosing,
    field,
    is_field,
    last_name,
    text_of,
)

from ....correspondences.call_edits import edits_of
from ....correspondences.rendering import Slot
from ....correspondences.values import Refused
from ....helpers import MINDSPORE
from ...evidence import Evidence
from ...training.trained import given_value, owners_of_all
from ...use import Reason, Use, changed, helped, refused, written

_MODULE = "torch.nn.Module."
_NAMES = ("parameters", "named_parameters")
_KEYWORDS = frozenset({"prefix", "recurse"})
_LOOPS = ("for_statement", "for_in_clause")
_FLAG = re.compile(r"\brequires_grad\b")


def uses_of_parameters(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each call that gives the parameters of a module."""
    yield from _of_several(evidence)
    for ref in scan_members(evidence.source, _NAMES):
        call, name = call_of(ref.node), field(ref.node, "attribute")
        if call is None or name is None or ref.receiver_name is not None:
            continue
        if evidence.is_taken_care_of(ref.node) or _is_of_another(evidence, ref.receiver):
            continue
        evidence.take_care_of(ref.node, but=ref.receiver)
        yield _written(evidence, call, ref.receiver, ref.name, name)


def _of_several(evidence: Evidence) -> Iterator[Use]:
    """The parameters of several modules for one optimizer: equal names of theirs would raise there."""
    for call in _optimizers(evidence):
        first = arguments_of(call).get("params", 0)
        owners = owners_of_all(evidence, first.value) if first is not None else []
        if first is None or len(owners) < 2 or not all(evidence.is_module(one) for one in owners):
            continue
        value = given_value(evidence, first.value)
        if evidence.is_taken_care_of(value):
            continue
        between = [piece for one in owners for piece in (", ", Slot(one))][1:]
        try:
            edits = edits_of(value, ["nn.CellList([", *between, "]).trainable_params()"])
        except Refused:
            continue
        evidence.take_care_of(value)
        yield changed(f"{_MODULE}parameters", value, edits, {"nn"})


def joins_modules(evidence: Evidence) -> bool:
    """Whether an optimizer has the parameters of several modules, so that their own names change."""
    given = [arguments_of(call).get("params", 0) for call in _optimizers(evidence)]
    return any(len(owners_of_all(evidence, one.value)) > 1 for one in given if one is not None)


def _is_of_another(evidence: Evidence, receiver: Node) -> bool:
    """Whether it is an object of a class that is no module."""
    found = evidence.instance(receiver)
    return found is not None and not is_module(found.class_name)


def _written(evidence: Evidence, call: Node, receiver: Node, method: str, name: Node) -> Use:
    api = f"{_MODULE}{method}"
    arguments = arguments_of(call)
    if not evidence.is_module(receiver) and _is_defined(evidence, method):
        return refused(api, call, Reason.RECEIVER)
    if frees(evidence, call) and not _is_followed_by_optimizer(evidence, call):
        return refused(api, call, Reason.FREED, text_of(receiver))
    if arguments.unpacked or any(one.keyword not in _KEYWORDS for one in arguments.items):
        return refused(api, call, Reason.ARGUMENTS)
    if method == "parameters" and not arguments.items and _are_trained(evidence, call):
        edit = Edit(name.start_byte, name.end_byte, "trainable_params")
        return changed(api, call, [edit])
    more = [piece for one in arguments.items for piece in (f", {one.keyword}=", Slot(one.value))]
    pieces = [f"{MINDSPORE.module}.{method}(", Slot(receiver), *more, ")"]
    return helped(api, written(api, call, pieces))


def _is_defined(evidence: Evidence, method: str) -> bool:
    """Whether a class of the project has a method of the name, so that not only modules have."""
    names = evidence.source.identifiers(method)
    own = any(parent_type(one) == "function_definition" for one in names)
    return own or bool(evidence.context.project.defines_method(method))


def _are_trained(evidence: Evidence, call: Node) -> bool:
    """Whether only those parameters are asked for that are trained."""
    previous = call
    for one in ancestors(call):
        if one.type == "call":
            function = field(one, "function")
            found = evidence.source.names.qualified_name(function) if function is not None else None
            if found is not None and found.qualified_name.startswith("torch.optim."):
                return True
            if last_name(one) == "filter" and _FLAG.search(text_of(one)):
                return True
        if one.type in _LOOPS and is_field(previous, "right"):
            return _asks_or_freezes(one)
        if one.type.endswith("statement"):
            return False
        previous = one
    return False


def _asks_or_freezes(loop: Node) -> bool:
    """Whether a loop asks each parameter for its flag, or does nothing but take it away."""
    if loop.type == "for_in_clause":
        whole = parent_of(loop)
        tests = [one for one in whole.named_children if one.type == "if_clause"] if whole is not None else []
        asked = f"{text_of(field(loop, 'left') or loop)}.requires_grad"
        return any(text_of(one).split() == ["if", asked] for one in tests)
    body, target = field(loop, "body"), field(loop, "left")
    inner = [one for one in body.named_children if one.type != "comment"] if body is not None else []
    if target is None or len(inner) != 1:
        return False
    written, name = text_of(inner[0]), re.escape(text_of(target))
    return re.fullmatch(rf"{name}\.requires_grad(?:_\(False\)| = False)", written) is not None


def frees(evidence: Evidence, call: Node) -> bool:
    """Whether a loop makes parameters take part in training again, or for the first time."""
    loop = enclosing(call, "for_statement")
    body = field(loop, "body") if loop is not None and is_field(call, "right") else None
    if body is None:
        return False
    for flag in evidence.source.identifiers("requires_grad"):
        attribute = parent_of(flag)
        assignment = parent_of(attribute)
        if not body.start_byte <= flag.start_byte < body.end_byte or assignment is None:
            continue
        value = field(assignment, "right") if assignment.type == "assignment" else None
        if value is not None and text_of(value) != "False":
            return True
    return any(
        body.start_byte <= name.start_byte < body.end_byte and not text_of(freed).endswith("(False)")
        for name in evidence.source.identifiers("requires_grad_")
        if parent_of(name) is not None and (freed := call_of(parent_of(name))) is not None
    )


def _is_followed_by_optimizer(evidence: Evidence, call: Node) -> bool:
    """Whether every optimizer that a function makes before it frees parameters is made again behind it.

    An optimizer goes on with those parameters that were trained when it was made.
    """
    scope = enclosing(call, "function_definition", "module")
    if scope is None:
        return False
    made = [one for one in _optimizers(evidence) if scope.start_byte <= one.start_byte < scope.end_byte]
    names = [
        text_of(field(parent_of(one), "left") or one) if parent_of(one) is not None else "" for one in made
    ]
    before = {name for one, name in zip(made, names, strict=True) if one.start_byte < call.start_byte}
    behind = {name for one, name in zip(made, names, strict=True) if one.start_byte > call.end_byte}
    return bool(behind) and before <= behind


def _optimizers(evidence: Evidence) -> Iterator[Node]:
    for node in nodes_in(evidence.source.root):
        function = field(node, "function") if node.type == "call" else None
        found = evidence.source.names.qualified_name(function) if function is not None else None
        if (
            found is not None
            and found.qualified_name.startswith("torch.optim.")
            and "lr_" not in found.qualified_name
        ):
            yield node
