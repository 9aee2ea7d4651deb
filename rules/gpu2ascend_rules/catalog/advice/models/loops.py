"""ADV126: loops of small operators."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.rule import Example
from ....inference.models.code import ModelCode
from ....limits.below import nodes_in
from ....model.finding import Finding
from ....text.syntax import arguments_of, field, last_name, text_of
from .model_rule import ModelRule

_MOST = 3
"""Statements of a loop that only fills a result."""
_HEAD = "import torch\nfrom torch import nn\nclass Head(nn.Module):\n"


class SmallLoop(ModelRule):
    """A model computes row by row.

    What it does: Reports loops over ``range`` or ``enumerate`` in the forward pass of a model that only put
    into a list or a row what a layer or an operator makes of ``x[i]``.

    Why it matters on the NPU: The host starts each operator by itself; for small ones that takes longer
    than the operator.

    Example: ``for i in range(n): out.append(self.encoder(x[:, i]))``.

    Use instead: one call for all: ``self.encoder(x.flatten(0, 1))`` and a ``view`` of the result; for rows of
    different length ``torch.arange(n) < lengths[:, None]``.
    """

    code = "ADV126"
    examples = (
        Example(
            f"{_HEAD}    def forward(self, x):\n        out = []\n        for i in range(4):\n"
            "            out.append(self.encoder(x[:, i]))\n        return torch.stack(out)\n"
        ),
        Example(
            f"{_HEAD}    def forward(self, x, lengths):\n        mask = torch.zeros(3, 4)\n"
            "        for i, n in enumerate(lengths):\n            mask[i, :n] = 1\n"
            "        return x * mask\n"
        ),
        Example.unchanged(
            f"{_HEAD}    def forward(self, x):\n        for layer in self.layers:\n"
            "            x = layer(x)\n        return x\n"
        ),
        Example.unchanged(
            f"{_HEAD}    def forward(self, x):\n        for i, branch in enumerate(self.branches):\n"
            "            x[i] = branch(x[i])\n        return x\n"
        ),
        Example.unchanged(
            f"{_HEAD}    def forward(self, x):\n        for i in range(4):\n"
            "            x = self.layers[i](x)\n        return x\n"
        ),
    )

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        loops = (node for node in code.nodes("for_statement") if _fills(node, code))
        yield from self.once_each(
            loops, lambda node, count: self.advise(_head(node), "row", count=count), ctx
        )


def _head(loop: Node) -> Node:
    """The part of a loop that says over what it goes."""
    return field(loop, "right") or loop


def _fills(loop: Node, code: ModelCode) -> bool:
    body, iterable, left = field(loop, "body"), field(loop, "right"), field(loop, "left")
    if body is None or iterable is None or left is None or iterable.type != "call":
        return False
    if last_name(iterable) not in ("range", "enumerate"):
        return False
    statements = [item for item in body.named_children if item.type != "comment"]
    counter = text_of(next(iter(left.named_children), left)) if left.type != "identifier" else text_of(left)
    if not 0 < len(statements) <= _MOST or any(item.type != "expression_statement" for item in statements):
        return False
    fills = [_row_of(item, counter) for item in statements]
    return fills[-1] and _takes_row(body, counter, code) and not _goes_over_layers(left, iterable, body, code)


def _goes_over_layers(target: Node, iterable: Node, body: Node, code: ModelCode) -> bool:
    """Whether each row has a layer of its own."""
    given = arguments_of(iterable).at(0)
    if last_name(iterable) == "enumerate" and given is not None and code.is_module(given.value):
        return True
    drawn = {text_of(node) for node in nodes_in(target) if node.type == "identifier"}
    called = (field(node, "function") for node in nodes_in(body) if node.type == "call")
    return any(
        function is not None and (function.type == "subscript" or text_of(function) in drawn)
        for function in called
    )


def _row_of(statement: Node, counter: str) -> bool:
    """Whether a statement puts something into a list, or into the row of a counter."""
    inner = statement.named_children[0]
    if inner.type == "call":
        return last_name(inner) == "append"
    target = field(inner, "left")
    if inner.type != "assignment" or target is None or target.type != "subscript":
        return False
    return any(text_of(part) == counter for part in target.children_by_field_name("subscript"))


def _takes_row(body: Node, counter: str, code: ModelCode) -> bool:
    """Whether a row of a tensor is taken by the counter."""
    for node in nodes_in(body):
        value = field(node, "value") if node.type == "subscript" else None
        if value is None or not code.is_tensor(value):
            continue
        if any(
            text_of(part) == counter
            for index in node.children_by_field_name("subscript")
            for part in nodes_in(index)
        ):
            return True
    return False
