"""Loops over what a module holds: ``for m in net.modules()`` as ``for _, m in net.cells_and_names()``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, call_of, enclosing, field, is_field, text_of

from ...correspondences.rendering import Slot
from ..evidence import Evidence
from ..use import Reason, Use, changed, refused, written
from ..values.parameters import is_parameter

MODULES = "torch.nn.Module.modules"
_SWITCH = "torch.Tensor.requires_grad_"


def uses_of_loops(evidence: Evidence) -> Iterator[Use]:
    """What becomes of loops over modules, and of those over parameters that are frozen."""
    for ref in scan_members(evidence.source, ["modules"]):
        call = call_of(ref.node)
        if call is None or arguments_of(call).items or ref.receiver_name is not None:
            continue
        evidence.take_care_of(ref.node)
        yield _over_modules(call)
    for ref in scan_members(evidence.source, ["detach_", "requires_grad_"]):
        call = call_of(ref.node)
        if call is None:
            continue
        if _is_of_parameters(ref.receiver):
            use = _of_one(ref.receiver, call, ref.name)
        else:
            use = _frozen(evidence, ref.receiver, call) or _constant(evidence, ref.receiver, call)
        if use is not None:
            evidence.take_care_of(ref.node, but=ref.receiver)
            yield use


def _of_one(parameter: Node, call: Node, method: str) -> Use | None:
    """``p.requires_grad_(False)`` and ``p.detach_()``, of a parameter that a loop goes over."""
    if method == "detach_":
        edit = Edit(parameter.end_byte, call.end_byte, ".requires_grad = False")
        return changed("torch.Tensor.detach_", call, [edit])
    flag = arguments_of(call).at(0)
    if flag is None or len(arguments_of(call).items) != 1:
        return None
    edits = [
        Edit(parameter.end_byte, flag.value.start_byte, ".requires_grad = "),
        Edit(flag.value.end_byte, call.end_byte, ""),
    ]
    return changed(_SWITCH, call, edits)


def _frozen(evidence: Evidence, module: Node, call: Node) -> Use | None:
    """``net.requires_grad_(False)`` as a loop over its parameters; None for anything else."""
    flag = arguments_of(call).at(0)
    statement = parent_of(call)
    if flag is None or text_of(flag.value) != "False" or statement is None or not evidence.is_module(module):
        return None
    if statement.type != "expression_statement" or evidence.source.names.bindings("parameter"):
        return None
    indent = " " * statement.start_point[1]
    edits = [
        Edit(call.start_byte, module.start_byte, "for parameter in "),
        Edit(
            module.end_byte,
            call.end_byte,
            f".trainable_params():\n{indent}    parameter.requires_grad = False",
        ),
    ]
    return changed("torch.nn.Module.requires_grad_", call, edits)


def _constant(evidence: Evidence, tensor: Node, call: Node) -> Use | None:
    """``x[:n].requires_grad_(False)`` in an expression, of what is no parameter; None for anything else."""
    flag, found = arguments_of(call).at(0), evidence.instance(tensor)
    is_plain = found is not None and found.class_name == "torch.Tensor" and not is_parameter(tensor)
    if flag is None or text_of(flag.value) != "False" or not is_plain:
        return None
    if parent_type(call) == "expression_statement":
        return None
    return written(_SWITCH, call, ["ops.stop_gradient(", Slot(tensor), ")"], {"ops"})


def _over_modules(call: Node) -> Use:
    """There is no way to have the cells alone, so that each comes with its name."""
    loop = parent_of(call)
    target = field(loop, "left") if loop is not None and is_field(call, "right") else None
    name = field(call, "function")
    method = field(name, "attribute")
    if (
        loop is None
        or loop.type not in ("for_statement", "for_in_clause")
        or target is None
        or method is None
    ):
        return refused(MODULES, call, Reason.NO_TARGET)
    if target.type != "identifier" or text_of(target) == "_":
        return refused(MODULES, call, Reason.NO_TARGET)
    edits = [
        Edit(target.start_byte, target.start_byte, "_, "),
        Edit(method.start_byte, method.end_byte, "cells_and_names"),
    ]
    return changed(MODULES, call, edits)


def _is_of_parameters(receiver: Node) -> bool:
    """Whether a variable is what a loop over parameters goes over, in a statement of its own."""
    call = parent_of(parent_of(receiver)) if parent_of(receiver) is not None else None
    statement = parent_of(call)
    if receiver.type != "identifier" or statement is None or statement.type != "expression_statement":
        return False
    loop = enclosing(receiver, "for_statement")
    target, over = (field(loop, "left"), field(loop, "right")) if loop is not None else (None, None)
    if target is None or over is None or over.type != "call":
        return False
    method = field(over, "function")
    name = field(method, "attribute")
    names = [target] if target.type == "identifier" else target.named_children[1:]
    return (
        name is not None
        and text_of(name) in ("parameters", "named_parameters")
        and any(text_of(one) == text_of(receiver) for one in names)
    )
