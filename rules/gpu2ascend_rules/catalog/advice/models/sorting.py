"""ADV128: sorting of integers, and distinct elements."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.rule import Example
from ....inference.models.code import ModelCode
from ....model.finding import Finding
from ....text.syntax import arguments_of, called_on, last_name, text_of
from .model_rule import ModelRule

_SORTS = frozenset({"sort", "argsort"})
_WHOLE = (".long()", "torch.int64)", "torch.long)")
_HEAD = "import torch\nfrom torch import nn\nclass Pool(nn.Module):\n"


class IntegersSorted(ModelRule):
    """A model sorts integers of 64 bits, or looks for distinct elements.

    What it does: Reports ``sort`` and ``argsort`` of a tensor that was made int64, and ``torch.unique``, in
    the forward pass of a model or in a loss.

    Why it matters on the NPU: Sorting of int64 runs on the AI CPU. How many elements ``unique`` gives is only
    known on the device, so that the host waits.

    Example: ``ranks.long().argsort()``.

    Use instead: ``ranks.float().argsort()`` for keys below 2 to the power of 24, or int32; for voxels
    ``mx_driving.unique_voxel``; or compute them on the CPU while the batch is loaded.
    """

    code = "ADV128"
    examples = (
        Example(f"{_HEAD}    def forward(self, ranks):\n        return ranks.long().argsort()\n"),
        Example(
            f"{_HEAD}    def forward(self, x):\n        k = x.detach().long()\n        return torch.sort(k)\n"
        ),
        Example(
            f"{_HEAD}    def forward(self, x):\n"
            "        return torch.unique(x.detach(), dim=0, return_inverse=True)\n"
        ),
        Example.unchanged(f"{_HEAD}    def forward(self, x):\n        return x.detach().argsort()\n"),
        Example.unchanged(
            f"{_HEAD}    def forward(self, x):\n        names = sorted(x)\n        return names.sort()\n"
        ),
    )

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        for call in code.calls((*_SORTS, "unique")):
            value = _of_tensor(call)
            if value is None:
                continue
            if last_name(call) == "unique" and code.is_tensor(value):
                yield self.advise(call, "distinct")
            elif last_name(call) in _SORTS and _is_whole(value, code, ctx):
                yield self.advise(call, "sorted")


def _of_tensor(call: Node) -> Node | None:
    """What a function of torch, or a method, works on."""
    owner = called_on(call)
    if owner is None:
        return None
    given = arguments_of(call).get("input", 0) if text_of(owner) == "torch" else None
    return given.value if given is not None else owner


def _is_whole(value: Node, code: ModelCode, ctx: Context) -> bool:
    return code.is_tensor(value) and all(text_of(item).endswith(_WHOLE) for item in ctx.origins(value))
