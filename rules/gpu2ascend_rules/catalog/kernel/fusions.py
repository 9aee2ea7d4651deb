"""NPU611 to NPU613: arithmetic, written out, that the NPU has one operator for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from ...edits.removal import statement_removal
from ...engine.context import Context
from ...engine.events import NameRef, Outline
from ...engine.rule import Example, Family, Rule, on
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...model.hardware import Hardware
from ...similar.replacements import formula_fix
from ...text.scopes import BindingKind
from ...text.syntax import (
    Arguments,
    arguments_of,
    chain_of,
    enclosing,
    field,
    outside_parentheses,
    parts_of,
    text_of,
    without_parentheses,
)
from .given import BY_POSITION, at_most, exactly

_ON_910A = (("hardware", "910A"),)
_ROTATE_HALF = "def rotate_half(x):\n    a, b = x.chunk(2, dim=-1)\n    return torch.cat((-b, a), dim=-1)\n"
_HALVES_SWAPPED = re.compile(
    r"(?:"
    r"(?P<a>\w+),(?P<b>\w+)=(?:torch\.)?(?:\w+\.chunk\(2,|chunk\(\w+,2,)(?:dim=)?-1\)"
    r"|(?P<e>\w+),(?P<f>\w+)=(?P<y>\w+)\[\.\.\.,:(?P=y)\.shape\[-1\]//2\],"
    r"(?P=y)\[\.\.\.,(?P=y)\.shape\[-1\]//2:\]"
    r"|(?P<c>\w+)=(?P<x>\w+)\[\.\.\.,:(?P=x)\.shape\[-1\]//2\];"
    r"(?P<d>\w+)=(?P=x)\[\.\.\.,(?P=x)\.shape\[-1\]//2:\]"
    r");return(?:torch\.)?cat\([(\[](?:-(?P=b),(?P=a)|-(?P=d),(?P=c)|-(?P=f),(?P=e)),?[)\]],(?:dim=)?-1,?\)"
)
"""The ways in which ``rotate_half`` is written everywhere, without spaces."""
_JOINED = re.compile(rb"cat\s*\(\s*[(\[]\s*-")
"""How all of them go on behind ``return torch.``."""


_SCOPES = (
    "lambda",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
)
"""What gives names another meaning, or runs later."""
_STATEMENTS = ("expression_statement", "return_statement", *_SCOPES)


class FusableNorm(Rule):
    """A root-mean-square norm is written out.

    What it does: Offers ``similar_api.rms_norm`` for ``x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) +
    eps)``: it runs ``torch_npu.npu_rms_norm`` on the NPU and computes the formula elsewhere. The mean may be
    assigned to a variable in the previous statement, if nothing else reads it.

    Why it matters on the NPU: One operator reads and writes the tensor once instead of five times.

    Example: ``x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)``.

    Use instead: ``torch_npu.npu_rms_norm(x, weight, epsilon=eps)[0]``, with the norm's own weight.
    """

    code = "NPU611"
    name = "fusable-rms-norm"
    family = Family.KERNEL
    examples = (
        Example(
            "import torch\ny = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)\n",
            unsafe="import torch\nfrom ascend_function import similar_api\n"
            "y = similar_api.rms_norm(x, eps)\n",
        ),
        Example(
            "import torch\ndef f(x, eps):\n    v = x.pow(2).mean(-1, keepdim=True)\n"
            "    x = x * torch.rsqrt(v + eps)\n    return x\n",
            unsafe="import torch\nfrom ascend_function import similar_api\ndef f(x, eps):\n"
            "    x = similar_api.rms_norm(x, eps)\n    return x\n",
        ),
        Example.unchanged(
            "import torch\ndef f(x, eps):\n    v = x.pow(2).mean(-1, keepdim=True)\n    x = x + 1\n"
            "    x = x * torch.rsqrt(v + eps)\n    return x\n"
        ),
        Example.unchanged(
            "import torch\ndef f(x, eps):\n    v = x.pow(2).mean(-1, keepdim=True)\n"
            "    x = x * torch.rsqrt(v + eps)\n    return x, v\n"
        ),
        Example.unchanged("import torch\ny = x * torch.rsqrt(x.pow(2).mean(-1) + eps)\n"),
        Example.unchanged("import torch\ny = x * torch.rsqrt(v + eps)\n"),
        Example.unchanged(
            "import torch\ny = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps, out=b)\n"
        ),
        Example.unchanged(
            "import torch\ny = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps, **given)\n"
        ),
    )

    @on.name("torch.rsqrt")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        given = exactly(ref.arguments, "input")
        product = parent_of(outside_parentheses(ref.call)) if ref.call is not None else None
        if given is None or product is None or product.type != "binary_operator":
            return
        x = _other_operand(product, ref.call, "*")
        total = without_parentheses(given[0])
        if x is None or chain_of(x) is None or total.type != "binary_operator":
            return
        square, eps = field(total, "left"), field(total, "right")
        if square is None or eps is None or not ctx.facts.npu_name_exists("torch_npu.npu_rms_norm"):
            return
        named = _given_just_before(square, product, ctx)
        value = field(named, "right") if named is not None else square
        if value is None or not _is_mean_square(value, text_of(x)):
            return
        fix = formula_fix("rms_norm", product, f"{text_of(x)}, {text_of(eps)}", ctx)
        statement = parent_of(named)
        if fix is not None and statement is not None:
            edits = (statement_removal(ctx.source, statement), *fix.plan.edits)
            fix = fix._replace(plan=fix.plan._replace(edits=edits))
        yield self.report(
            product, "norm", Severity.HINT, fix=fix, kind="affinity", api="torch_npu.npu_rms_norm"
        )


def _other_operand(product: Node, known: Node | None, sign: str) -> Node | None:
    operator = field(product, "operator")
    left, right = field(product, "left"), field(product, "right")
    if operator is None or operator.type != sign or left is None or right is None or known is None:
        return None
    return right if left.start_byte <= known.start_byte < left.end_byte else left


def _given_just_before(name: Node, product: Node, ctx: Context) -> Node | None:
    """The assignment in the statement before that of ``product``, which gives a name its value that is read
    there alone: nothing can have changed in between."""
    statement = enclosing(product, *_STATEMENTS)
    if name.type != "identifier" or statement is None or statement.type in _SCOPES:
        return None
    before = statement.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    given = before.named_children[0] if before is not None and before.named_children else None
    target = field(given, "left") if given is not None and given.type == "assignment" else None
    if target is None or target.type != "identifier" or target.text != name.text:
        return None
    names, text = ctx.source.names, text_of(name)
    found = names.bindings_in_scope(text, name)
    uses = (node for node in ctx.source.identifiers(text) if names.is_reference(node))
    is_read_once = sum(names.bindings_in_scope(text, node) == found for node in uses) == 1
    return given if len(found) == 1 and is_read_once else None


def _is_mean_square(node: Node, name: str) -> bool:
    """Whether an expression is ``name.pow(2).mean(-1, keepdim=True)``, in one of the ways to write it."""
    text = "".join(text_of(node).split()).replace("dim=-1", "-1").replace("keepdim=True", "True")
    name = "".join(name.split())
    squares = (f"{name}.pow(2)", f"{name}.square()", f"torch.pow({name},2)", f"torch.square({name})")
    written = (*squares, f"({name}**2)", f"({name}*{name})")
    called = (*squares, f"{name}**2", f"{name}*{name}")
    means = [f"{square}.mean({ends})" for square in written for ends in ("-1,True", "True,-1")]
    return text in (*means, *(f"torch.mean({square},-1,True)" for square in called))


def _joins_what_is_negated(ctx: Outline) -> bool:
    return _JOINED.search(ctx.source.data) is not None


def _takes_halves(ctx: Outline) -> bool:
    return b"chunk" in ctx.source.attribute_names


class FusableGate(Rule):
    """A gated activation of two halves of a tensor is written out.

    What it does: Offers ``similar_api.swiglu``, which runs ``torch_npu.npu_swiglu`` on the NPU, for ``a, b =
    x.chunk(2, -1)`` and ``F.silu(a) * b``; and ``similar_api.geglu``, which runs ``torch_npu.npu_geglu``, for
    ``a * F.gelu(b)``.

    Why it matters on the NPU: One operator replaces three.

    Example: ``F.silu(a) * b``.

    Use instead: ``torch_npu.npu_swiglu(x, dim=-1)``.
    """

    code = "NPU612"
    name = "fusable-gate"
    family = Family.KERNEL
    examples = (
        Example(
            "import torch.nn.functional as F\ndef f(x):\n    a, b = x.chunk(2, dim=-1)\n"
            "    return F.silu(a) * b\n",
            unsafe="import torch.nn.functional as F\nfrom ascend_function import similar_api\ndef f(x):\n"
            "    a, b = x.chunk(2, dim=-1)\n    return similar_api.swiglu(x)\n",
        ),
        Example(
            "import torch.nn.functional as F\ndef f(x):\n    h, g = x.chunk(2, -1)\n"
            "    return h * F.gelu(g)\n",
            unsafe="import torch.nn.functional as F\nfrom ascend_function import similar_api\ndef f(x):\n"
            "    h, g = x.chunk(2, -1)\n    return similar_api.geglu(x)\n",
        ),
        Example(
            "import torch.nn.functional as F\ndef f(x):\n    h, g = x.chunk(2, -1)\n"
            "    return h * F.gelu(g, approximate='tanh')\n",
            unsafe="import torch.nn.functional as F\nfrom ascend_function import similar_api\ndef f(x):\n"
            "    h, g = x.chunk(2, -1)\n    return similar_api.geglu(x, 'tanh')\n",
        ),
        Example.unchanged("import torch.nn.functional as F\ny = F.silu(a) * b\n"),
        Example.unchanged(
            "import torch.nn.functional as F\nh, g = x.chunk(2, -1)\n"
            "y = h * F.gelu(g, approximate='tanh', **given)\n"
        ),
        Example.unchanged(
            "import torch.nn.functional as F\na, b = x.chunk(2, -1)\ny = F.silu(a, **given) * b\n"
        ),
        Example.unchanged("import torch.nn.functional as F\na, b = x.chunk(2, dim=1)\ny = F.silu(a) * b\n"),
    )

    @on.name("torch.nn.functional.silu", "torch.nn.functional.gelu", needs=_takes_halves)
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        is_silu = ref.name.endswith("silu")
        given = at_most(ref.arguments, "input") if is_silu else _given_to_gelu(ref.arguments)
        product = parent_of(outside_parentheses(ref.call)) if ref.call is not None else None
        if not given or product is None or product.type != "binary_operator":
            return
        half, other = given["input"], _other_operand(product, ref.call, "*")
        if other is None or half.type != "identifier" or other.type != "identifier":
            return
        halves = (half, other) if is_silu else (other, half)
        if ctx.options.hardware is Hardware.A910:
            return  # the operators are for A2 and later
        whole = _chunked(halves, ctx)
        operator = "torch_npu.npu_swiglu" if is_silu else "torch_npu.npu_geglu"
        if whole is None or not ctx.facts.npu_name_exists(operator):
            return
        if "approximate" in given:
            whole += f", {text_of(given['approximate'])}"
        fix = formula_fix("swiglu" if is_silu else "geglu", product, whole, ctx)
        yield self.report(
            product, "gate", Severity.HINT, fix=fix, kind="affinity", api=operator, operator=operator
        )


def _given_to_gelu(arguments: Arguments) -> Mapping[str, Node] | None:
    """What GELU is given, if the adapter can be given the same."""
    given = at_most(arguments, "input", "approximate")
    if given is None or "input" not in given:
        return None
    return given if "approximate" not in given or _is_text(given["approximate"]) else None


def _chunked(halves: tuple[Node, Node], ctx: Context) -> str | None:
    """The tensor whose two halves along the last dimension two names are, in this order."""
    bindings = [ctx.source.names.bindings_in_scope(text_of(half), half) for half in halves]
    if any(len(found) != 1 or found[0].kind is not BindingKind.ASSIGNMENT for found in bindings):
        return None
    first, second = bindings[0][0], bindings[1][0]
    if first.statement.id != second.statement.id or first.node.start_byte > second.node.start_byte:
        return None
    value = field(first.statement, "right")
    function = field(value, "function") if value is not None and value.type == "call" else None
    tensor = field(function, "object")
    if value is None or tensor is None or function is None or not text_of(function).endswith(".chunk"):
        return None
    own = ("input",) if text_of(function) == "torch.chunk" else ()
    given = exactly(arguments_of(value), *own, "chunks", "dim")
    if given is None or [text_of(node) for node in given[-2:]] != ["2", "-1"]:
        return None
    tensor = given[0] if own else tensor
    return text_of(tensor) if chain_of(tensor) is not None else None


class FusableRotary(Rule):
    """A rotary embedding is written out with rotate_half.

    What it does: Offers ``similar_api.rotary_mul`` for ``q * cos + rotate_half(q) * sin`` if the file shows
    that its ``rotate_half``, which may have another name, swaps the halves and negates the second: it runs
    ``torch_npu.npu_rotary_mul`` on the NPU for the shapes that it supports, and computes the formula
    otherwise.

    Why it matters on the NPU: One operator replaces five.

    Example: ``q * cos + rotate_half(q) * sin``.

    Use instead: ``torch_npu.npu_rotary_mul(q, cos, sin)``, whose cos and sin need four dimensions.
    """

    code = "NPU613"
    name = "fusable-rotary"
    family = Family.KERNEL
    only_with = "torch"
    examples = (
        Example(
            f"import torch\n{_ROTATE_HALF}y = (q * cos) + (rotate_half(q) * sin)\n",
            unsafe=f"import torch\nfrom ascend_function import similar_api\n{_ROTATE_HALF}"
            "y = similar_api.rotary_mul(q, cos, sin)\n",
        ),
        Example(
            f"import torch\n{_ROTATE_HALF}y = q * cos + rotate_half(q) * sin\n",
            manual=True,
            version="2.1.0",
            settings=_ON_910A,
        ),
        Example(
            f"import torch\n{_ROTATE_HALF}y = q * cos + rotate_half(q) * sin\n".replace(
                "rotate_half", "turned"
            ),
            unsafe="import torch\nfrom ascend_function import similar_api\n"
            f"{_ROTATE_HALF.replace('rotate_half', 'turned')}y = similar_api.rotary_mul(q, cos, sin)\n",
        ),
        Example.unchanged(f"import torch\n{_ROTATE_HALF}y = q * cos + rotate_half(k) * sin\n"),
        Example.unchanged(
            f"import torch\n{_ROTATE_HALF}y = q * cos + rotate_half(q, n) * sin\n".replace("(x)", "(x, n=1)")
        ),
        Example.unchanged(
            f"import torch\n{_ROTATE_HALF}def f(q, rotate_half):\n    return q * cos + rotate_half(q) * sin\n"
        ),
        Example.unchanged(
            "import torch\ndef rotate_half(x):\n    x = x.unflatten(-1, (-1, 2))\n    a, b = x.unbind(-1)\n"
            "    return torch.stack((-b, a), -1).flatten(-2)\ny = q * cos + rotate_half(q) * sin\n"
        ),
    )

    @on.name("torch.cat", needs=_joins_what_is_negated)
    def joined(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        definition = enclosing(ref.node, "function_definition")
        defined = field(definition, "name")
        if definition is None or defined is None or not _swaps_halves(definition):
            return
        if not ctx.facts.npu_name_exists("torch_npu.npu_rotary_mul"):
            return
        for name in ctx.source.identifiers(text_of(defined)):
            total = _rotary_sum(name)
            bindings = ctx.source.names.bindings_in_scope(text_of(name), name) if total is not None else ()
            if total is None or [item.kind for item in bindings] != [BindingKind.DEFINITION]:
                continue
            sum_node, q, cos, sin = total
            if ctx.options.hardware is Hardware.A910:
                yield self.report(sum_node, "series", Severity.HINT)
                continue
            fix = formula_fix("rotary", sum_node, f"{q}, {cos}, {sin}", ctx)
            yield self.report(
                sum_node, "rotary", Severity.HINT, fix=fix, kind="affinity", api="torch_npu.npu_rotary_mul"
            )


def _swaps_halves(definition: Node) -> bool:
    """Whether a function gives the second half of its tensor's last dimension, negated, then the first."""
    body = field(definition, "body")
    statements = parts_of(body) if body is not None else []
    if statements and statements[0].type == "expression_statement" and _is_text(statements[0]):
        statements = statements[1:]
    text = ";".join("".join(text_of(statement).split()) for statement in statements)
    return _HALVES_SWAPPED.fullmatch(text) is not None


def _is_text(node: Node) -> bool:
    """Whether a node is a string, or a statement that is one."""
    return node.type == "string" or (bool(node.named_children) and node.named_children[0].type == "string")


def _rotary_sum(name: Node) -> tuple[Node, str, str, str] | None:
    """``q * cos + rotate_half(q) * sin`` around the name ``rotate_half``: the sum, q, cos and sin."""
    call = parent_of(name)
    product = parent_of(outside_parentheses(call)) if call is not None and call.type == "call" else None
    if call is None or product is None or product.type != "binary_operator":
        return None
    sin = _other_operand(product, call, "*")
    total = parent_of(outside_parentheses(product))
    if sin is None or total is None or total.type != "binary_operator":
        return None
    first = _other_operand(total, product, "+")
    given = exactly(arguments_of(call), BY_POSITION)
    first = without_parentheses(first) if first is not None else None
    if first is None or given is None or first.type != "binary_operator":
        return None
    left, right = field(first, "left"), field(first, "right")
    operator = field(first, "operator")
    if left is None or right is None or operator is None or operator.type != "*":
        return None
    if text_of(left) != text_of(given[0]) or chain_of(left) is None:
        return None
    return total, text_of(left), text_of(right), text_of(sin)
