"""Losses that autocast refuses: they are computed in float32, outside of it.

``binary_cross_entropy`` takes the logarithm of a probability, which underflows in float16; under autocast
PyTorch raises an error in its place (its documentation of automatic mixed precision, "prefer
binary_cross_entropy_with_logits").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from .loop import Backward, declined
from .module import Module

_REFUSED = frozenset({"torch.nn.functional.binary_cross_entropy"})
_CLASSES = frozenset({"torch.nn.BCELoss", "torch.nn.modules.loss.BCELoss"})
_TENSORS = ("input", "target")


def float32_losses(
    module: Module, backward: Backward, target_model: str
) -> Iterator[tuple[cst.CSTNode, tuple[cst.Call, ...]]]:
    """The statements of a forward pass that compute such a loss, with the calls that do.

    Raises:
        Declined: one stands where it cannot be taken out of autocast by itself.
    """
    made = _made_by_classes(module)
    for statement in _statements(backward):
        calls = tuple(call for call in module.find(cst.Call, statement) if _is_refused(module, call, made))
        if not calls:
            continue
        models = {target_model, f"self.{target_model}"}
        has_model = any(module.code(call.func) in models for call in module.find(cst.Call, statement))
        if has_model or not isinstance(statement, cst.SimpleStatementLine):
            raise declined(module, "bce", calls[0], name=module.code(calls[0].func))
        yield statement, calls


def in_float32(call: cst.Call) -> cst.Call:
    """The call with its tensors as float32."""
    args = [
        arg.with_changes(value=_as_float(arg.value))
        if not arg.star and (index < len(_TENSORS) if arg.keyword is None else arg.keyword.value in _TENSORS)
        else arg
        for index, arg in enumerate(call.args)
    ]
    return call.with_changes(args=args)


def _as_float(value: cst.BaseExpression) -> cst.BaseExpression:
    is_plain = isinstance(value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or value.lpar
    owner = value if is_plain else value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.Call(cst.Attribute(owner, cst.Name("float")))


def _statements(backward: Backward) -> Sequence[cst.CSTNode]:
    body: Sequence[cst.CSTNode] = backward.block.body  # type: ignore[attr-defined]
    first = next(place for place, item in enumerate(body) if item is backward.first)
    last = next(place for place, item in enumerate(body) if item is backward.last)
    return body[first : last + 1]


def _made_by_classes(module: Module) -> set[str]:
    """The variables that hold a loss of such a class, as they are written."""
    return {
        module.code(target.target)
        for node in module.find(cst.Assign)
        if isinstance(node.value, cst.Call)
        and any((module.name(call) or "") in _CLASSES for call in _chain(node.value))
        for target in node.targets
    }


def _chain(call: cst.Call) -> Iterator[cst.Call]:
    """A call, and those that its methods are called on: ``nn.BCELoss().cuda()``."""
    at: cst.BaseExpression = call
    while isinstance(at, cst.Call):
        yield at
        at = at.func.value if isinstance(at.func, cst.Attribute) else at.func


def _is_refused(module: Module, call: cst.Call, made: set[str]) -> bool:
    if module.name(call) in _REFUSED or module.code(call.func) in made:
        return True
    return isinstance(call.func, cst.Call) and any(
        (module.name(c) or "") in _CLASSES for c in _chain(call.func)
    )
