"""The training loops of a module: where a forward pass begins, which optimizers step behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from ...codemod import Declined
from ..module import Block, Module
from .gradients import GradientUse, declined, refuse_hidden_looks
from .models import Models
from .steps import closures_step, is_method, optimizers_of, owner, update_places


class Backward(NamedTuple):
    """A backward pass, and the statements of the forward pass before it in the same block."""

    statement: cst.Expr
    block: Block
    first: cst.CSTNode
    """The first statement of the forward pass."""
    last: cst.CSTNode
    """The statement that computes the loss."""


class OptimizerStep(NamedTuple):
    """A step of an optimizer behind a backward pass."""

    statement: cst.Expr
    optimizer: str


class Loop(NamedTuple):
    """What there is of training in one function, or outside all functions."""

    function: cst.FunctionDef | None
    backwards: tuple[Backward, ...]
    steps: tuple[OptimizerStep, ...]
    unscaled: tuple[tuple[cst.CSTNode, str], ...]
    """Statements before which the gradients of an optimizer are unscaled, for they are looked at there."""
    updated: tuple[cst.CSTNode, ...]
    """Statements behind which the scaler is updated."""


class Training(NamedTuple):
    """The training of a module."""

    loops: tuple[Loop, ...]
    declined: tuple[Declined, ...]
    """Why the other functions that go backward stay as they are."""


def training_of(module: Module, models: Models) -> Training:
    """The training of a module, by function.
    Raises Declined: gradients are needed before they can be unscaled, or a model is of another data type."""
    refuse_hidden_looks(module)
    other = models.other_dtype()
    if other is not None:
        raise declined(module, "dtype", other, code=module.code(other))
    statements = [node for node in module.find(cst.Expr) if is_method(node.value, "backward")]
    loops, reasons = [], []
    for function in dict.fromkeys(module.function(node) for node in statements):
        own = [node for node in statements if module.function(node) is function]
        try:
            loops.append(_loop(module, function, own, models))
        except Declined as reason:
            reasons.append(reason)
    return Training(tuple(loops), tuple(reasons))


def _loop(
    module: Module, function: cst.FunctionDef | None, statements: list[cst.Expr], models: Models
) -> Loop:
    optimizers = optimizers_of(module)
    steps = [
        node
        for node in module.find(cst.Expr)
        if is_method(node.value, "step")
        and module.function(node) is function
        and owner(module, node) in optimizers
    ]
    events = sorted([*statements, *steps], key=module.line)
    if not steps:
        closure = closures_step(module, function)
        if closure is not None:
            raise declined(module, "closure", closure)
        _refuse_engines(module, statements)
        raise declined(module, "no-step", statements[0])
    for node in steps:
        if cst.ensure_type(node.value, cst.Call).args:
            raise declined(module, "closure", node)
    _refuse_engines(module, statements)
    use = GradientUse(module, function, models, optimizers)
    return Loop(
        function,
        tuple(_backward(module, node, models) for node in statements),
        tuple(OptimizerStep(node, owner(module, node)) for node in steps),
        tuple(_unscaled(module, use, events, statements)),
        tuple(update_places(module, steps, statements)),
    )


def _refuse_engines(module: Module, statements: Sequence[cst.Expr]) -> None:
    """``accelerator.backward(loss)``: a library goes backward, and has options for its precision."""
    for node in statements:
        call, name = cst.ensure_type(node.value, cst.Call), owner(module, node)
        if any(arg.keyword is None for arg in call.args) and not any(
            _assigns(module, statement, {name})
            for statement in module.find(cst.SimpleStatementLine)
            if module.function(statement) is module.function(node)
        ):
            raise declined(module, "engine", node, name=f"{name}.backward")


def _backward(module: Module, backward: cst.Expr, models: Models) -> Backward:
    loss = cst.ensure_type(cst.ensure_type(backward.value, cst.Call).func, cst.Attribute).value
    statement, blocks = module.parent(backward), module.blocks(backward)
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1 or not blocks:
        raise declined(module, "one-line", backward)
    names = _variables(module, loss)
    for block, at in _levels(module, blocks):
        before: Sequence[cst.CSTNode] = block.body[:at]
        begin = _after_last_backward(module, before)
        used = [place for place in range(begin, at) if models.runs(before[place])]
        made = [place for place in range(begin, at) if _assigns(module, before[place], names)]
        # A second loss of the same forward pass needs no model, but its own computation.
        first = used[0] if used else made[0] if begin and made else None
        if made and first is not None and first <= made[-1]:
            return Backward(backward, block, before[first], before[made[-1]])
    raise declined(module, "forward", backward, model=" / ".join(sorted(models.names - {"self"})))


def _levels(module: Module, blocks: Sequence[tuple[Block, int]]) -> Iterator[tuple[Block, int]]:
    """The blocks that a forward pass may be in, innermost first: not those around a loop or a function."""
    for block, at in reversed(blocks):
        yield block, at
        if not isinstance(module.parent(block), (cst.If, cst.Else, cst.With)):
            return


def _after_last_backward(module: Module, statements: Sequence[cst.CSTNode]) -> int:
    """The place behind the last statement that goes backward or steps."""
    places = [
        place + 1
        for place, statement in enumerate(statements)
        if any(
            is_method(node.value, name)
            for node in module.find(cst.Expr, statement)
            for name in ("backward", "step")
        )
    ]
    return places[-1] if places else 0


def _variables(module: Module, loss: cst.BaseExpression) -> set[str]:
    """The variables that a loss is computed from, as they are written: ``out.loss`` is also of ``out``."""
    if isinstance(loss, (cst.Name, cst.Attribute)):
        parts = module.code(loss.with_changes(lpar=(), rpar=())).split(".")
        return {".".join(parts[:end]) for end in range(1, len(parts) + 1)} - {"self"}
    names = {node.value for node in module.find(cst.Name, loss)} - {"self"}
    return names | {module.code(node) for node in module.find(cst.Attribute, loss)}


def _assigns(module: Module, statement: cst.CSTNode, names: set[str]) -> bool:
    targets: list[cst.CSTNode] = [
        *(target.target for target in module.find(cst.AssignTarget, statement)),
        *(node.target for node in module.find(cst.AugAssign, statement)),
        *(node.target for node in module.find(cst.AnnAssign, statement)),
    ]
    written = {
        module.code(node)
        for target in targets
        for node in (*module.find(cst.Name, target), *module.find(cst.Attribute, target))
    }
    return not names.isdisjoint(written)


def _unscaled(
    module: Module, use: GradientUse, events: Sequence[cst.Expr], backwards: Sequence[cst.Expr]
) -> Iterator[tuple[cst.CSTNode, str]]:
    """Where the gradients of each step are unscaled, if something looks at them before."""
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
