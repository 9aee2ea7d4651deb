"""A function that makes loaders of several kinds: which of its calls make one that is trained from."""

from __future__ import annotations

from collections.abc import Iterable

from ....text.syntax import enclosing, text_of
from ...passing import argument_for, parameter_default, parameter_names
from ...program import Place
from ..job import Job
from .loops import listed_loaders
from .roles import TrainingLoop

_CONSTANTS = frozenset({"true", "false", "none", "string", "integer"})


def training_condition(job: Job, loops: Iterable[TrainingLoop], loader: Place) -> str | None:
    """What holds in a function when it makes a loader that is trained from: nothing, if it always does.

    None, where no parameter tells these calls from the others.
    """
    inner = enclosing(loader.node, "function_definition", "lambda")
    function = Place(loader.file, inner) if inner is not None else None
    calls = job.program.calls_of(function) if function is not None else []
    if function is None or len(calls) < 2:
        return ""
    keys = {call.key for call in calls}
    training = _drawn_from(job, loops, keys)
    if not training or training == keys:
        return ""
    conditions = (_told_by(function, name, calls, training) for name in parameter_names(function.node))
    return next((condition for condition in conditions if condition is not None), None)


def _told_by(function: Place, name: str, calls: list[Place], training: set[tuple[str, int]]) -> str | None:
    """The condition on a parameter that holds in some of the calls alone."""
    values = {call.key: _value(function, name, call) for call in calls}
    wanted = {values[key] for key in training}
    others = {value for key, value in values.items() if key not in training}
    if len(wanted) != 1 or None in wanted | others or wanted & others:
        return None
    (value,) = wanted
    return {"True": name, "False": f"not {name}"}.get(str(value), f"{name} == {value}")


def _value(function: Place, parameter: str, call: Place) -> str | None:
    """The constant that a call gives a parameter, as it is written."""
    given = argument_for(function, parameter, call)
    node = given.node if given is not None else parameter_default(function.node, parameter)
    return text_of(node) if node is not None and node.type in _CONSTANTS else None


def _drawn_from(job: Job, loops: Iterable[TrainingLoop], keys: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Which of some calls make what loops that train draw their batches from."""
    return {
        origin.key
        for loop in loops
        for drawn in listed_loaders(loop.batches) or [loop.batches]
        for origin in job.origins.of(drawn, lambda place: place.key in keys)
        if origin.key in keys
    }
