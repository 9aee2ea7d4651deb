"""NPU60x: flash attention and its relatives, mapped to ``torch_npu.npu_fusion_attention``.

The adapters in ``similar/parts`` follow the operator's public documentation: head count and layout are
given, dropout as the share that is kept, a causal mask as a 2048 x 2048 upper triangle with
``sparse_mode=3`` (aligned at the lower right, as flash-attn does since 2.1). Without the mask
``sparse_mode`` would be ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import holds_comment
from ...engine.context import Context
from ...engine.events import MemberRef, NameRef
from ...engine.rule import Example, Rule, on, replace
from ...flow.guards.ways import Way, way_of_use
from ...model.finding import Applicability, Finding, Severity
from ...model.hardware import Hardware
from ...similar.replacements import replacement_fix
from ...text.syntax import Arguments, parts_of, text_of, without_parentheses
from .given import exactly

OPERATOR = "torch_npu.npu_fusion_attention"
_RMS_NORM, _NPU_NORM = "flash_attn.ops.rms_norm.rms_norm", "torch_npu.npu_rms_norm"
_PARAMETERS = {"flash_attn_func": 6, "flash_attn_varlen_func": 10, "memory_efficient_attention": 6}
"""How many arguments the adapters take by position. The further ones moved from release to release."""
_NEUTRAL = {
    "window_size": ("(-1,-1)",),
    "softcap": ("0", "0.0"),
    "alibi_slopes": ("None",),
    "deterministic": ("False",),
    "return_attn_probs": ("False",),
    "block_table": ("None",),
}
"""The only values of these arguments that the adapters take."""


class FlashAttention(Rule):
    """A flash attention function is called.

    What it does: Offers the adapter of the same name in ``ascend_function``, which takes the same arguments
    and calls ``torch_npu.npu_fusion_attention``. Calls with arguments that cannot be converted are reported.

    Why it matters on the NPU: The packages flash-attn and xformers consist of CUDA kernels. The NPU's fused
    operator takes other arguments: the probability to keep instead of the probability to drop, a mask for
    causality, sequence lengths as Python numbers.

    Example: ``flash_attn_func(q, k, v, causal=True)``.

    Use instead: ``torch_npu.npu_fusion_attention``, or ``torch.nn.functional.scaled_dot_product_attention``.
    """

    code = "NPU601"
    fails = frozenset({"mapped", "norm"})
    examples = (
        Example(
            "import torch\nfrom flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v, causal=c)\n",
            unsafe="import torch\nfrom ascend_function import similar_api\n"
            "from flash_attn import flash_attn_func\ny = similar_api.flash_attn_func(q, k, v, causal=c)\n",
        ),
        Example(
            "import torch\nimport flash_attn\n"
            "y = flash_attn.flash_attn_varlen_func(q, k, v, cq, ck, mq, mk, softmax_scale=s)\n",
            unsafe="import torch\nfrom ascend_function import similar_api\nimport flash_attn\n"
            "y = similar_api.flash_attn_varlen_func(q, k, v, cq, ck, mq, mk, softmax_scale=s)\n",
        ),
        Example(
            "import torch\nimport xformers.ops as xops\n"
            "y = xops.memory_efficient_attention(q, k, v, p=0.1)\n",
            unsafe="import torch\nfrom ascend_function import similar_api\nimport xformers.ops as xops\n"
            "y = similar_api.memory_efficient_attention(q, k, v, p=0.1)\n",
        ),
        Example(
            "from flash_attn import flash_attn_func as f\ny = f(*qkv, **more)\n",
            unsafe="from flash_attn import flash_attn_func as f\nfrom ascend_function import similar_api\n"
            "y = similar_api.flash_attn_func(*qkv, **more)\n",
        ),
        Example("from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v, window_size=(1, 1))\n"),
        Example(
            "from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v, 0.0, s, True, (1, 1))\n"
        ),
        Example("from flash_attn import flash_attn_func\ny = flash_attn_func(*qkv, 0.0, s, True, (1, 1))\n"),
        Example(
            "from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v, window_size=(left, 1))\n"
        ),
        Example("import xformers.ops as xops\ny = xops.memory_efficient_attention(q, k, v, attn_bias=b)\n"),
        Example(
            "from flash_attn.ops.rms_norm import rms_norm\ny = rms_norm(x, w, 1e-6)\n",
            unsafe="from flash_attn.ops.rms_norm import rms_norm\nimport torch_npu\n"
            "y = torch_npu.npu_rms_norm(x, w, epsilon=1e-6)[0]\n",
        ),
        Example(
            "from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v)\n",
            version="2.1.0",
            settings=(("hardware", "910A"),),
        ),
        Example("from flash_attn import flash_attn_qkvpacked_func as f\ny = f(qkv)\n"),
        Example.unchanged(
            "import torch.nn.functional as F\ny = F.scaled_dot_product_attention(q, k, v, is_causal=True)\n"
        ),
    )

    @on.name("flash_attn.**")
    def flash(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        last = ref.name.rpartition(".")[2]
        if ref.call is None:
            return
        way = way_of_use(ref.node, ref.chain.root, ctx)
        if way is not Way.TAKEN:
            yield self.report(ref.node, way.value, way.severity, api=ref.name)
        elif last in _PARAMETERS:
            yield self._adapted(ref, _PARAMETERS[last], ctx)
        elif ref.name == _RMS_NORM:
            yield self._norm(ref, ctx)
        elif last.startswith("flash_attn"):
            yield self.report(ref.node, "other", Severity.ERROR, api=ref.name)

    @on.name("xformers.ops.memory_efficient_attention", "xformers.ops.fmha.memory_efficient_attention")
    def memory_efficient(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        way = way_of_use(ref.node, ref.chain.root, ctx)
        if way is not Way.TAKEN:
            yield self.report(ref.node, way.value, way.severity, api=ref.name)
            return
        bias = ref.arguments.get("attn_bias", 3)
        if bias is not None and bias.value.type != "none":
            yield self.report(ref.node, "arguments", Severity.ERROR, api=ref.name)
        else:
            yield self._adapted(ref, _PARAMETERS["memory_efficient_attention"], ctx)

    def _norm(self, ref: NameRef, ctx: Context) -> Finding:
        given, fix = exactly(ref.arguments, "x", "weight", "epsilon"), None
        is_plain = ref.call is not None and given is not None and not holds_comment(ref.call)
        if is_plain and ref.call and given and ctx.facts.npu_name_exists(_NPU_NORM):
            x, weight, epsilon = map(text_of, given)
            text = f"{ctx.spell(_NPU_NORM)}({x}, {weight}, epsilon={epsilon})[0]"
            edits, needs = [replace(ref.call, text)], ctx.requires(_NPU_NORM)
            fix = self.fix(Applicability.UNSAFE, edits=edits, requires=needs)
        return self.report(ref.node, "norm", Severity.WARNING, fix=fix, api=ref.name)

    def _adapted(self, ref: NameRef, positional: int, ctx: Context) -> Finding:
        if ctx.options.hardware is Hardware.A910:
            return self.report(ref.node, "series", Severity.ERROR, api=ref.name)
        fix = replacement_fix(ref.name, ref.node, ctx) if _are_carried(ref.arguments, positional) else None
        if fix is None:
            return self.report(ref.node, "arguments", Severity.ERROR, api=ref.name)
        return self.report(ref.node, "mapped", Severity.WARNING, fix=fix, api=ref.name)


def _are_carried(arguments: Arguments, positional: int) -> bool:
    """Whether nothing shows already in the text that the adapter would refuse the call."""
    follows_unpacked = any(item.keyword is None and item.position is None for item in arguments.items)
    if len(arguments.positional) > positional or follows_unpacked:
        return False  # no one can tell which parameter a value behind an unpacked sequence belongs to
    given = ((item.value, _NEUTRAL.get(item.keyword or "")) for item in arguments.items)
    return all(neutral is None or any(_may_be(value, text) for text in neutral) for value, neutral in given)


def _may_be(value: Node, text: str) -> bool:
    """Whether an expression may have the value of a text; of a tuple, each part must be able to."""
    value = without_parentheses(value)
    if value.type in ("tuple", "list"):
        parts, texts = parts_of(value), text.strip("()").split(",")
        if any(part.type == "list_splat" for part in parts):
            return True
        return text.startswith("(") and len(parts) == len(texts) and all(map(_may_be, parts, texts))
    return not _is_literal(value) or "".join(text_of(value).split()) == text


def _is_literal(value: Node) -> bool:
    """Whether a value is written out, so that it is the same at every call."""
    if value.type == "unary_operator":
        return all(_is_literal(child) for child in value.named_children)
    return value.type in ("integer", "float", "true", "false", "none", "string")


class XformersSwitch(Rule):
    """A diffusers pipeline uses xformers.

    What it does: Offers ``enable_npu_flash_attention()`` instead.

    Why it matters on the NPU: The call raises, because xformers cannot be imported on the NPU.

    Example: ``unet.enable_xformers_memory_efficient_attention()``.

    Use instead: ``unet.enable_npu_flash_attention()`` of diffusers 0.27 or newer.
    """

    code = "NPU602"
    fails = frozenset({"switch"})
    examples = (
        Example(
            "unet.enable_xformers_memory_efficient_attention()\n",
            unsafe="unet.enable_npu_flash_attention()\n",
        ),
        Example.unchanged("unet.enable_npu_flash_attention()\nunet.disable_attention_slicing()\n"),
    )

    @on.member("enable_xformers_memory_efficient_attention")
    def switch(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        if ref.arguments.items:
            yield self.report(ref.node, "switch", Severity.ERROR)
            return
        edit = replace(ref.identifier, "enable_npu_flash_attention")
        fix = self.fix(Applicability.UNSAFE, edits=[edit])
        yield self.report(ref.node, "switch", Severity.WARNING, fix=fix)


class AttentionMask(Rule):
    """An attention mask is passed to the NPU's fused operator.

    What it does: Reports the argument ``atten_mask`` of ``torch_npu.npu_fusion_attention`` if it is a
    variable with a name that is usual for PyTorch's own masks.

    Why it matters on the NPU: The operator masks out elements that are True; the boolean masks of
    ``scaled_dot_product_attention`` keep them. The wrong mask causes no error.

    Example: ``npu_fusion_attention(q, k, v, h, 'BSND', atten_mask=attn_mask)``.

    Use instead: ``atten_mask=~attn_mask``, expanded to one of the shapes BNSS, B1SS, 11SS and SS.
    """

    code = "NPU603"
    name = "attention-mask-sense"
    examples = (
        Example(
            "import torch_npu\n"
            "y = torch_npu.npu_fusion_attention(q, k, v, h, 'BSND', atten_mask=attn_mask)\n",
            unsafe="import torch_npu\n"
            "y = torch_npu.npu_fusion_attention(q, k, v, h, 'BSND', atten_mask=~attn_mask)\n",
        ),
        Example.unchanged(
            "import torch_npu\n"
            "y = torch_npu.npu_fusion_attention(q, k, v, h, 'BSND', atten_mask=~attn_mask)\n"
        ),
    )

    @on.name(OPERATOR)
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        mask = ref.arguments.keyword("atten_mask")
        if mask is None or mask.value.type != "identifier":
            return
        name = text_of(mask.value)
        if name in ("attn_mask", "attention_mask", "key_padding_mask"):
            fix = self.fix(Applicability.UNSAFE, edits=[replace(mask.value, f"~{name}")])
            yield self.report(mask.node, "sense", Severity.WARNING, fix=fix, mask=name)
