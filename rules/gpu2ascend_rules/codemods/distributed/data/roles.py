"""Which of the loaders that reach a loop are trained from, where one loop serves training and evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....limits.parents import parent_of
from ....text.syntax import ancestors, enclosing, enclosing_statement, field, text_of
from ....text.uses import assignment_in
from ...origins import Origins
from ...passing import argument_for, parameter_default, parameter_names
from ...program import Place, Program, function_around

_EVALUATION = re.compile(r"(?:^|[^a-z])(?:val|valid|validation|test|eval|evaluation|dev)(?:$|[^a-z])", re.I)
_OFF = frozenset({"None", "False", "0"})


class TrainingLoop(NamedTuple):
    """A loop that trains on the batches that something yields."""

    loop: Place
    batches: Place
    """What is gone through: ``loader`` in ``for x, y in enumerate(loader)``."""
    loaders: tuple[Place, ...]
    """The calls of DataLoader that it comes from; none when it comes from elsewhere."""
    trains: bool = True
    """Whether it trains on them, or only goes through them."""


def trained_from(
    loop: TrainingLoop, backward: Place, program: Program, origins: Origins
) -> tuple[Place, ...]:
    """The loaders of a loop without those of calls that only evaluate, or whose names say so."""
    loaders = _of_training_calls(loop, backward, program, origins) or loop.loaders
    named = tuple(place for place in loaders if not _says_evaluation(place))
    return named or loaders


def _of_training_calls(
    loop: TrainingLoop, backward: Place, program: Program, origins: Origins
) -> tuple[Place, ...]:
    """The loaders that calls of the loop's function give it, when they let it compute gradients."""
    function = function_around(loop.loop)
    if function is None or loop.batches.text not in parameter_names(function.node):
        return ()
    switches = _switches(function, backward)
    known = {place.key for place in loop.loaders}
    found: dict[tuple[str, int], Place] = {}
    for call in program.calls_of(function):
        given = argument_for(function, loop.batches.text, call)
        if given is None or _is_without_gradients(call.node):
            continue
        if any(_is_off(function, name, call) for name in switches):
            continue
        for origin in origins.of(given):
            if origin.key in known:
                found[origin.key] = origin
    return tuple(found.values())


def _switches(function: Place, backward: Place) -> list[str]:
    """The parameters on which it depends whether gradients are computed: ``if optimizer is not None:``."""
    names = parameter_names(function.node)
    if function_around(backward) != function:
        return []
    return [
        name
        for condition in _conditions_around(backward.node)
        for name in re.findall(r"[^\W\d]\w*", text_of(condition))
        if name in names
    ]


def _conditions_around(node: Node) -> Iterator[Node]:
    for parent in ancestors(node):
        if parent.type == "function_definition":
            return
        condition = field(parent, "condition") if parent.type == "if_statement" else None
        consequence = field(parent, "consequence") if condition is not None else None
        if condition is None or consequence is None:
            continue
        if consequence.start_byte <= node.start_byte < consequence.end_byte:
            yield condition


def _is_off(function: Place, parameter: str, call: Place) -> bool:
    """Whether a call leaves a parameter at, or gives it, a value that turns training off."""
    given = argument_for(function, parameter, call)
    if given is not None:
        return given.text in _OFF or (given.node.type == "string" and is_evaluation(given.text))
    default = parameter_default(function.node, parameter)
    return text_of(default) in _OFF


def _is_without_gradients(call: Node) -> bool:
    holder = enclosing(call, "with_statement")
    return holder is not None and "no_grad" in text_of(holder).partition(":")[0]


def _says_evaluation(loader: Place) -> bool:
    """Whether a loader's variable, its key in a dictionary or its data set is named for evaluation."""
    pair = parent_of(loader.node)
    if pair is not None and pair.type == "pair":
        key = field(pair, "key")
        return key is not None and is_evaluation(text_of(key))
    assignment = assignment_in(enclosing_statement(loader.node))
    is_given = field(assignment, "right") == loader.node
    return is_given and is_evaluation(text_of(field(assignment, "left")))


def is_evaluation(name: str) -> bool:
    """Whether a name says that something is for evaluation."""
    return _EVALUATION.search(name.replace("loader", "_").replace("_", " ")) is not None
