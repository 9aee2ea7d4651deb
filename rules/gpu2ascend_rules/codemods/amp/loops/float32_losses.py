"""Losses that autocast refuses: they are computed in float32, outside of it.

``binary_cross_entropy`` takes the logarithm of a probability, which underflows in float16; under autocast
PyTorch raises an error in its place (its documentation of automatic mixed precision, "prefer
binary_cross_entropy_with_logits").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..module import Module
from .gradients import declined
from .loop import Backward, Loop
from .models import Models

_REFUSED = frozenset({"torch.nn.functional.binary_cross_entropy", "torch.binary_cross_entropy"})
_CLASSES = frozenset({"torch.nn.BCELoss", "torch.nn.modules.loss.BCELoss"})
_TENSORS = ("input", "target")


def float32_losses(
    module: Module, loops: Sequence[Loop], models: Models
) -> Iterator[tuple[cst.SimpleStatementLine, tuple[cst.Call, ...]]]:
    """The lines that compute such a loss under autocast, with the calls that do.

    Those are in the forward passes, in the functions that these call, and in methods ``forward``.

    Raises:
        Declined: one stands where it cannot be taken out of autocast by itself.
    """
    made = _holding_one(module)
    _refuse_passed(module)
    found: dict[cst.SimpleStatementLine, list[cst.Call]] = {}
    for statement in _under_autocast(module, loops):
        for call in module.find(cst.Call, statement):
            if _is_refused(module, call, made):
                line = module.statement(call)
                if line is None or models.runs_itself(line):
                    raise declined(module, "bce", call, name=module.code(call.func))
                found.setdefault(line, []).append(call)
    yield from ((line, tuple(dict.fromkeys(calls))) for line, calls in found.items())


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


def _under_autocast(module: Module, loops: Sequence[Loop]) -> Iterator[cst.CSTNode]:
    """The statements of the forward passes, and the functions of the module that they run."""
    passes = [statement for loop in loops for item in loop.backwards for statement in _statements(item)]
    yield from passes
    functions = {node: node.name.value for node in module.find(cst.FunctionDef)}
    run, wanted = set[cst.FunctionDef](), {"forward", *_called(module, passes)}
    while new := [node for node, name in functions.items() if name in wanted and node not in run]:
        run.update(new)
        wanted |= set(_called(module, new))
    yield from (node.body for node in functions if node in run)


def _called(module: Module, statements: Sequence[cst.CSTNode]) -> Iterator[str]:
    """The last names of what some statements call."""
    for statement in statements:
        for call in module.find(cst.Call, statement):
            yield module.code(call.func).rpartition(".")[2]


def _statements(backward: Backward) -> Sequence[cst.CSTNode]:
    body: Sequence[cst.CSTNode] = backward.block.body
    first = next(place for place, item in enumerate(body) if item is backward.first)
    last = next(place for place, item in enumerate(body) if item is backward.last)
    return body[first : last + 1]


def _holding_one(module: Module) -> set[str]:
    """The variables that hold such a loss, or may do so, as they are written."""
    return {
        module.code(target.target)
        for node in module.find(cst.Assign)
        if any(_is_function(module, part) for part in _chosen(node.value))
        for target in node.targets
    }


def _chosen(value: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """A value, or those that it is chosen from."""
    if isinstance(value, cst.IfExp):
        yield from (*_chosen(value.body), *_chosen(value.orelse))
    else:
        yield value


def _is_function(module: Module, value: cst.BaseExpression) -> bool:
    """Whether a value is such a loss, as an object or a function."""
    if isinstance(value, cst.Call):
        return any(module.name(call) in _CLASSES for call in _chain(value))
    return isinstance(value, (cst.Name, cst.Attribute)) and module.name(value) in _REFUSED


def _refuse_passed(module: Module) -> None:
    """Such a loss in a list, or as an argument, is called by names that are not known.
    Raises Declined: there is one."""
    for call in module.find(cst.Call):
        holder = module.parent(call)
        is_hidden = isinstance(holder, (cst.Element, cst.DictElement, cst.Arg))
        if module.name(call) in _CLASSES and is_hidden:
            raise declined(module, "bce-hidden", call, name=module.code(call.func))


def _chain(call: cst.Call) -> Iterator[cst.Call]:
    """A call, and those that its methods are called on: ``nn.BCELoss().cuda()``."""
    at: cst.BaseExpression = call
    while isinstance(at, cst.Call):
        yield at
        at = at.func.value if isinstance(at.func, cst.Attribute) else at.func


def _is_refused(module: Module, call: cst.Call, made: set[str]) -> bool:
    if module.name(call) in _REFUSED or module.code(call.func) in made:
        return True
    return isinstance(call.func, cst.Call) and any(module.name(c) in _CLASSES for c in _chain(call.func))
