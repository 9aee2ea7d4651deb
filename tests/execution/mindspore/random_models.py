"""Small models that a seed makes, each with a script that trains it for three steps.

Layers, modes, freezing, padding, shared modules and passes through the model are drawn; what the script
returns are the losses, and what the model gives in evaluation. Nothing in it draws when it runs: dropout is
there only where the model is in evaluation.
"""

from __future__ import annotations

import random
from typing import NamedTuple

_ACTIVATIONS = (
    "nn.ReLU()", "nn.GELU()", "nn.SELU()", "nn.Tanh()", "nn.LeakyReLU(0.2)", "nn.ELU()", "nn.SiLU()",
    "nn.Softplus()", "nn.Hardswish()", "nn.Sigmoid()", "nn.PReLU()", "nn.Mish()", "nn.ReLU6()",
    "nn.CELU(0.5)", "nn.Softsign()", "nn.LogSigmoid()", "nn.Hardtanh()", "nn.Tanhshrink()", "nn.Identity()",
)  # fmt: skip
_FUNCTIONS = (
    "F.relu(x)", "torch.tanh(x)", "F.gelu(x)", "F.leaky_relu(x, 0.1)", "F.elu(x)", "torch.sigmoid(x)",
    "F.silu(x)", "x.clamp(min=-0.5)", "torch.relu(x)", "F.softplus(x)", "F.selu(x)",
    "F.log_softmax(x, dim=1)", "x.softmax(dim=-1)", "F.normalize(x, dim=1)",
    "x - x.mean(dim=0, keepdim=True)", "x / (1 + x.abs())",
)  # fmt: skip
_OPTIMIZERS = (
    "torch.optim.SGD({}, lr=0.1)",
    "torch.optim.SGD({}, lr=0.05, momentum=0.9)",
    "torch.optim.SGD({}, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01)",
    "torch.optim.Adam({}, lr=0.01, eps=1e-3)",
    "torch.optim.AdamW({}, lr=0.01, eps=1e-3, weight_decay=0.1)",
    "torch.optim.Adam({}, lr=0.01, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.01)",
    "torch.optim.RMSprop({}, lr=0.01, eps=1e-3)",
    "torch.optim.Adagrad({}, lr=0.05, eps=1e-3)",
)
_SCHEDULERS = (
    "torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)",
    "torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5)",
    "torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)",
)
_OF_CLASSES = (
    "nn.CrossEntropyLoss()", "nn.CrossEntropyLoss(label_smoothing=0.1)",
    "nn.CrossEntropyLoss(ignore_index=1)", "nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5]))",
    "nn.CrossEntropyLoss(reduction='sum')", "nn.MultiMarginLoss()",
)  # fmt: skip
_OF_NUMBERS = (
    "nn.MSELoss()", "nn.L1Loss()", "nn.SmoothL1Loss()", "nn.SmoothL1Loss(beta=0.5)",
    "nn.HuberLoss(delta=0.7)", "nn.MSELoss(reduction='sum')", "nn.BCEWithLogitsLoss()",
    "nn.SoftMarginLoss()",
)  # fmt: skip

_NORMS = (
    "nn.BatchNorm1d({})", "nn.LayerNorm({})", "nn.BatchNorm1d({}, affine=False)", "nn.GroupNorm(2, {})",
    "nn.BatchNorm1d({}, momentum=0.3, eps=1e-3)",
)  # fmt: skip
_NORMS_OF_IMAGES = (
    "nn.BatchNorm2d({})", "nn.GroupNorm(2, {})", "nn.InstanceNorm2d({}, affine=True)",
    "nn.BatchNorm2d({}, 1e-3)", "nn.BatchNorm2d({}, track_running_stats=False)",
)  # fmt: skip
_POOLS = (
    "nn.MaxPool2d(2)", "nn.AvgPool2d(3, 2, 1)", "nn.MaxPool2d(3, stride=2, padding=1)",
    "nn.Upsample(scale_factor=2)", "nn.AvgPool2d(2, count_include_pad=False)", "nn.PixelShuffle(1)",
    "nn.ZeroPad2d(1)",
)  # fmt: skip
_CONVOLUTIONS = (
    "nn.Conv2d(3, 4, 3, padding=1)", "nn.Conv2d(3, 4, 3, stride=2, padding=1, bias=False)",
    "nn.Conv2d(3, 4, 3, dilation=2, padding='same')", "nn.ConvTranspose2d(3, 4, 2, stride=2)",
    "nn.Conv2d(3, 4, (3, 1), padding=(1, 0))", "nn.Conv2d(3, 4, 5, padding=2)",
)  # fmt: skip


class Made(NamedTuple):
    """The parts of a model: the lines of ``__init__`` and of ``forward``."""

    layers: list[str]
    lines: list[str]


class Drawing:
    """Draws one program."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._count = 0
        self._has_dropout = self._draw.random() < 0.25
        """Then the model is in evaluation, where dropout does nothing."""
        self._made = Made([], [])
        self._filled: list[str] = []
        """Statements that set weights that both frameworks call otherwise: tied ones."""

    def text(self) -> str:
        """The program."""
        kind = self._draw.choice(("vectors", "images", "tokens", "signals"))
        data = getattr(self, f"_{kind}")()
        self._add("nn.Linear(8, 3)")
        layers = "\n        ".join(self._made.layers)
        lines = "\n        ".join(self._made.lines)
        return _PROGRAM.format(layers=layers, lines=lines, main=self._main(data))

    # -- models ------------------------------------------------------------------------------------

    def _name(self, layer: str) -> str:
        self._count += 1
        name = f"{self._draw.choice(('layer', 'part', 'block'))}{self._count}"
        self._made.layers.append(f"self.{name} = {layer}")
        return name

    def _add(self, layer: str) -> str:
        name = self._name(layer)
        self._made.lines.append(f"x = self.{name}(x)")
        return name

    def _between(self, width: int, norms: tuple[str, ...]) -> None:
        """A norm, an activation, and dropout where it does nothing."""
        if self._draw.random() < 0.6:
            self._add(self._draw.choice(norms).format(width))
        if self._draw.random() < 0.5:
            self._add(self._draw.choice(_ACTIVATIONS))
        elif self._draw.random() < 0.5:
            self._made.lines.append(f"x = {self._draw.choice(_FUNCTIONS)}")
        if self._has_dropout:
            self._add("nn.Dropout(0.5)")

    def _middle(self) -> None:
        """Linear layers of eight: in turn, shared, with a residual, in containers."""
        for _ in range(self._draw.randint(0, 2)):
            form = self._draw.choice(("plain", "shared", "residual", "sequence", "list", "tied"))
            if form == "plain":
                self._add(f"nn.Linear(8, 8, bias={self._draw.choice((True, False))})")
            elif form == "shared":
                name = self._add("nn.Linear(8, 8)")
                self._made.lines.append(f"x = torch.tanh(x)\n        x = self.{name}(x)")
            elif form == "residual":
                name = self._name("nn.Linear(8, 8)")
                self._made.lines.append(f"x = x + self.{name}(F.relu(x))")
            elif form == "sequence":
                norm = self._draw.choice(_NORMS).format(8)
                self._add(f"nn.Sequential(nn.Linear(8, 8), {norm}, {self._draw.choice(_ACTIVATIONS)})")
            elif form == "list":
                name = self._name("nn.ModuleList([nn.Linear(8, 8) for _ in range(2)])")
                self._made.lines.append(f"for one in self.{name}:\n            x = torch.sigmoid(one(x))")
            else:
                first, second = self._add("nn.Linear(8, 8)"), self._add("nn.Linear(8, 8)")
                self._made.layers.append(f"self.{second}.weight = self.{first}.weight")
                self._filled.append(f"nn.init.constant_(net.{first}.weight, 0.1)")
            self._between(8, _NORMS)

    def _vectors(self) -> str:
        self._middle()
        return "floats({seed}, 6, 8)"

    def _images(self) -> str:
        self._add(self._draw.choice(_CONVOLUTIONS))
        self._between(4, _NORMS_OF_IMAGES)
        if self._draw.random() < 0.5:
            self._add("nn.Conv2d(4, 4, 3, padding=1, groups=2)")
        self._add(self._draw.choice(_POOLS))
        self._add("nn.AdaptiveAvgPool2d((2, 2))" if self._draw.random() < 0.7 else "nn.AdaptiveMaxPool2d(2)")
        self._made.lines.append(
            self._draw.choice(("x = x.flatten(1)", "x = torch.flatten(x, 1)", "x = x.view(x.size(0), -1)"))
        )
        self._add("nn.Linear(16, 8)")
        self._middle()
        return "floats({seed}, 4, 3, 8, 8)"

    def _tokens(self) -> str:
        padding = self._draw.choice((", padding_idx=0", ", padding_idx=2", "", ", 0"))
        name = self._name(f"nn.Embedding(9, 8{padding})")
        self._made.lines.append(f"ids, x = x, self.{name}(x)")
        form = self._draw.choice(
            ("mean", "masked", "lstm", "gru", "attention", "last", "bag", "rnn", "encoder")
        )
        if form in ("lstm", "gru", "rnn"):
            layer = {"lstm": "nn.LSTM", "gru": "nn.GRU", "rnn": "nn.RNN"}[form]
            more = self._draw.choice(("", ", num_layers=2", ", bidirectional=True"))
            half = 4 if "bidirectional" in more else 8
            name = self._name(f"{layer}(8, {half}, batch_first=True{more})")
            self._made.lines.append(f"x, _ = self.{name}(x)\n        x = x[:, -1]")
        elif form == "attention":
            name = self._name("nn.MultiheadAttention(8, 2, batch_first=True)")
            self._made.lines.append(f"x, _ = self.{name}(x, x, x)\n        x = x.mean(dim=1)")
        elif form == "encoder":
            self._add("nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)")
            self._made.lines.append("x = x.mean(dim=1)")
        elif form == "masked":
            self._made.lines.append("mask = (ids != 0).unsqueeze(-1).float()")
            self._made.lines.append("x = (x * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)")
        elif form == "bag":
            self._made.lines.append("x = x.max(dim=1).values")
        else:
            self._made.lines.append("x = x.mean(dim=1)" if form == "mean" else "x = x[:, -1, :]")
        self._middle()
        return "numbers({seed}, 9, 6, 5)"

    def _signals(self) -> str:
        self._add(
            self._draw.choice(
                (
                    "nn.Conv1d(2, 4, 3, padding=1)",
                    "nn.Conv1d(2, 4, 3, stride=2)",
                    "nn.ConvTranspose1d(2, 4, 2, 2)",
                )
            )
        )
        self._between(4, ("nn.BatchNorm1d({})", "nn.GroupNorm(2, {})", "nn.InstanceNorm1d({})"))
        self._add(self._draw.choice(("nn.MaxPool1d(2)", "nn.AvgPool1d(2)", "nn.AvgPool1d(3, 1)")))
        self._add("nn.AdaptiveAvgPool1d(1)")
        self._made.lines.append("x = x.reshape(x.shape[0], -1)")
        self._add("nn.Linear(4, 8)")
        self._middle()
        return "floats({seed}, 5, 2, 16)"

    # -- training ----------------------------------------------------------------------------------

    def _main(self, data: str) -> str:
        lines = ["net = Net()", *self._filled]
        names = [
            line.partition(" = ")[0].removeprefix("self.")
            for line in self._made.layers
            if ".weight =" not in line
        ]
        if len(names) > 1 and self._draw.random() < 0.3:
            frozen = self._draw.choice(names[:-1])
            lines += [f"for p in net.{frozen}.parameters():", "    p.requires_grad = False"]
        mode = (
            "eval" if self._has_dropout else self._draw.choice(("none", "train", "eval", "both", "outside"))
        )
        other = self._draw.choice(("", "", "", "copy", "second"))
        lines += {"eval": ["net.eval()"], "outside": ["net.train()"]}.get(mode, [])
        if other and not self._has_dropout:
            lines.append("other = copy.deepcopy(net)" if other == "copy" else "other = Net()")
        given = self._draw.choice(
            ("net.parameters()", "net.parameters()", "[p for p in net.parameters() if p.requires_grad]",
             "filter(lambda p: p.requires_grad, net.parameters())")
        )  # fmt: skip
        lines.append(f"optimizer = {self._draw.choice(_OPTIMIZERS).format(given)}")
        is_scheduled, is_clipped = self._draw.random() < 0.3, self._draw.random() < 0.3
        lines += [f"scheduler = {self._draw.choice(_SCHEDULERS)}"] if is_scheduled else []
        of_classes = self._draw.random() < 0.5
        lines.append(f"criterion = {self._draw.choice(_OF_CLASSES if of_classes else _OF_NUMBERS)}")
        lines += ["losses = []", "for step in range(3):"]
        body = ["net.train()"] if mode in ("train", "both") else []
        body.append(f"x = {data.format(seed='step')}")
        body.append("y = numbers(step + 10, 3, x.shape[0])" if of_classes else self._target())
        body += self._step(other if not self._has_dropout else "", is_clipped=is_clipped)
        body += ["scheduler.step()"] if is_scheduled else []
        if mode == "both":
            body += [
                "net.eval()",
                "with torch.no_grad():",
                f"    losses.append(net({data.format(seed='7')}).sum().item())",
            ]
        lines += [f"    {line}" for line in body]
        lines += [
            "net.eval()",
            "with torch.no_grad():",
            f"    out = net({data.format(seed='8')})",
            "return losses, out",
        ]
        return "\n    ".join(lines)

    def _target(self) -> str:
        return "y = (floats(step + 10, x.shape[0], 3) > 0).float()"

    def _step(self, other: str, *, is_clipped: bool) -> list[str]:
        loss = self._draw.choice(("plain", "plain", "two", "added", "inner"))
        lines = ["optimizer.zero_grad()"]
        if loss == "two":
            lines += ["loss = criterion(net(x), y) + 0.5 * criterion(net(x * 1), y)"]
        elif loss == "added":
            lines += ["out = net(x)", "loss = criterion(out, y)", "loss = loss + 0.01 * out.pow(2).sum()"]
        elif loss == "inner":
            lines += [
                "loss = criterion(net(x), y)",
                "loss = loss + 0.001 * sum(p.pow(2).sum() for p in net.parameters())",
            ]
        else:
            lines += ["out = net(x)", "loss = criterion(out, y)"]
        if other:
            lines += [
                "with torch.no_grad():",
                "    wanted = other(x)",
                "loss = loss + F.mse_loss(net(x), wanted)",
            ]
        lines.append("loss.backward()")
        lines += ["torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)"] if is_clipped else []
        return [*lines, "optimizer.step()", "losses.append(loss.item())"]


def program(seed: int) -> str:
    """The text of the program that a seed makes."""
    return Drawing(seed).text()


def nudged(text: str) -> str:
    """A program whose data differs by one rounding error: every number by 1e-7 of itself, up or down."""
    assert text.count(_DATA) == 1
    return text.replace(_DATA, f"{_DATA} * (1 + 1e-7 * np.random.RandomState(1).choice((-1, 1), shape))")


_DATA = "np.random.RandomState(seed).randn(*shape)"
_PROGRAM = """\
import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def floats(seed, *shape):
    values = np.random.RandomState(seed).randn(*shape)
    return torch.from_numpy(values.astype(np.float32))


def numbers(seed, end, *shape):
    return torch.from_numpy(np.random.RandomState(seed).randint(0, end, shape).astype(np.int64))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {layers}

    def forward(self, x):
        {lines}
        return x


def main():
    {main}
"""
