"""The side of PyTorch of a run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from .side import Numbers, Record, filled_when_called, first_of, in_order, same_data, weights_of


def prepare(record: Record, folder: Path) -> None:
    """Have torch draw, read and start as the other side does, and note what it does."""
    from tests.execution.mindspore.pictures import import_torchvision

    torch.manual_seed(0)
    torch.set_num_threads(1)
    Numbers(torch.from_numpy).replace(torch)
    vision = import_torchvision()
    same_data(vision.datasets, Path(os.environ["PICTURES"]))
    for name, key in (("CIFAR10", "label_names"), ("CIFAR100", "fine_label_names")):
        file = "batches.meta" if name == "CIFAR10" else "meta"
        getattr(vision.datasets, name).meta = {"filename": file, "key": key, "md5": None}
    same_data(vision.transforms, Path(os.environ["PICTURES"]))
    in_order(torch.utils.data.DataLoader)
    filled_when_called(torch.nn.Module, _fill)
    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"):
        setattr(torch.nn.functional, name, lambda input, *_, **__: input)
    for kind in (torch.Tensor, torch.nn.Module):
        kind.cuda = lambda self, *_, **__: self
    backward = torch.Tensor.backward

    def noting(self: Any, *given: Any, **named: Any) -> None:
        record.losses.append(float(self.detach().sum()))
        backward(self, *given, **named)

    torch.Tensor.backward = noting
    register_optimizer_step_post_hook(
        lambda optimizer, *_: record.updated(
            [one.detach().numpy() for group in optimizer.param_groups for one in group["params"]]
        )
    )


def _fill(module: Any, done: dict[int, Any]) -> None:
    with torch.no_grad():
        for name, one in module.named_parameters():
            if id(one) not in done:
                done[id(one)] = one
                one.copy_(torch.from_numpy(weights_of(type(module).__name__, name, tuple(one.shape))))


def train(record: Record, model: Any, given: list[Any]) -> None:
    """Train a model towards numbers of the shape that it gives."""
    inputs = [torch.from_numpy(one) for one in given]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    model.train()
    for _ in range(9):
        optimizer.zero_grad()
        output = first_of(model(*inputs))
        wanted = torch.linspace(-1, 1, output.numel()).reshape(output.shape)
        loss = ((output - wanted) ** 2).mean()
        loss.backward()
        optimizer.step()
