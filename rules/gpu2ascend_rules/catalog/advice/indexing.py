"""ADV101 and ADV102: places that a mask or integers choose."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import holds_comment
from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, on, replace
from ...inference.kinds import Kind
from ...inference.models.code import ModelCode
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding
from ...receivers.residence import computes_on_cpu, model_code
from ...text.syntax import chain_of, field, parts_of, target_of, text_of, without_parentheses
from ...text.uses import uses_of_variable
from .advice_rule import AdviceRule
from .models.model_rule import ModelRule

_MODEL = (
    "import torch\nclass Layer(torch.nn.Module):\n    def __init__(self):\n"
    "        self.layer = torch.nn.Linear(4, 4)\n"
)
_NUMBERS = ("integer", "float", "unary_operator")
_NO_TENSORS = frozenset({"ellipsis", "integer", "none", "slice", "string"})
"""Indices by which most places are, so that what they index need not be known."""
_INDICES = (
    "torch.randperm", "torch.argsort", "torch.randint", "torch.multinomial",
)  # fmt: skip


class MaskWrite(AdviceRule):
    """Elements selected by a mask are assigned.

    What it does: Offers ``x.masked_fill_(x < 0, 0)`` for ``x[x < 0] = 0`` if ``x`` is a tensor.

    Why it matters on the NPU: The assignment uses the operator IndexPut, which runs on the AI CPU. In a
    sample of the vendor with the shape (512, 32, 64) it took 9.6 ms, compared with 0.17 ms for an operator of
    the vector unit.

    Example: ``x[x < 0] = 0``.

    Use instead: ``x.masked_fill_(mask, value)``, or ``torch.where``.
    """

    code = "ADV101"
    only_with = "torch"
    examples = (
        Example(
            "import torch\ndef f(n):\n    x = torch.randn(n)\n    x[x < 0] = 0\n",
            unsafe="import torch\ndef f(n):\n    x = torch.randn(n)\n    x.masked_fill_(x < 0, 0)\n",
        ),
        Example(
            "import torch\ndef f(n):\n    x = torch.randn(n)\n    mask = x > 1\n    x[mask] = -1.0\n",
            unsafe="import torch\ndef f(n):\n    x = torch.randn(n)\n    mask = x > 1\n"
            "    x.masked_fill_(mask, -1.0)\n",
        ),
        Example("import torch\ndef f(n, y):\n    x = torch.randn(n)\n    x[x < 0] = y\n"),
        Example.unchanged("import torch\ndef f(n):\n    x = torch.randn(n)\n    x[n - 1] = 0\n"),
        Example.unchanged("import numpy as np\nimport torch\ndef f(x):\n    x[x < 0] = 0\n"),
        Example(
            f"{_MODEL}    def forward(self, x):\n        y = self.layer(x)\n        y[y > 0] = 0\n"
            "        return y\n",
            unsafe=f"{_MODEL}    def forward(self, x):\n        y = self.layer(x)\n"
            "        y.masked_fill_(y > 0, 0)\n        return y\n",
        ),
        Example.unchanged("import torch\ndef f(x):\n    return x[x < 0] == 0\n"),
    )

    @on.mask_write()
    def written(self, assignment: Node, ctx: Context) -> Iterator[Finding]:
        item, value = field(assignment, "left"), field(assignment, "right")
        target = field(item, "value")
        if item is None or value is None or target is None or chain_of(target) is None:
            return
        indices = item.children_by_field_name("subscript")
        if len(indices) != 1 or computes_on_cpu(item, (target,), ctx):
            return
        if not _is_of_tensors(target, indices[0], ctx):
            return
        fix = None
        if value.type in _NUMBERS and not holds_comment(assignment):
            text = f"{text_of(target)}.masked_fill_({text_of(indices[0])}, {text_of(value)})"
            fix = self.fix(Applicability.UNSAFE, edits=[replace(assignment, text)])
        yield self.advise(assignment, "write", fix=fix)


def _is_of_tensors(target: Node, index: Node, ctx: Context) -> bool:
    """Whether a mask chooses elements of a tensor."""
    code = model_code(ctx)
    if code.is_mask(index):
        return True
    return _is_mask(index, ctx) and (ctx.kind(target) is Kind.TENSOR or code.is_tensor(target))


def _is_mask(node: Node, ctx: Context) -> bool:
    """Whether a node is a comparison of values, or a name that is only ever given one."""
    inner = without_parentheses(node)
    if inner.type == "comparison_operator":
        return not any(text_of(child) in ("in", "is", "not in", "is not") for child in inner.children)
    value = ctx.source.names.only_value(inner)
    return value is not None and value.type == "comparison_operator"


class IntegerIndex(ModelRule):
    """A tensor is indexed by a tensor of integers.

    What it does: Reports ``x[index]`` if the index comes from ``torch.randperm``, ``argsort``, ``randint`` or
    ``multinomial``, and in the forward pass of a model if it is a tensor of another origin, once for each
    function. Classes of datasets, samplers and collators are excluded, because their tensors are on
    the CPU.

    Why it matters on the NPU: Indexing by integers runs on the AI CPU; ``index_select`` and ``gather`` run on
    the vector unit.

    Example: ``x[torch.randperm(n)]``.

    Use instead: ``torch.index_select(x, 0, index)``, or ``gather``.
    """

    code = "ADV102"
    examples = (
        Example("import torch\norder = torch.randperm(n)\ny = x[order]\n"),
        Example("import torch\ny = x[torch.argsort(score)]\n"),
        Example(f"{_MODEL}    def forward(self, x, picked):\n        return self.layer(x)[picked.long()]\n"),
        Example.unchanged(f"{_MODEL}    def forward(self, x, i=0):\n        return self.layer(x)[i]\n"),
        Example.unchanged("import torch\norder = torch.randperm(n).tolist()\ny = x[order]\n"),
        Example.unchanged(
            "import torch\nclass OwnData:\n    def mix(self, x):\n        return x[torch.randperm(9)]\n"
        ),
        Example.unchanged("import torch\norder = torch.randperm(n)\nfor i in order:\n    y = x[i]\n"),
    )

    @on.name(*_INDICES)
    def made(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        for node in _held_by(ref.call, ctx):
            item = parent_of(node)
            parts = parts_of(item) if item is not None and item.type == "subscript" else []
            if item is not None and len(parts) == 2 and parts[1] == node:
                if computes_on_cpu(item, parts[:1], ctx):
                    return
                yield self.advise(item, "taken", api=ref.name)
                return

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        taken = (node for node in code.nodes("subscript") if _is_by_integers(node, code, ctx))
        yield from self.once_each(taken, lambda node, count: self.advise(node, "indexed", count=count), ctx)


def _is_by_integers(node: Node, code: ModelCode, ctx: Context) -> bool:
    """Whether a tensor of numbers chooses elements, which no call of the list above made."""
    holder = parent_of(node)
    if holder is not None and "assignment" in holder.type and field(holder, "left") == node:
        return False
    value = field(node, "value")
    indices = [one for one in node.children_by_field_name("subscript") if one.type not in _NO_TENSORS]
    return (
        value is not None
        and bool(indices)
        and code.is_tensor(value)
        and any(
            code.is_tensor(index) and not code.is_mask(index) and not _is_made(index, ctx)
            for index in indices
        )
    )


def _is_made(index: Node, ctx: Context) -> bool:
    """Whether an index comes from a call that is reported itself, or is one number."""
    texts = [text_of(one) for one in ctx.origins(index)]
    return any(name.removeprefix("torch.") + "(" in text for text in texts for name in _INDICES)


def _held_by(call: Node, ctx: Context) -> Iterator[Node]:
    """The expressions that have exactly the value of a call: itself, or the uses of its variable."""
    yield call
    target = target_of(call)
    if target is None or target.type != "identifier":
        return
    if len(ctx.source.names.bindings_in_scope(text_of(target), target)) == 1:
        yield from uses_of_variable(target, ctx.source)
