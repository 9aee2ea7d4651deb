"""Which optimizers a scaled loss is for: those that are stepped next."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from ..module import Module
from .survey import ScalerCall, ScalerSurvey


class ScaledBackward(NamedTuple):
    """``scaler.scale(loss).backward()`` as a statement."""

    statement: cst.SimpleStatementLine
    loss: cst.BaseExpression
    backward: cst.Call
    optimizers: tuple[str, ...]
    scaler: str


def backwards(survey: ScalerSurvey) -> list[ScaledBackward]:
    """Every scaled backward pass, with its optimizers.
    Raises Declined: a scaled loss is used otherwise, or nothing shows which optimizer it is for."""
    everywhere = tuple(dict.fromkeys(optimizer_of(survey.module, step) for step in survey.steps()))
    found = []
    for call in survey.calls:
        if call.method == "scale":
            statement, backward = _statement(survey, call)
            optimizers = _next_steps(survey, call) or everywhere
            if not _next_steps(survey, call) and len(everywhere) != 1:
                raise survey.decline("backward-optimizer", call.call)
            found.append(
                ScaledBackward(statement, call.call.args[0].value, backward, optimizers, call.scaler)
            )
    return found


def optimizer_of(module: Module, step: ScalerCall) -> str:
    """The optimizer that a step is of, as it is written."""
    return module.code(step.call.args[0].value)


def _statement(survey: ScalerSurvey, call: ScalerCall) -> tuple[cst.SimpleStatementLine, cst.Call]:
    module = survey.module
    attribute = module.parent(call.call)
    backward = module.parent(attribute) if attribute is not None else None
    line = module.parent(backward) if backward is not None else None
    statement = module.parent(line) if line is not None else None
    if (
        not isinstance(attribute, cst.Attribute)
        or attribute.attr.value != "backward"
        or not isinstance(backward, cst.Call)
        or backward.func is not attribute
        or not isinstance(line, cst.Expr)
        or not isinstance(statement, cst.SimpleStatementLine)
        or len(statement.body) != 1
        or len(call.call.args) != 1
        or (call.call.args[0].keyword is not None and call.call.args[0].keyword.value != "outputs")
        or call.call.args[0].star
    ):
        raise survey.decline("scaled-loss", call.call)
    return statement, backward


def _next_steps(survey: ScalerSurvey, call: ScalerCall) -> tuple[str, ...]:
    """The optimizers stepped by the same scaler after a loss and before the next one that is scaled.

    Backward passes that follow each other share the steps that follow them.
    """
    module = survey.module
    function = module.function(call.call)
    events = [
        item
        for item in survey.calls
        if item.method in ("scale", "step")
        and item.scaler == call.scaler
        and module.function(item.call) is function
    ]
    at = next(index for index, item in enumerate(events) if item is call)
    steps: list[str] = []
    for item in events[at + 1 :]:
        if item.method == "step":
            steps.append(optimizer_of(module, item))
        elif steps:
            break
    return tuple(dict.fromkeys(steps))
