"""ADV114: elements of a tensor that a mask selects are read."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.rule import Example
from ....inference.models.code import ModelCode
from ....limits.parents import parent_of
from ....model.finding import Finding
from ....text.syntax import is_field
from .model_rule import ModelRule

_HEAD = "import torch\nfrom torch import nn\nclass Loss(nn.Module):\n"


class MaskRead(ModelRule):
    """A model selects elements by a mask.

    What it does: Reports ``x[mask]`` in the forward pass of a model or in a loss if the mask is a tensor of
    truth values, once for each function.

    Why it matters on the NPU: How many elements there are is only known on the device: the host waits for it
    (NonZero), and later operators have another shape in each step.

    Example: ``loss = per_element[mask].sum()``.

    Use instead: keep the shape: ``(per_element * mask).sum()``, or ``torch.where(mask, x, 0)``, with the
    number of elements as ``mask.sum()`` where a mean is wanted.
    """

    code = "ADV114"
    examples = (
        Example(
            f"{_HEAD}    def forward(self, x, y):\n        keep = y.detach() > 0\n"
            "        return x[keep].sum()\n"
        ),
        Example(f"{_HEAD}    def forward(self, x):\n        return x[torch.isfinite(x)].mean()\n"),
        Example.unchanged(f"{_HEAD}    def forward(self, x):\n        return x[x.size(0) - 1:]\n"),
        Example.unchanged("import numpy as np\nimport torch\ndef evaluate(x):\n    return x[x > 0].sum()\n"),
    )

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        read = (node for node in code.nodes("subscript") if _is_read_by_mask(node, code))
        yield from self.once_each(read, lambda node, count: self.advise(node, "read", count=count), ctx)


def _is_read_by_mask(node: Node, code: ModelCode) -> bool:
    indices = node.children_by_field_name("subscript")
    holder = parent_of(node)
    is_written = holder is not None and "assignment" in holder.type and is_field(node, "left")
    return bool(indices) and not is_written and code.is_mask(indices[0])
