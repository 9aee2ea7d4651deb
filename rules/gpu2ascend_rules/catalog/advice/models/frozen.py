"""ADV127: frozen batch norms that are written by hand."""

from __future__ import annotations

from collections.abc import Iterator

from ....engine.context import Context
from ....engine.rule import Example
from ....inference.models.code import ModelCode
from ....limits.below import nodes_below
from ....model.finding import Finding
from ....text.syntax import field, text_of
from .model_rule import ModelRule

_PARTS = ("running_mean", "running_var", "rsqrt")
_WORDS = frozenset(part.encode() for part in _PARTS)
_CLASS = (
    "import torch\nclass FrozenBatchNorm2d(torch.nn.Module):\n    def forward(self, x):\n"
    "        scale = self.weight.view(1, -1, 1, 1) * (self.running_var.view(1, -1, 1, 1) + 1e-5).rsqrt()\n"
    "        return x * scale + self.bias.view(1, -1, 1, 1) - self.running_mean.view(1, -1, 1, 1) * scale\n"
)


class FrozenBatchNorm(ModelRule):
    """A frozen batch norm is written by hand.

    What it does: Reports classes whose ``forward`` computes a batch norm from ``running_mean`` and
    ``running_var`` with ``rsqrt``.

    Why it matters on the NPU: Eight small operators, and the image is read twice; ``F.batch_norm`` is one.

    Example: ``x * scale + bias`` with ``scale = weight * (running_var + eps).rsqrt()``.

    Use instead: ``F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, False, 0.0,
    1e-5)``. It differs in the last digit.
    """

    code = "ADV127"
    examples = (
        Example(_CLASS),
        Example.unchanged(
            "import torch\nimport torch.nn.functional as F\nclass FrozenBatchNorm2d(torch.nn.Module):\n"
            "    def forward(self, x):\n"
            "        return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias)\n"
        ),
    )

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        for function in code.functions if ctx.source.words >= _WORDS else ():
            name = field(function, "name")
            if name is None or text_of(name) != "forward":
                continue
            names = {text_of(node) for node in nodes_below(function) if node.type == "identifier"}
            if names.issuperset(_PARTS):
                yield self.advise(name, "written")
