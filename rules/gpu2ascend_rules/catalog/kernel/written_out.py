"""NPU616 to NPU619: further arithmetic, written out, that the NPU has one operator for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import holds_comment
from ...engine.context import Context
from ...engine.events import MemberRef, NameRef, Outline
from ...engine.rule import Example, Rule, on
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...model.hardware import Hardware
from ...patterns.formula import Formula, Holes, is_dotted
from ...similar.replacements import formula_fix
from ...text.syntax import Argument, arguments_of, last_name, text_of
from .given import exactly

_ADAPTER = "from ascend_function import similar_api\n"
_F = "import torch.nn.functional as F\n"
SOFTMAX = ("torch.softmax", "torch.nn.functional.softmax")


def _fills(outline: Outline) -> bool:
    return b"masked_fill" in outline.source.attribute_names


def _norms(outline: Outline) -> bool:
    return b"group_norm" in outline.source.attribute_names


def may_multiply(outline: Outline) -> bool:
    """Whether the file may multiply matrices by a transposed one."""
    data, names = outline.source.data, outline.source.attribute_names
    return bool(names & {b"transpose", b"mT"}) and (b" @ " in data or bool(names & {b"matmul", b"bmm"}))


def _trains(outline: Outline) -> bool:
    return b"backward" in outline.source.attribute_names


def is_lowest(node: Node) -> bool:
    """Whether a value leaves nothing of what it fills: minus infinity, or a number below -10000."""
    text = "".join(text_of(node).split()).replace('"', "'")
    if text in ("float('-inf')", "-float('inf')", "-math.inf", "-torch.inf", "-np.inf"):
        return True
    if text.startswith("torch.finfo(") and text.endswith(".min"):
        return True
    try:
        return float(text) <= -10_000.0
    except ValueError:
        return False


LAST_SOFTMAX = Formula(*(f"{name}(input:=$scores, dim:=-1)" for name in SOFTMAX), "$scores.softmax(dim:=-1)")
FILLED = Formula("$x.masked_fill(mask:=$mask, value:=$fill)", fill=is_lowest)
_MASKED_SOFTMAX = LAST_SOFTMAX.where(scores=FILLED.where(x=is_dotted))
PRODUCT = Formula("$p @ $v", "torch.matmul($p, $v)", "torch.bmm($p, $v)")
_TURNED = Formula(
    *(f"$k.transpose({axes})" for axes in ("-2, -1", "-1, -2", "2, 3", "3, 2")), "$k.mT", k=is_dotted
)
_TURNED_PRODUCT = Formula(
    "$q @ $turned", "torch.matmul($q, $turned)", "torch.bmm($q, $turned)", q=is_dotted, turned=_TURNED
)
SCORES = Formula(
    "$product", "$product * $scale", "$scale * $product", "$product / $divisor", product=_TURNED_PRODUCT
)
_ATTENTION = PRODUCT.where(p=LAST_SOFTMAX.where(scores=SCORES), v=is_dotted)


_LOSS = Formula("torch.nn.functional.cross_entropy(input:=$x, target:=$y)")


class FusableMaskedSoftmax(Rule):
    """A softmax of masked scores is written out.

    What it does: Offers ``similar_api.masked_softmax`` for ``torch.softmax(x.masked_fill(mask, value),
    dim=-1)``. On the NPU it runs ``torch_npu.npu_scaled_masked_softmax`` for boolean masks of four dimensions
    whose last two equal those of the scores and are multiples of 32, from 32 to 4096; otherwise it computes
    the formula.

    Why it matters on the NPU: One operator replaces two, and the scores are written once less.

    Example: ``torch.softmax(x.masked_fill(mask, float('-inf')), dim=-1)``.

    Use instead: ``torch_npu.npu_scaled_masked_softmax(x, mask, 1.0, False)``, with a mask that is True for
    the scores to leave out.
    """

    code = "NPU616"
    is_specific = False
    examples = (
        Example(
            "import torch\np = torch.softmax(s.masked_fill(mask, float('-inf')), dim=-1)\n",
            unsafe=f"import torch\n{_ADAPTER}p = similar_api.masked_softmax(s, mask, float('-inf'))\n",
        ),
        Example(
            "import torch\np = s.masked_fill(mask, -1e9).softmax(dim=-1)\n",
            unsafe=f"import torch\n{_ADAPTER}p = similar_api.masked_softmax(s, mask, -1e9)\n",
        ),
        Example.unchanged("import torch\np = torch.softmax(s.masked_fill(mask, -1e9), dim=1)\n"),
        Example.unchanged("import torch\np = torch.softmax(s + mask, dim=-1)\n"),
        Example.unchanged("import torch\np = torch.softmax(s.masked_fill(m, 0.0), dim=-1)\n"),
        Example.unchanged("import torch\np = torch.softmax(s.masked_fill(m, v), -1, torch.float32)\n"),
        Example.unchanged("import torch\np = torch.softmax(s.masked_fill(m, -1e9, **given), dim=-1)\n"),
    )

    @on.name(*SOFTMAX, needs=_fills)
    @on.member("softmax", needs=_fills)
    def softmax(self, ref: NameRef | MemberRef, ctx: Context) -> Iterator[Finding]:
        call, name = ref.call, "torch_npu.npu_scaled_masked_softmax"
        holes = _MASKED_SOFTMAX.at(ctx.source, call) if call is not None else None
        if call is None or holes is None or not ctx.facts.npu_name_exists(name) or holds_comment(call):
            return
        text = ", ".join(text_of(holes[part]) for part in ("x", "mask", "fill"))
        fix = formula_fix("masked_softmax", call, text, ctx)
        yield self.report(call, "softmax", Severity.HINT, fix=fix, kind="affinity", api=name)


class FusableGroupNorm(Rule):
    """SiLU after a group normalization is written out.

    What it does: Offers ``similar_api.group_norm_silu`` for ``F.silu(F.group_norm(x, groups, weight, bias,
    eps))``. On the NPU it runs ``torch_npu.npu_group_norm_silu`` if weight and bias are given and are at
    least as precise as ``x``; otherwise it computes the formula.

    Why it matters on the NPU: One operator replaces two. It is available on A2 and later, not on the 910A.

    Example: ``F.silu(F.group_norm(x, 32, weight, bias))``.

    Use instead: ``torch_npu.npu_group_norm_silu(x, weight, bias, groups, eps)[0]``.
    """

    code = "NPU617"
    is_specific = False
    examples = (
        Example(
            f"{_F}y = F.silu(F.group_norm(x, 32, w, b))\n",
            unsafe=f"{_F}{_ADAPTER}y = similar_api.group_norm_silu(x, 32, w, b)\n",
        ),
        Example.unchanged(f"{_F}y = F.silu(F.layer_norm(x, 32, w, b))\n"),
        Example.unchanged(f"{_F}y = F.silu(F.group_norm(x, 32))\n"),
        Example.unchanged(f"{_F}y = F.silu(F.group_norm(x, 32, w, b), inplace=True)\n"),
        Example.unchanged(f"{_F}y = F.silu(F.group_norm(x, 32, w, b), **given)\n"),
        Example.unchanged(f"{_F}y = F.silu(F.group_norm(x, 32, w, b, **given))\n"),
    )

    @on.name("torch.nn.functional.silu", needs=_norms)
    def activation(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        inner = exactly(ref.arguments, "input")
        if ref.call is None or inner is None or inner[0].type != "call":
            return
        given = arguments_of(inner[0])
        has_all = given.get("weight", 2) is not None and given.get("bias", 3) is not None
        name = "torch_npu.npu_group_norm_silu"
        is_norm = last_name(inner[0]) == "group_norm" and has_all and not given.unpacked
        is_here = ctx.options.hardware is not Hardware.A910 and ctx.facts.npu_name_exists(name)
        if not is_norm or not is_here or holds_comment(ref.call):
            return
        text = ", ".join(map(_renamed, given.items))
        fix = formula_fix("group_norm_silu", ref.call, text, ctx)
        yield self.report(ref.call, "norm", Severity.HINT, fix=fix, kind="affinity", api=name)


def _renamed(argument: Argument) -> str:
    """An argument of group_norm as one of the adapter, which calls the tensor x."""
    return f"x={text_of(argument.value)}" if argument.keyword == "input" else text_of(argument.node)


class FusableAttention(Rule):
    """Attention is written out.

    What it does: Offers ``similar_api.attention`` for ``torch.softmax(q @ k.transpose(-2, -1) * scale,
    dim=-1) @ v``. On the NPU it runs ``torch_npu.npu_fusion_attention`` if the tensors have the dimensions
    batch, heads, sequence and head size and gradients are needed; otherwise it computes the formula.
    Attention with a mask or dropout in between is not changed: masks have the opposite meaning there, and
    dropout draws other random numbers.

    Why it matters on the NPU: The scores, whose size is the square of the sequence length, are never stored.

    Example: ``torch.softmax(q @ k.transpose(-2, -1) * scale, dim=-1) @ v``.

    Use instead: ``torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale)``, or the operator.
    """

    code = "NPU618"
    is_specific = False
    examples = (
        Example(
            "import torch\ny = torch.softmax(q @ k.transpose(-2, -1) * scale, dim=-1) @ v\n",
            unsafe=f"import torch\n{_ADAPTER}y = similar_api.attention(q, k, v, scale)\n",
        ),
        Example(
            "import torch\ny = torch.matmul(torch.softmax(torch.matmul(q, k.mT) / 8.0, dim=-1), v)\n",
            unsafe=f"import torch\n{_ADAPTER}y = similar_api.attention(q, k, v, 1.0 / 8.0)\n",
        ),
        Example(
            "import torch\ny = (q @ k.transpose(-2, -1) * scale).softmax(dim=-1) @ v\n",
            unsafe=f"import torch\n{_ADAPTER}y = similar_api.attention(q, k, v, scale)\n",
        ),
        Example.unchanged("import torch\ny = torch.softmax(q @ k.transpose(-2, -1) + mask, dim=-1) @ v\n"),
        Example.unchanged("import torch\ny = torch.softmax(q @ k * scale, dim=-1) @ v\n"),
        Example.unchanged("import torch\ny = torch.softmax(q @ k.transpose(-2, -1), dim=-1)\n"),
        Example.unchanged("import torch\ny = (q @ k.mT * scale).softmax(dim=-1, **given) @ v\n"),
        Example.unchanged("import torch\ny = (q @ k.mT * scale).softmax(*given, dim=-1) @ v\n"),
        Example.unchanged("import torch\ny = torch.softmax(torch.matmul(q, k.mT, **given), dim=-1) @ v\n"),
        Example.unchanged(
            "import torch\nwith torch.no_grad():\n    z = torch.softmax(q @ k.mT, dim=-1) @ v\n"
        ),
    )

    @on.name(*SOFTMAX, needs=may_multiply)
    @on.member("softmax", needs=may_multiply)
    def softmax(self, ref: NameRef | MemberRef, ctx: Context) -> Iterator[Finding]:
        found = _ATTENTION.around(ctx.source, ref.call) if ref.call is not None else None
        if found is None or not ctx.facts.npu_name_exists(ATTENTION):
            return
        whole, holes = found
        if holds_comment(whole) or is_for_inference(whole) or ctx.options.hardware is Hardware.A910:
            return  # the operator is for A2 and later
        text = ", ".join(text_of(holes[part]) for part in ("q", "k", "v"))
        text += f", {scale_of(holes)}" if scale_of(holes) else ""
        fix = formula_fix("attention", whole, text, ctx)
        yield self.report(whole, "attention", Severity.HINT, fix=fix, kind="affinity", api=ATTENTION)


ATTENTION = "torch_npu.npu_fusion_attention"


def scale_of(holes: Holes) -> str:
    """The factor by which scores are scaled, as text; nothing for none."""
    if "divisor" in holes:
        return f"1.0 / {text_of(holes['divisor'])}"
    return text_of(holes["scale"]) if "scale" in holes else ""


def is_for_inference(node: Node) -> bool:
    """Whether code runs without gradients: the operator is made for training."""
    above: Node | None = node
    while above is not None:
        if above.type == "with_statement" or above.type == "decorated_definition":
            head = text_of(above)[:400]
            if re.match(r"(?:with|@)\s*torch\.(?:no_grad|inference_mode)\b", head):
                return True
        above = parent_of(above)
    return False


class FusableLoss(Rule):
    """Cross entropy is computed with separate operators.

    What it does: Offers ``similar_api.cross_entropy`` for ``F.cross_entropy(input, target)`` without further
    arguments. On the NPU it runs ``torch_npu.npu_cross_entropy_loss`` for a matrix of up to 200,000 rows and
    class indices as targets; otherwise it calls PyTorch's function.

    Why it matters on the NPU: One operator replaces log_softmax and nll_loss. With weights, label smoothing
    or another index to ignore, it has no gradient for the mean, so such calls are not changed.

    Example: ``F.cross_entropy(logits, labels)``.

    Use instead: ``torch_npu.npu_cross_entropy_loss(input, target)[0]``.
    """

    code = "NPU619"
    is_specific = False
    examples = (
        Example(
            f"{_F}loss = F.cross_entropy(x, y)\nloss.backward()\n",
            unsafe=f"{_F}{_ADAPTER}loss = similar_api.cross_entropy(x, y)\nloss.backward()\n",
        ),
        Example.unchanged(f"{_F}loss = F.cross_entropy(x, y, ignore_index=0)\nloss.backward()\n"),
        Example.unchanged(f"{_F}loss = F.cross_entropy(x, y, label_smoothing=0.1)\nloss.backward()\n"),
        Example.unchanged(f"{_F}loss = F.cross_entropy(x, y)\n"),
    )

    @on.name("torch.nn.functional.cross_entropy", needs=_trains)
    def loss(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        name, call = "torch_npu.npu_cross_entropy_loss", ref.call
        holes = _LOSS.at(ctx.source, call) if call is not None else None
        if call is None or holes is None or not ctx.facts.npu_name_exists(name) or holds_comment(call):
            return
        text = f"{text_of(holes['x'])}, {text_of(holes['y'])}"
        fix = formula_fix("cross_entropy", call, text, ctx)
        yield self.report(call, "loss", Severity.HINT, fix=fix, kind="affinity", api=name)
