"""ADV119 and ADV125: dimensions that are moved again and again, and columns that are taken one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from tree_sitter import Node

from ....engine.context import Context
from ....engine.rule import Example
from ....inference.models.code import ModelCode
from ....model.finding import Finding
from ....text.syntax import field, is_field, text_of
from .model_rule import ModelRule

_SWAPS = re.compile(
    r"\.(?:permute\(\s*1,\s*0(?:,\s*2)?(?:,\s*3)?\s*\)|transpose\(\s*(?:0,\s*1|1,\s*0)\s*\))$"
)
_COLUMN = re.compile(r"(?:\.\.\.|:)\s*,\s*(\d+)(?::(\d+))?$")
_MANY, _COLUMNS = 4, 3
_HEAD = "import torch\nfrom torch import nn\nclass Head(nn.Module):\n"


class PermutedAgain(ModelRule):
    """A model swaps the first two dimensions again and again.

    What it does: Reports functions of a model with four or more ``permute(1, 0, 2)`` or ``transpose(0, 1)``.

    Why it matters on the NPU: Each of them copies the tensor as soon as an operator needs it contiguous.

    Example: ``q = q.permute(1, 0, 2)``, and back after each attention layer.

    Use instead: ``batch_first=True`` in the layers, so that the tensors stay as they are.
    """

    code = "ADV119"
    examples = (
        Example(
            f"{_HEAD}    def forward(self, q, k):\n        q = q.permute(1, 0, 2)\n"
            "        k = k.permute(1, 0, 2)\n"
            "        y = self.a(q, k).permute(1, 0, 2)\n        return self.b(y.permute(1, 0, 2))\n"
        ),
        Example.unchanged(
            f"{_HEAD}    def forward(self, q):\n        return self.a(q.permute(1, 0, 2)).permute(1, 0, 2)\n"
        ),
    )

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        swaps = (node for node in code.calls(("permute", "transpose")) if _SWAPS.search(text_of(node)))
        for found in self.once_each(
            swaps, lambda node, count: self.advise(node, "swapped", count=count), ctx
        ):
            if int(str(dict(found.message.arguments)["count"])) >= _MANY:
                yield found


class ColumnByColumn(ModelRule):
    """A model takes columns of a tensor one by one.

    What it does: Reports three or more slices ``x[..., 0:1]``, ``x[..., 1:2]`` of neighbouring columns of a
    tensor in one function of a model.

    Why it matters on the NPU: Each slice of the last dimension is an operator that reads scattered memory.

    Example: ``torch.cat((box[..., 0:1], box[..., 1:2], box[..., 2:3]), -1)``.

    Use instead: one slice ``box[..., 0:3]``, or all at once: ``cx, cy, w = box.unbind(-1)`` or
    ``box.split(1, -1)``.
    """

    code = "ADV125"
    examples = (
        Example(
            f"{_HEAD}    def forward(self, box):\n        x = box[..., 0:1]\n        y = box[..., 1:2]\n"
            "        z = box[..., 2:3]\n        return torch.cat((x, y, z), -1).exp()\n"
        ),
        Example.unchanged(
            f"{_HEAD}    def forward(self, box):\n        return box[..., 0:2], box[..., 2:4]\n"
        ),
        Example.unchanged(f"{_HEAD}    def forward(self, box):\n        return box.unbind(-1)\n"),
    )

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        columns = [
            (node, place) for node in code.nodes("subscript") if (place := _column(node, ctx)) is not None
        ]
        columns.sort(key=lambda item: item[1][:2])
        for _, group in groupby(columns, key=lambda item: item[1][:2]):
            found = sorted(group, key=lambda item: item[0].start_byte)
            numbers = sorted({place[2] for _, place in found})
            if len(numbers) >= _COLUMNS and numbers[-1] - numbers[0] == len(numbers) - 1:
                yield self.advise(found[0][0], "columns", count=len(numbers))


def _column(node: Node, ctx: Context) -> tuple[int, str, int] | None:
    """The function, the tensor and the number of a column that is read."""
    value, holder = field(node, "value"), ctx.source.enclosing(node, "function_definition")
    if value is None or holder is None or is_field(node, "left"):
        return None
    found = _COLUMN.search(text_of(node)[len(text_of(value)) + 1 : -1])
    if found is None or (found[2] is not None and int(found[2]) != int(found[1]) + 1):
        return None
    return holder.start_byte, text_of(value), int(found[1])
