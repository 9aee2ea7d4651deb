"""NPU624: attention that is computed in steps, with a mask and dropout between."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, NameRef
from ...engine.rule import Example, Rule, on
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...model.hardware import Hardware
from ...patterns.formula import Formula
from ...similar.replacements import steps_fix
from ...text.source_file import SourceFile
from ...text.syntax import (
    COMPREHENSION_TYPES,
    enclosing,
    enclosing_statement,
    field,
    text_of,
    without_parentheses,
)
from .written_out import (
    ATTENTION,
    FILLED,
    LAST_SOFTMAX,
    PRODUCT,
    SCORES,
    SOFTMAX,
    is_for_inference,
    may_multiply,
    scale_of,
)

_ADAPTER = "from ascend_function import similar_api\n"
_HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
_NEW_HEAD = _HEAD.replace("import torch\n", f"import torch\n{_ADAPTER}", 1)
_CLASS = "class A(nn.Module):\n    def __init__(self):\n        self.drop = nn.Dropout(0.1)\n"
_FORWARD = "    def forward(self, q, k, v, mask):\n"
_STEPS = (
    "        att = (q @ k.transpose(-2, -1)) * self.scale\n"
    "        att = att.masked_fill(mask == 0, float('-inf'))\n"
    "        att = F.softmax(att, dim=-1)\n"
)
_DROPPED = "        att = self.drop(att)\n"
_STATEMENTS = ("expression_statement", "return_statement")
"""The statements that a step may be; a compound one would be taken out with all that stands in it."""
_LATER = ("lambda", *COMPREHENSION_TYPES)
"""Expressions that may be computed later than the statement that holds them, or several times."""


class _Steps(NamedTuple):
    """The steps before a softmax."""

    first: Node
    """The statement that begins them."""
    names: frozenset[str]
    """The variables that hold what is between."""
    q: Node
    k: str
    scale: str
    mask: str


class _Result(NamedTuple):
    """What is done with the softmax."""

    product: Node
    v: Node
    dropout: str
    names: frozenset[str]


class FusableAttentionSteps(Rule):
    """Attention is computed in separate steps.

    What it does: Offers one call of ``similar_api.attention`` for consecutive statements that compute a
    product of queries and keys, a mask with ``masked_fill``, a softmax, dropout and the product with the
    values. On the NPU it runs ``torch_npu.npu_fusion_attention`` if the tensors have the dimensions batch,
    heads, sequence and head size, the masks are boolean and gradients are needed; otherwise it computes the
    formula. Steps whose scores are used elsewhere, steps with comments between them, and masks that are added
    are not changed.

    Why it matters on the NPU: The scores, whose size is the square of the sequence length, are never stored.
    Dropout draws other random numbers, and a row in which everything is masked may give another value.

    Example: ``att = F.softmax((q @ k.transpose(-2, -1) * scale).masked_fill(mask, float('-inf')), dim=-1)``
    and ``y = self.drop(att) @ v`` become ``y = similar_api.attention(q, k, v, scale, mask, ...)``.

    Use instead: ``torch.nn.functional.scaled_dot_product_attention``, or the operator.
    """

    code = "NPU624"
    is_specific = False
    examples = (
        Example(
            f"{_HEAD}{_CLASS}{_FORWARD}{_STEPS}{_DROPPED}        y = att @ v  # heads\n        return y\n",
            unsafe=f"{_NEW_HEAD}{_CLASS}{_FORWARD}"
            "        y = similar_api.attention(q, k, v, self.scale, mask=mask == 0, "
            "dropout=self.drop.p if self.drop.training else 0.0)  # heads\n        return y\n",
        ),
        Example(
            f"{_HEAD}def f(q, k, v):\n    s = torch.matmul(q, k.mT) / 8.0\n"
            "    p = F.dropout(s.softmax(dim=-1), 0.1)\n    return torch.matmul(p, v)\n",
            unsafe=f"{_NEW_HEAD}def f(q, k, v):\n"
            "    return similar_api.attention(q, k, v, 1.0 / 8.0, dropout=0.1)\n",
        ),
        Example.unchanged(f"{_HEAD}{_CLASS}{_FORWARD}{_STEPS}        return att @ v, att\n"),
        Example.unchanged(f"{_HEAD}{_CLASS}{_FORWARD}{_STEPS}        # weights\n        return att @ v\n"),
        Example.unchanged(
            f"{_HEAD}{_CLASS}{_FORWARD}{_STEPS}        if self.drops:\n            att = self.drop(att)\n"
            "            self.count += 1\n        return att @ v\n"
        ),
        Example.unchanged(
            f"{_HEAD}def f(q, k, v, m):\n    s = q @ k.mT + m\n    p = s.softmax(dim=-1)\n    return p @ v\n"
        ),
        Example.unchanged(
            f"{_HEAD}def f(self, q, k, v):\n    p = (q @ k.mT).softmax(dim=-1)\n    p = self.other(p)\n"
            "    return p @ v\n"
        ),
    )

    @on.name(*SOFTMAX, needs=may_multiply)
    @on.member("softmax", needs=may_multiply)
    def softmax(self, ref: NameRef | MemberRef, ctx: Context) -> Iterator[Finding]:
        call = ref.call
        holes = LAST_SOFTMAX.at(ctx.source, call) if call is not None else None
        if call is None or holes is None or ctx.options.hardware is Hardware.A910:
            return
        before = _steps_before(holes["scores"], enclosing_statement(call), ctx.source)
        after = _result(call, ctx)
        if (
            before is None
            or after is None
            or not _has_steps(before, after)
            or not ctx.facts.npu_name_exists(ATTENTION)
        ):
            return
        if is_for_inference(after.product) or not _are_alone(before, after, ctx):
            return
        text = f"{text_of(before.q)}, {before.k}, {text_of(after.v)}"
        text += f", {before.scale}" if before.scale else ""
        text += f", mask={before.mask}" if before.mask else ""
        text += f", dropout={after.dropout}" if after.dropout else ""
        fix = steps_fix("attention", before.first, after.product, text, ctx)
        yield self.report(call, "steps", Severity.HINT, fix=fix, kind="affinity", api=ATTENTION)


def _has_steps(before: _Steps, after: _Result) -> bool:
    """Whether it is more than the expression that another rule knows."""
    return bool(before.names or after.names or before.mask or after.dropout)


def _steps_before(scores: Node, statement: Node, source: SourceFile) -> _Steps | None:
    """The steps that scores come from: a mask at most, and a product."""
    names: set[str] = set()
    first, mask, node = statement, "", scores
    while True:
        node = without_parentheses(node)
        if node.type == "identifier":
            value = _assigned_by(first.prev_named_sibling, text_of(node))
            if value is None or first.prev_named_sibling is None:
                return None
            names.add(text_of(node))
            first, node = first.prev_named_sibling, value
            continue
        filled = FILLED.at(source, node) if not mask else None
        if filled is None:
            break
        node, mask = filled["x"], text_of(filled["mask"])
    holes = SCORES.at(source, node)
    if holes is None:
        return None
    return _Steps(first, frozenset(names), holes["q"], text_of(holes["k"]), scale_of(holes), mask)


def _assigned_by(statement: Node | None, name: str) -> Node | None:
    """What a statement assigns to a name, if it does that and nothing else."""
    if statement is None or statement.type != "expression_statement":
        return None
    assignment = statement.named_children[0]
    left = field(assignment, "left") if assignment.type == "assignment" else None
    is_it = left is not None and left.type == "identifier" and text_of(left) == name
    return field(assignment, "right") if is_it else None


def _read_next(target: Node, statement: Node, ctx: Context) -> tuple[Node, Node] | None:
    """The following statement and the one place in it that reads what a statement assigns."""
    following = statement.next_named_sibling
    if following is None or following.type not in _STATEMENTS:
        return None
    uses = ctx.source.names.references(text_of(target))
    read = [item for item in uses if _is_in(item, following) and not _is_target(item)]
    return (following, read[0]) if len(read) == 1 else None


def _result(softmax: Node, ctx: Context) -> _Result | None:
    """The product that ends the steps, which may drop some of the softmax out before."""
    statement, value, dropout = enclosing_statement(softmax), softmax, ""
    names: set[str] = set()
    while True:
        outer = parent_of(value)
        outer = parent_of(outer) if outer is not None and outer.type == "argument_list" else outer
        if outer is None:
            return None
        factors = PRODUCT.at(ctx.source, outer)
        if factors is not None and without_parentheses(factors["p"]) == value:
            return _Result(outer, factors["v"], dropout, frozenset(names))
        dropped = _dropout_of(outer, value, ctx) if not dropout else None
        if dropped is not None:
            value, dropout = outer, dropped
            continue
        left = _target_of(outer, statement)
        read = _read_next(left, statement, ctx) if left is not None else None
        if left is None or read is None:
            return None
        names.add(text_of(left))
        statement, value = read


def _target_of(assignment: Node, statement: Node) -> Node | None:
    """The variable that a statement assigns to, if it is that assignment and has no other target."""
    is_all = assignment.type == "assignment" and parent_of(assignment) == statement
    left = field(assignment, "left") if is_all else None
    return left if left is not None and left.type == "identifier" else None


def _is_in(node: Node, holder: Node) -> bool:
    return holder.start_byte <= node.start_byte and node.end_byte <= holder.end_byte


def _is_target(node: Node) -> bool:
    holder = parent_of(node)
    return holder is not None and holder.type == "assignment" and field(holder, "left") == node


_DROPS = "torch.nn.functional.dropout(input:=$x{})"
_DROPOUT = Formula(
    *map(_DROPS.format, ("", ", p:=$p", ", p:=$p, training:=$training", ", training=$training"))
)
_LAYER = Formula("$layer(input:=$x)")


def _dropout_of(call: Node, value: Node, ctx: Context) -> str | None:
    """The probability that a call drops with, as text; None of another call."""
    drops = _DROPOUT.at(ctx.source, call, x=value)
    if drops is not None:
        text = text_of(drops["p"]) if "p" in drops else "0.5"
        training = text_of(drops["training"]) if "training" in drops else "True"
        if training == "True":
            return text
        return " if ".join(_operand(part) for part in (text, training)) + " else 0.0"
    called, owner = _LAYER.at(ctx.source, call, x=value), enclosing(call, "class_definition")
    layer = text_of(called["layer"]) if called is not None else ""
    if owner is None or not layer.startswith("self."):
        return None
    made = rf"{re.escape(layer)}\s*=\s*(?:torch\.)?nn\.Dropout\("
    return f"{layer}.p if {layer}.training else 0.0" if re.search(made, text_of(owner)) else None


def _operand(text: str) -> str:
    """An expression as it may be in a choice: a choice of its own is in parentheses."""
    return f"({text})" if re.search(r"\b(?:if|lambda)\b", text) else text


def _are_alone(before: _Steps, after: _Result, ctx: Context) -> bool:
    """Whether nothing else reads what is between the steps, and no comment would be lost."""
    last = enclosing_statement(after.product)
    start, end = before.first.start_byte, after.product.end_byte
    if parent_of(before.first) != parent_of(last) or b"#" in ctx.source.data[start : last.start_byte]:
        return False
    if before.first != last and enclosing(after.product, *_LATER, *_STATEMENTS) != last:
        return False
    owner = enclosing(last, "function_definition") or ctx.source.root
    uses = (use for name in before.names | after.names for use in ctx.source.names.references(name))
    return not any(_is_in(use, owner) and not start <= use.start_byte < end for use in uses)
