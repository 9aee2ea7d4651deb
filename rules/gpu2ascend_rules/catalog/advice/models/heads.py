"""ADV118: attention layers whose weights nobody uses."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.rule import Example
from ....inference.models.code import ModelCode
from ....limits.parents import parent_of
from ....model.finding import Applicability, Edit, Finding
from ....text.syntax import arguments_of, field, text_of
from .model_rule import ModelRule

_LAYER = "torch.nn.MultiheadAttention"
_WEIGHTS = "need_weights"
_POSITION = 4
_HEAD = (
    "import torch\nfrom torch import nn\nclass Block(nn.Module):\n    def __init__(self):\n"
    "        self.attn = nn.MultiheadAttention(256, 8)\n    def forward(self, q, k):\n"
)


class UnusedWeights(ModelRule):
    """An attention layer computes weights that are not used.

    What it does: Adds ``need_weights=False`` to the call of an ``nn.MultiheadAttention`` of which only
    the first result is used.

    Why it matters on the NPU: With weights, the layer computes the attention by several operators; without
    them, by ``scaled_dot_product_attention``, which is one fused operator.

    Example: ``self.attn(q, k, v)[0]``.

    Use instead: ``self.attn(q, k, v, need_weights=False)[0]``.
    """

    code = "ADV118"
    name = "unused-attention-weights"
    examples = (
        Example(
            f"{_HEAD}        return self.attn(q, k, k)[0]\n",
            unsafe=f"{_HEAD}        return self.attn(q, k, k, need_weights=False)[0]\n",
        ),
        Example(
            f"{_HEAD}        y, _ = self.attn(q, k, value=k)\n        return y\n",
            unsafe=f"{_HEAD}        y, _ = self.attn(q, k, value=k, need_weights=False)\n        return y\n",
        ),
        Example.unchanged(f"{_HEAD}        return self.attn(q, k, k)\n"),
        Example.unchanged(f"{_HEAD}        return self.attn(q, k, k, need_weights=False)[0]\n"),
        Example.unchanged(f"{_HEAD}        y, w = self.attn(q, k, k)\n        return y, w\n"),
    )

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        if _LAYER.rpartition(".")[2].encode() not in ctx.source.data:
            return
        for call in code.nodes("call"):
            given, holder = arguments_of(call), field(call, "arguments")
            says = given.get(_WEIGHTS, _POSITION) is not None or given.unpacked
            if says or holder is None or not _is_layer(call, ctx) or not _leaves_weights(call):
                continue
            at = holder.end_byte - 1
            ends = text_of(holder)[:-1].rstrip()
            is_plain = b"#" not in ctx.source.data[holder.start_byte : at]
            separator = " " if ends.endswith(",") else ", "
            edits = [Edit(at, at, f"{separator}{_WEIGHTS}=False")] if is_plain and given.items else []
            yield self.advise(call, "unused", fix=self.fix(Applicability.UNSAFE, edits=edits))


def _is_layer(call: Node, ctx: Context) -> bool:
    """Whether what is called is an attribute that is only ever such a layer."""
    function = field(call, "function")
    if function is None or not text_of(function).startswith("self."):
        return False
    values = ctx.instances.classes.assigned_to_self(function, text_of(function).removeprefix("self."))
    made = [ctx.source.names.qualified_name(field(value, "function") or value) for value in values]
    return bool(made) and all(one is not None and one.qualified_name == _LAYER for one in made)


def _leaves_weights(call: Node) -> bool:
    """Whether only the first result of a call is used."""
    holder = parent_of(call)
    if holder is None:
        return False
    if holder.type == "subscript":
        return [text_of(index) for index in holder.children_by_field_name("subscript")] == ["0"]
    left = field(holder, "left") if holder.type == "assignment" else None
    names = left.named_children if left is not None and left.type in ("pattern_list", "tuple_pattern") else []
    return len(names) == 2 and text_of(names[1]).startswith("_")
