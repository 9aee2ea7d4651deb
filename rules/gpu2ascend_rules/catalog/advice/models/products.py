"""ADV117: matrix products of small matrices."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.rule import Example
from ....inference.models.code import ModelCode
from ....limits.parents import parent_of
from ....model.finding import Finding
from ....text.syntax import (
    arguments_of,
    called_on,
    field,
    last_name,
    operator_of,
    outside_parentheses,
    text_of,
    without_parentheses,
)
from .model_rule import ModelRule

_SMALL = re.compile(r"(?:view|reshape|repeat|expand)\([^()]*,\s*([34]),\s*\1,?\s*\)")
_VECTOR = re.compile(r"\.unsqueeze\(-1\)$|\[[^\[\]]*,\s*None\]$|(?:view|reshape)\([^()]*,\s*1,?\s*\)$")
_TYPES = frozenset({"to", "float", "type", "half", "double"})
_PRODUCTS = frozenset({"matmul", "bmm"})
_NAMED = re.compile(
    r"rot|intrin|extrin|lidar2|ego2|cam2|bda|img2|2img|2lidar|2ego|pose|inv|transform|_mat\b|\bmat", re.I
)
"""What names of matrices between systems of coordinates have in them."""
_HEAD = "import torch\nfrom torch import nn\nclass View(nn.Module):\n"


class SmallProduct(ModelRule):
    """A model multiplies matrices of three or four rows.

    What it does: Reports ``matmul`` in the forward pass of a model if a matrix is reshaped to 3 x 3 or
    4 x 4, or is one between systems of coordinates by its name, and is multiplied with a vector
    (``unsqueeze(-1)``).

    Why it matters on the NPU: The matrix unit computes in blocks of 16 x 16, so that nearly all of its work
    is with padding.

    Example: ``torch.matmul(lidar2img, points.unsqueeze(-1)).squeeze(-1)``.

    Use instead: ``(lidar2img * points.unsqueeze(-2)).sum(-1)``, which the vector unit computes.
    """

    code = "ADV117"
    examples = (
        Example(
            f"{_HEAD}    def forward(self, p, lidar2img):\n"
            "        m = lidar2img.view(2, 1, 4, 4)\n"
            "        return torch.matmul(m, p.unsqueeze(-1)).squeeze(-1)\n"
        ),
        Example(f"{_HEAD}    def forward(self, p, rots):\n        return rots.matmul(p.unsqueeze(-1))\n"),
        Example.unchanged(
            f"{_HEAD}    def forward(self, q, k):\n        return torch.matmul(q, k.transpose(1, 2))\n"
        ),
        Example.unchanged(
            f"{_HEAD}    def forward(self, w, v):\n        return torch.matmul(w, v.unsqueeze(-1))\n"
        ),
    )

    def in_model(self, code: ModelCode, ctx: Context) -> Iterator[Finding]:
        found = (
            node
            for node in (*code.calls(_PRODUCTS), *code.nodes("binary_operator"))
            if (pair := factors(node)) is not None and _are_small(*pair, _is_squeezed(node), ctx)
        )
        in_order = iter(sorted(found, key=lambda node: node.start_byte))
        yield from self.once_each(in_order, lambda node, count: self.advise(node, "small", count=count), ctx)


def factors(node: Node) -> tuple[Node, Node] | None:
    """The operands of a matrix product: ``a @ b``, ``torch.matmul(a, b)``, ``a.matmul(b)``."""
    if node.type == "binary_operator":
        left, right = field(node, "left"), field(node, "right")
        return (left, right) if operator_of(node) == "@" and left is not None and right is not None else None
    function = field(node, "function")
    if function is None or function.type != "attribute":
        return None
    given, receiver = arguments_of(node).positional, field(function, "object")
    if len(given) == 2:
        return given[0].value, given[1].value
    return (receiver, given[0].value) if len(given) == 1 and receiver is not None else None


def _as_it_was(node: Node) -> Node:
    """A tensor before it was moved or its type was changed."""
    node = without_parentheses(node)
    owner = called_on(node)
    return _as_it_was(owner) if owner is not None and last_name(node) in _TYPES else node


def _is_squeezed(product: Node) -> bool:
    """Whether the last dimension of a product is dropped, as it is one."""
    member = parent_of(outside_parentheses(product))
    call = parent_of(member) if member is not None and member.type == "attribute" else None
    return (
        call is not None and call.type == "call" and text_of(call).replace(" ", "").endswith(".squeeze(-1)")
    )


def _are_small(left: Node, right: Node, is_squeezed: bool, ctx: Context) -> bool:
    """Whether a matrix of few rows is multiplied by a vector, which is looked at first: few are of one."""
    vector = _texts(right, ctx)
    if not is_squeezed and not any(_VECTOR.search(text) for text in vector):
        return False
    matrix = _texts(left, ctx)
    return any(map(_NAMED.search, matrix)) or any(map(_SMALL.search, (*matrix, *vector)))


def _texts(factor: Node, ctx: Context) -> list[str]:
    """A factor, and what it may come from, as it is written."""
    return [text_of(item) for item in (factor, *ctx.origins(_as_it_was(factor)))]
