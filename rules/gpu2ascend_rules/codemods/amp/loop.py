"""The training loops of a module: where a forward pass begins, which optimizers step behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from ...model.finding import Message
from .gradients import GradientUse
from .module import Declined, Module, argument


class Backward(NamedTuple):
    """A backward pass, and the statements of the forward pass before it in the same block."""

    statement: cst.Expr
    function: cst.FunctionDef | None
    block: cst.CSTNode
    first: cst.CSTNode
    """The first statement of the forward pass."""
    last: cst.CSTNode
    """The statement that computes the loss."""


class OptimizerStep(NamedTuple):
    """A step of an optimizer behind a backward pass."""

    statement: cst.Expr
    optimizer: str
    ends: bool
    """Whether no other step follows before the next backward pass."""


class Loop(NamedTuple):
    """What there is of training in one function, or outside all functions."""

    function: cst.FunctionDef | None
    backwards: tuple[Backward, ...]
    steps: tuple[OptimizerStep, ...]
    unscaled: tuple[tuple[cst.CSTNode, str], ...]
    """Statements before which the gradients of an optimizer are unscaled, for they are looked at there."""


def training_loops(module: Module, target_model: str) -> list[Loop]:
    """The training of a module, by function.

    Raises:
        Declined: a backward pass has no step or is differentiated itself, or where its forward pass begins
            cannot be determined.
    """
    _refuse_gradients_of_gradients(module)
    statements = [node for node in module.find(cst.Expr) if _is_method(node.value, "backward")]
    functions = dict.fromkeys(module.function(node) for node in statements)
    return [
        _loop(
            module, function, [node for node in statements if module.function(node) is function], target_model
        )
        for function in functions
    ]


def _loop(
    module: Module, function: cst.FunctionDef | None, statements: list[cst.Expr], target_model: str
) -> Loop:
    optimizers = _optimizers(module)
    steps = [
        node
        for node in module.find(cst.Expr)
        if _is_method(node.value, "step")
        and module.function(node) is function
        and owner(module, node) in optimizers
    ]
    events = sorted([*statements, *steps], key=module.line)
    if not steps:
        raise declined(module, "no-step", statements[0])
    for node in steps:
        if cst.ensure_type(node.value, cst.Call).args:
            raise declined(module, "closure", node)
    followed = dict(zip(events, [*events[1:], None], strict=True))
    return Loop(
        function,
        tuple(_backward(module, node, target_model) for node in statements),
        tuple(OptimizerStep(node, owner(module, node), followed[node] not in steps) for node in steps),
        tuple(_unscaled(module, function, events, statements)),
    )


def owner(module: Module, expression: cst.Expr) -> str:
    """What a method that stands as a statement is called on, as it is written."""
    call = cst.ensure_type(expression.value, cst.Call)
    return module.code(cst.ensure_type(call.func, cst.Attribute).value)


def declined(module: Module, key: str, node: cst.CSTNode, **arguments: object) -> Declined:
    """That mixed precision cannot be put in, at the place that is in the way."""
    return Declined(Message.of(f"amp.enable.declined.{key}", **arguments), module.line(node))


def _is_method(node: cst.BaseExpression, name: str) -> bool:
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    base = node.func.value
    of_super = isinstance(base, cst.Call) and isinstance(base.func, cst.Name) and base.func.value == "super"
    return node.func.attr.value == name and not of_super


def _backward(module: Module, backward: cst.Expr, target_model: str) -> Backward:
    loss = cst.ensure_type(cst.ensure_type(backward.value, cst.Call).func, cst.Attribute).value
    statement, blocks = module.parent(backward), module.blocks(backward)
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1 or not blocks:
        raise declined(module, "one-line", backward)
    names = _variables(module, loss)
    block, at = blocks[-1]
    before: Sequence[cst.CSTNode] = block.body[:at]  # type: ignore[attr-defined]
    begin = _after_last_backward(module, before)
    used = [place for place in range(begin, at) if _calls_model(module, before[place], target_model)]
    made = [place for place in range(begin, at) if _assigns(module, before[place], names)]
    if not made or (used and used[0] > made[-1]):
        raise declined(module, "forward", backward, model=target_model)
    # A second loss of the same forward pass needs no model, but its own computation.
    first = used[0] if used else made[0] if begin else None
    if first is None:
        raise declined(module, "forward", backward, model=target_model)
    return Backward(backward, module.function(backward), block, before[first], before[made[-1]])


def _after_last_backward(module: Module, statements: Sequence[cst.CSTNode]) -> int:
    """The place behind the last statement that goes backward or steps."""
    places = [
        place + 1
        for place, statement in enumerate(statements)
        if any(
            _is_method(node.value, name)
            for node in module.find(cst.Expr, statement)
            for name in ("backward", "step")
        )
    ]
    return places[-1] if places else 0


def _calls_model(module: Module, statement: cst.CSTNode, target_model: str) -> bool:
    wanted = {name + tail for name in (target_model, f"self.{target_model}") for tail in ("", ".forward")}
    return any(module.code(call.func) in wanted for call in module.find(cst.Call, statement))


def _variables(module: Module, loss: cst.BaseExpression) -> set[str]:
    """The variables that a loss is computed from, as they are written."""
    if isinstance(loss, (cst.Name, cst.Attribute)):
        return {module.code(loss.with_changes(lpar=(), rpar=()))}
    return {node.value for node in module.find(cst.Name, loss)} - {"self"}


def _assigns(module: Module, statement: cst.CSTNode, names: set[str]) -> bool:
    targets: list[cst.CSTNode] = [
        *(target.target for target in module.find(cst.AssignTarget, statement)),
        *(node.target for node in module.find(cst.AugAssign, statement)),
    ]
    written = {
        module.code(node)
        for target in targets
        for node in (*module.find(cst.Name, target), *module.find(cst.Attribute, target))
    }
    return not names.isdisjoint(written)


def _optimizers(module: Module) -> set[str]:
    """What is certainly an optimizer: made by ``torch.optim``, or its gradients are set to zero."""
    made = {
        module.code(target.target)
        for node in module.find(cst.Assign)
        if (module.name(node.value) or "").startswith("torch.optim.")
        and not (module.name(node.value) or "").startswith("torch.optim.lr_scheduler")
        for target in node.targets
    }
    zeroed = {owner(module, node) for node in module.find(cst.Expr) if _is_method(node.value, "zero_grad")}
    return made | zeroed


def _refuse_gradients_of_gradients(module: Module) -> None:
    """A penalty on gradients needs them unscaled in the middle of the forward pass.

    Raises:
        Declined: there is one.
    """
    for call in module.find(cst.Call):
        given = argument(call, None, "create_graph")
        if given is not None and module.code(given) != "False":
            raise declined(module, "create-graph", call)


def _unscaled(
    module: Module,
    function: cst.FunctionDef | None,
    events: Sequence[cst.Expr],
    backwards: Sequence[cst.Expr],
) -> Iterator[tuple[cst.CSTNode, str]]:
    """Where the gradients of each step are unscaled, if something looks at them before."""
    use = GradientUse(module, function)
    latest: cst.Expr | None = None
    is_stepped = True
    for node in events:
        if node in backwards:
            if latest is not None and not is_stepped:
                use.refuse_between(latest, node)
            latest, is_stepped = node, False
        elif latest is not None:
            is_stepped = True
            anchor = use.anchor(latest, node)
            if anchor is not None:
                yield anchor, owner(module, node)
