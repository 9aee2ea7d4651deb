"""ADV116: constants that a model makes in each forward pass."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.rule import Example
from ....inference.models.code import ModelCode
from ....limits.below import nodes_in
from ....model.finding import Finding
from ....text.syntax import arguments_of, field, text_of
from .model_rule import ModelRule

_MAKERS = frozenset({"torch.tensor", "torch.as_tensor", "torch.Tensor", "torch.from_numpy"})
_LAST = frozenset({"new_tensor", *(name.rpartition(".")[2] for name in _MAKERS)})
_MADE_OF = frozenset(
    {"list", "tuple", "integer", "float", "identifier", "attribute", "unary_operator", "binary_operator",
     "true", "false", "subscript"}
)  # fmt: skip
"""What an expression of numbers consists of."""
_HEAD = "import torch\nfrom torch import nn\nclass Layer(nn.Module):\n"


class ConstantInForward(ModelRule):
    """A model makes a constant in each forward pass.

    What it does: Reports ``torch.tensor`` and the like, and ``x.new_tensor``, of numbers or attributes in the
    forward pass of a model or in a loss, once for each function.

    Why it matters on the NPU: The numbers are copied from the host in each step, and the host waits for the
    copy.

    Example: ``size = torch.tensor([[w, h]], device=x.device)``.

    Use instead: ``self.register_buffer('size', torch.tensor(...), persistent=False)`` in ``__init__``, which
    moves with the model; for one number, ``x.new_full((), n)`` or arithmetic with the number itself.
    """

    code = "ADV116"
    examples = (
        Example(
            f"{_HEAD}    def forward(self, x):\n"
            "        size = torch.tensor([[self.w, self.h]], device=x.device)\n        return x * size\n"
        ),
        Example(f"{_HEAD}    def forward(self, x):\n        return x * x.new_tensor([0.1, 0.1, 0.2, 0.2])\n"),
        Example.unchanged(f"{_HEAD}    def __init__(self):\n        self.w = torch.tensor([1.0])\n"),
        Example.unchanged(
            f"{_HEAD}    def forward(self, x, boxes):\n        return torch.tensor(make(boxes))\n"
        ),
        Example.unchanged(f"{_HEAD}    def forward(self, x):\n        return x * torch.zeros_like(x)\n"),
    )

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        made = (node for node in code.calls(_LAST) if _is_constant(node, code, ctx))
        yield from self.once_each(made, lambda node, count: self.advise(node, "made", count=count), ctx)


def _is_constant(call: Node, code: ModelCode, ctx: Context) -> bool:
    function = field(call, "function")
    given = arguments_of(call).at(0)
    if function is None or given is None:
        return False
    is_maker = ctx.source.names.name_of(function) in _MAKERS
    if not is_maker and not text_of(function).endswith(".new_tensor"):
        return False
    value = given.value
    is_own = value.type in ("list", "tuple", "integer", "float") or text_of(value).startswith("self.")
    parts = [node for node in nodes_in(value) if node.type != "comment"]
    is_plain = all(node.type in _MADE_OF for node in parts)
    return (
        is_own and is_plain and not any(code.is_tensor(node) for node in parts if node.type == "identifier")
    )
