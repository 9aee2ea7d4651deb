"""The side of MindSpore of a run."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.common import initializer
from mindspore.experimental import optim

from .side import Numbers, Record, filled_when_called, first_of, in_order, same_data, weights_of


def prepare(record: Record, folder: Path) -> None:
    """Have MindSpore draw, read and start as the other side does, and note what it does."""
    ms.runtime.launch_blocking()
    ms.set_seed(0)
    initializer._numpy_seed = lambda: 1  # weights are set later; numpy's numbers are those of the program
    Numbers(ms.Tensor).replace(ops)
    if (folder / "x2ms_helpers").is_dir():
        helpers = importlib.import_module("x2ms_helpers.like_torch")
        same_data(helpers, Path(os.environ["PICTURES"]))
        if "DataLoader" in vars(helpers):
            in_order(helpers.DataLoader)
    for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d"):
        getattr(nn, name).construct = lambda self, x: x
    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d"):
        setattr(ops, name, lambda input, *_, **__: input)
    _note_losses(record)
    _note_updates(record)
    filled_when_called(nn.Cell, _fill)


def _note_losses(record: Record) -> None:
    taking = ms.value_and_grad

    def noting(*given: Any, **named: Any) -> Any:
        taken = taking(*given, **named)

        def called(*inputs: Any) -> Any:
            result = taken(*inputs)
            record.losses.append(float(np.sum(first_of(result[0]).asnumpy())))
            return result

        return called

    ms.value_and_grad = noting


def _note_updates(record: Record) -> None:
    before = nn.Cell.__call__

    def called(self: Any, *given: Any, **named: Any) -> Any:
        result = before(self, *given, **named)
        if isinstance(self, (optim.Optimizer, nn.Optimizer)):
            record.updated([one.asnumpy() for one in self.parameters])
        return result

    nn.Cell.__call__ = called


def _fill(cell: Any, done: dict[int, Any]) -> None:
    if isinstance(cell, (optim.Optimizer, nn.Optimizer)):
        return
    for name, one in cell.parameters_and_names():
        if id(one) not in done and not name.endswith(("moving_mean", "moving_variance")):
            done[id(one)] = one
            values = weights_of(type(cell).__name__, name, tuple(one.shape))
            one.set_data(ms.Tensor(values.reshape(one.shape)))


def train(record: Record, model: Any, given: list[Any]) -> None:
    """Train a model towards numbers of the shape that it gives."""
    inputs = [ms.Tensor(one) for one in given]
    optimizer = optim.SGD(model.trainable_params(), lr=0.001)
    model.set_train()

    def loss() -> Any:
        output = first_of(model(*inputs))
        wanted = ms.Tensor(np.linspace(-1, 1, output.size).astype("float32").reshape(output.shape))
        return ((output - wanted) ** 2).mean()

    for _ in range(9):
        _, gradients = ms.value_and_grad(loss, None, optimizer.parameters)()
        optimizer(gradients)
