"""NPU611 to NPU613: arithmetic, written out, that the NPU has one operator for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import statement_removal
from ...engine.context import Context
from ...engine.events import NameRef, Outline
from ...engine.rule import Example, Rule, on
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...model.hardware import Hardware
from ...patterns.formula import Formula, is_dotted
from ...similar.replacements import formula_fix
from ...text.scopes import BindingKind
from ...text.syntax import enclosing, field, parts_of, text_of

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


def _is_text(node: Node) -> bool:
    """Whether a node is a string, or a statement that is one."""
    return node.type == "string" or (bool(node.named_children) and node.named_children[0].type == "string")


def _is_name(node: Node) -> bool:
    return node.type == "identifier"


_SQUARES = ("$x.pow(2)", "$x.square()", "torch.pow($x, 2)", "torch.square($x)", "$x ** 2", "$x * $x")
_MEAN_SQUARE = Formula(
    *(f"({square}).mean(dim:=-1, keepdim:=True)" for square in _SQUARES),
    *(f"torch.mean({square}, dim:=-1, keepdim:=True)" for square in _SQUARES),
)
_NORM = Formula("$x * torch.rsqrt(input:=$mean + $eps)", "torch.rsqrt(input:=$mean + $eps) * $x", x=is_dotted)
_SILU, _GELU = "torch.nn.functional.silu(input:=$first)", "torch.nn.functional.gelu(input:=$second{})"
_GELUS = (_GELU.format(""), _GELU.format(", approximate:=$approximate"))
_GATES = {
    "swiglu": Formula(f"{_SILU} * $second", f"$second * {_SILU}", first=_is_name, second=_is_name),
    "geglu": Formula(
        *(f"$first * {gelu}" for gelu in _GELUS), *(f"{gelu} * $first" for gelu in _GELUS),
        first=_is_name, second=_is_name, approximate=_is_text,
    ),
}  # fmt: skip
_HALVES = Formula("$x.chunk(chunks:=2, dim:=-1)", "torch.chunk(input:=$x, chunks:=2, dim:=-1)", x=is_dotted)
_ROTARY = Formula(
    *(f"$q * $cos + {turned}" for turned in ("$turn($q) * $sin", "$sin * $turn($q)")),
    *(f"{turned} + $q * $cos" for turned in ("$turn($q) * $sin", "$sin * $turn($q)")),
    q=is_dotted,
)


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
        found = _NORM.around(ctx.source, ref.call) if ref.call is not None else None
        if found is None or not ctx.facts.npu_name_exists("torch_npu.npu_rms_norm"):
            return
        product, holes = found
        x, mean = holes["x"], holes["mean"]
        named = _given_just_before(mean, product, ctx)
        value = field(named, "right") if named is not None else mean
        if value is None or _MEAN_SQUARE.at(ctx.source, value, x=x) is None:
            return
        fix = formula_fix("rms_norm", product, f"{text_of(x)}, {text_of(holes['eps'])}", ctx)
        statement = parent_of(named)
        if fix is not None and statement is not None:
            edits = (statement_removal(ctx.source, statement), *fix.plan.edits)
            fix = fix._replace(plan=fix.plan._replace(edits=edits))
        yield self.report(
            product, "norm", Severity.HINT, fix=fix, kind="affinity", api="torch_npu.npu_rms_norm"
        )


def _assignment_before(statement: Node) -> Node | None:
    """The assignment that is the statement before another, comments aside."""
    before = statement.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    given = before.named_children[0] if before is not None and before.named_children else None
    return given if given is not None and given.type == "assignment" else None


def _given_just_before(name: Node, product: Node, ctx: Context) -> Node | None:
    """The assignment in the statement before that of ``product``, which gives a name its value that is read
    there alone: nothing can have changed in between."""
    statement = enclosing(product, *_STATEMENTS)
    if name.type != "identifier" or statement is None or statement.type in _SCOPES:
        return None
    given = _assignment_before(statement)
    target = field(given, "left")
    if given is None or target is None or target.type != "identifier" or target.text != name.text:
        return None
    names, text = ctx.source.names, text_of(name)
    found = names.bindings_in_scope(text, name)
    uses = (node for node in ctx.source.identifiers(text) if names.is_reference(node))
    is_read_once = sum(names.bindings_in_scope(text, node) == found for node in uses) == 1
    return given if len(found) == 1 and is_read_once else None


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
        name = "swiglu" if ref.name.endswith("silu") else "geglu"
        found = _GATES[name].around(ctx.source, ref.call) if ref.call is not None else None
        if found is None or ctx.options.hardware is Hardware.A910:
            return  # the operators are for A2 and later
        product, holes = found
        whole, operator = _chunked(holes["first"], holes["second"], ctx), f"torch_npu.npu_{name}"
        if whole is None or not ctx.facts.npu_name_exists(operator):
            return
        if "approximate" in holes:
            whole += f", {text_of(holes['approximate'])}"
        fix = formula_fix(name, product, whole, ctx)
        yield self.report(
            product, "gate", Severity.HINT, fix=fix, kind="affinity", api=operator, operator=operator
        )


def _chunked(first: Node, second: Node, ctx: Context) -> str | None:
    """The tensor whose two halves along the last dimension two names are, in this order."""
    bindings = [ctx.source.names.bindings_in_scope(text_of(half), half) for half in (first, second)]
    if any(len(found) != 1 or found[0].kind is not BindingKind.ASSIGNMENT for found in bindings):
        return None
    one, other = bindings[0][0], bindings[1][0]
    if one.statement.id != other.statement.id or one.node.start_byte > other.node.start_byte:
        return None
    value = field(one.statement, "right")
    holes = _HALVES.at(ctx.source, value) if value is not None else None
    return text_of(holes["x"]) if holes is not None else None


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
    only_with = "torch"
    examples = (
        Example(
            f"import torch\n{_ROTATE_HALF}y = (q * cos) + (rotate_half(q) * sin)\n",
            unsafe=f"import torch\nfrom ascend_function import similar_api\n{_ROTATE_HALF}"
            "y = similar_api.rotary_mul(q, cos, sin)\n",
        ),
        Example(
            f"import torch\n{_ROTATE_HALF}y = q * cos + rotate_half(q) * sin\n",
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
            found = _ROTARY.around(ctx.source, name)
            if found is None or found[1]["turn"] != name:
                continue
            total, holes = found
            bindings = ctx.source.names.bindings_in_scope(text_of(name), name)
            if [item.kind for item in bindings] != [BindingKind.DEFINITION]:
                continue
            if ctx.options.hardware is Hardware.A910:
                yield self.report(total, "series", Severity.HINT)
                continue
            text = ", ".join(text_of(holes[part]) for part in ("q", "cos", "sin"))
            fix = formula_fix("rotary", total, text, ctx)
            yield self.report(
                total, "rotary", Severity.HINT, fix=fix, kind="affinity", api="torch_npu.npu_rotary_mul"
            )


def _swaps_halves(definition: Node) -> bool:
    """Whether a function gives the second half of its tensor's last dimension, negated, then the first."""
    body = field(definition, "body")
    statements = parts_of(body) if body is not None else []
    if statements and statements[0].type == "expression_statement" and _is_text(statements[0]):
        statements = statements[1:]
    text = ";".join("".join(text_of(statement).split()) for statement in statements)
    return _HALVES_SWAPPED.fullmatch(text) is not None
