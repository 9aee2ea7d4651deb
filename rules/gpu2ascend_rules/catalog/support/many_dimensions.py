"""NPU012: matrix products of tensors with more than six dimensions."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, NameRef
from ...engine.rule import Example, Rule, on
from ...limits.walks import WALK_LIMITS
from ...model.finding import Finding, Severity
from ...receivers.residence import computes_on_cpu
from ...text.syntax import arguments_of, called_on, last_name, text_of, without_parentheses

_MOST = 6
_SHAPES = frozenset({"view", "reshape"})
_KEEP = frozenset({"to", "float", "half", "double", "contiguous", "cuda", "npu", "type", "clone", "detach"})
_INPUTS = ("input", "other")


class ManyDimensions(Rule):
    """A matrix product has operands of more than six dimensions.

    What it does: Reports ``matmul`` if an operand is evidently reshaped to seven or more dimensions: by
    ``view`` or ``reshape`` with as many sizes, also with ``unsqueeze`` behind it.

    Why it matters on the NPU: The operator does not support more than six dimensions.

    Example: ``rot.view(b, n, 1, 1, 1, 3, 3).matmul(points.unsqueeze(-1))``.

    Use instead: flatten the dimensions of the points into one before the product, and restore them behind it.
    """

    code = "NPU012"
    only_with = "torch"
    examples = (
        Example("import torch\ny = rot.view(b, n, 1, 1, 1, 3, 3).matmul(p.unsqueeze(-1))\n"),
        Example("import torch\nm = rot.view(b, 1, n, 1, 1, 4, 4)\ny = torch.matmul(m.float(), p)\n"),
        Example("import torch\nm = rot.reshape(b, 1, n, 1, 1, 4)\ny = torch.matmul(m.unsqueeze(-1), p)\n"),
        Example.unchanged("import torch\ny = torch.matmul(rot.view(b, n, 1, 1, 3, 3), p)\n"),
        Example.unchanged("import torch\ny = torch.matmul(rot.view(*shape, 1, 1, 1, 1, 3, 3)[0], p)\n"),
    )

    @on.name("torch.matmul")
    def function(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        operands = [ref.arguments.get(name, place) for place, name in enumerate(_INPUTS)]
        values = [item.value for item in operands if item is not None]
        if ref.call is not None:
            yield from self._product(ref.call, values, ctx)

    @on.member("matmul")
    def method(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and ref.receiver_name is None:
            other = ref.arguments.at(0)
            yield from self._product(ref.call, [ref.receiver, *([other.value] if other else [])], ctx)

    def _product(self, call: Node, operands: list[Node], ctx: Context) -> Iterator[Finding]:
        most = max((dimensions(operand, ctx) for operand in operands), default=0)
        if most > _MOST and not computes_on_cpu(call, operands, ctx):
            yield self.report(call, "many", Severity.WARNING, api="torch.matmul", count=most)


def dimensions(value: Node, ctx: Context, depth: int = 0) -> int:
    """How many dimensions an expression has where the file shows it; else 0."""
    node = without_parentheses(value)
    known: dict[int, int] = ctx.once(dimensions, dict)
    if node.id not in known:
        known[node.id] = 0  # also while it is looked at: a variable may come from itself
        known[node.id] = _looked_up(node, ctx, depth) if depth <= WALK_LIMITS.depth else 0
    return known[node.id]


def _looked_up(node: Node, ctx: Context, depth: int) -> int:
    if node.type != "identifier":
        return _of_call(node, ctx, depth + 1)
    found = {_of_call(origin, ctx, depth + 1) for origin in ctx.origins(node)}
    return found.pop() if len(found) == 1 else 0


def _of_call(node: Node, ctx: Context, depth: int) -> int:
    owner = called_on(node)
    if owner is None:
        return 0
    name, given = last_name(node), arguments_of(node)
    if name in _SHAPES and not given.unpacked and len(given.positional) > 1:
        return len(given.positional)
    if name == "unsqueeze":
        inner = dimensions(owner, ctx, depth)
        return inner + 1 if inner else 0
    return dimensions(owner, ctx, depth) if name in _KEEP and text_of(owner) != "torch" else 0
