"""The gradients of a sample in both frameworks: of its tensors of floats, and of the weights of its layer.

A gradient is that of a sum of all results, each with a weight of its own, so that no two cancel out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import mindspore
import numpy as np
import torch
from mindspore import Tensor, nn

from gpu2ascend_mindspore.correspondences.values import Refused

from .running import (
    RANDOM,
    Agreement,
    Outcome,
    agreement,
    copy_weights,
    drain,
    names_of_mindspore,
    names_of_torch,
)
from .samples import Array, tensors
from .translate import Table, translate


class Gradients(NamedTuple):
    """What torch computes for a sample."""

    of: tuple[str, ...]
    """The names of the tensors."""
    values: list[Any]
    """The gradients of the tensors, then those of the weights."""
    layer: Any


def of_torch(expression: str, inputs: tuple[str, ...]) -> Gradients | None:
    """The gradients by torch; None where it gives none: of whole numbers, of what is drawn or updated."""
    if inputs == RANDOM:
        return None
    named = tuple(_named(expression, inputs))
    names = names_of_torch()
    for name in named:
        names[name] = names[name].clone().requires_grad_()
    torch.manual_seed(0)
    try:
        value = eval(expression, names)
        layer = value.train() if inputs else None
        results = value(*(names[one] for one in inputs)) if inputs else value
        weights = _in_order(layer.named_parameters()) if isinstance(layer, torch.nn.Module) else []
        given = [names[name] for name in named]
        loss = sum((one * torch.from_numpy(_weights(one.shape))).sum() for one in _floats(results))
        found = torch.autograd.grad(loss, [*given, *weights], allow_unused=True)
    except (RuntimeError, TypeError, AttributeError, ValueError, IndexError):
        return None
    with_zeros = [
        torch.zeros_like(one) if gradient is None else torch.zeros_like(one) + gradient
        for one, gradient in zip([*given, *weights], found, strict=True)
    ]
    return Gradients(named, with_zeros, layer)


def of_mindspore(expression: str, inputs: tuple[str, ...], expected: Gradients) -> list[Any]:
    """The gradients by MindSpore of a translated sample. Raises Exception: whatever MindSpore raises."""
    names = names_of_mindspore()
    cell: Any = eval(expression, names) if inputs else None
    if isinstance(cell, nn.Cell):
        cell.set_train(True)
        copy_weights(expected.layer, cell)

    def loss(*given: Any) -> Any:
        now = {**names, **dict(zip(expected.of, given, strict=True))}
        results = cell(*(now[one] for one in inputs)) if inputs else eval(expression, now)
        total = Tensor(0.0, mindspore.float32)
        for one in _floats(results):
            total = total + (one * Tensor(_weights(one.shape))).sum()
        return total

    given = [names[name] for name in expected.of]
    weights = _weights_of(cell, expected.layer) if isinstance(cell, nn.Cell) else ()
    positions = tuple(range(len(given))) or None
    return list(_flat(mindspore.grad(loss, positions, weights or None)(*given)))


def compare(sample: tuple[str, tuple[str, ...]], table: Table) -> Outcome | None:
    """How the gradients of a sample agree; None where there are none, or the table refuses it."""
    expected = of_torch(*sample)
    if expected is None or not expected.values:
        return None
    try:
        text, _ = translate(sample[0], table)
    except Refused:
        return None
    drain()
    try:
        ours = of_mindspore(text, sample[1], expected)
    except Exception as error:
        return Outcome(Agreement.RAISES, f"{type(error).__name__}: {error}"[:160])
    return agreement([one.reshape(-1) for one in expected.values], [one.reshape(-1) for one in ours])


def _in_order(named: Iterable[tuple[str, Any]]) -> list[Any]:
    """Weights in the order of their names."""
    return [one for _, one in sorted(named, key=lambda pair: pair[0])]


def _weights_of(cell: nn.Cell, layer: torch.nn.Module) -> tuple[Any, ...]:
    """The weights of a cell in the order of those of torch's, by name or, under other names, by place."""
    ours = {one.name: one for one in cell.trainable_params()}
    names = [name for name, _ in layer.named_parameters()]
    by_name = ours if {*ours} == {*names} else dict(zip(names, ours.values(), strict=True))
    return tuple(_in_order(by_name.items()))


def _named(expression: str, inputs: tuple[str, ...]) -> Iterator[str]:
    """The tensors of floats that a sample names."""
    for name, array in tensors().items():
        if array.dtype == np.float32 and (name in inputs or re.search(rf"\b{name}\b", expression)):
            yield name


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from _flat(one)
    elif value is not None:
        yield value


def _floats(results: Any) -> Iterator[Any]:
    """The tensors of floats among results."""
    yield from (one for one in _flat(results) if str(getattr(one, "dtype", "")).lower().endswith("float32"))


def _weights(shape: tuple[int, ...]) -> Array:
    weights: Array = (np.random.RandomState(11).rand(*shape) + 0.5).astype(np.float32)
    return weights
