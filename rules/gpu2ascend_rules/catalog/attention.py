"""NPU60x: flash attention and its relatives, mapped to ``torch_npu.npu_fusion_attention``.

The mapping follows the operator's public documentation: head count and layout are given, dropout as the
share that is kept, a causal mask as a 2048 x 2048 upper triangle with ``sparse_mode=3`` (aligned at the
lower right, as flash-attn does since 2.1). Without the mask ``sparse_mode`` would be ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..context import Context
from ..events import MemberRef, NameRef
from ..finding import Applicability, Finding, Severity
from ..rule import Example, Family, Rule, on, replace
from ..syntax import Arguments, chain_of, text_of

OPERATOR = "torch_npu.npu_fusion_attention"
_FLASH = ("q", "k", "v", "dropout_p", "softmax_scale", "causal")
_VARLEN = (
    "q", "k", "v", "cu_seqlens_q", "cu_seqlens_k", "max_seqlen_q", "max_seqlen_k", "dropout_p",
    "softmax_scale", "causal",
)  # fmt: skip
_XFORMERS = ("query", "key", "value", "attn_bias", "p", "scale")


class FlashAttention(Rule):
    """A flash attention function is called.

    What it does: Offers the call of ``torch_npu.npu_fusion_attention`` that computes the same, where the
    arguments can be carried over; reports the others.

    Why it matters on the NPU: The packages flash-attn and xformers are CUDA kernels. The NPU's fused
    operator takes other arguments: what is kept rather than dropped, a mask for causality, sequence
    lengths as Python numbers.

    Example: ``flash_attn_func(q, k, v, causal=True)``.

    Use instead: ``torch_npu.npu_fusion_attention``, or
    ``torch.nn.functional.scaled_dot_product_attention``.
    """

    code = "NPU601"
    name = "flash-attention"
    family = Family.KERNEL
    examples = (
        Example(
            "import torch\nfrom flash_attn import flash_attn_func\n"
            "y = flash_attn_func(q, k, v, dropout_p=p)\n",
            unsafe="import torch\nimport torch_npu\nfrom flash_attn import flash_attn_func\n"
            "y = torch_npu.npu_fusion_attention(q, k, v, q.shape[2], 'BSND', keep_prob=1.0 - (p), "
            "scale=1.0 / q.shape[-1] ** 0.5)[0]\n",
        ),
        Example(
            "import torch\nfrom flash_attn import flash_attn_func\n"
            "y = flash_attn_func(q, k, v, 0.0, s, causal=True)\n",
            unsafe="import torch\nimport torch_npu\nfrom flash_attn import flash_attn_func\n"
            "y = torch_npu.npu_fusion_attention(q, k, v, q.shape[2], 'BSND', keep_prob=1.0 - (0.0), scale=s, "
            "atten_mask=torch.triu(torch.ones([2048, 2048], device=q.device), diagonal=1).bool(), "
            "sparse_mode=3)[0]\n",
        ),
        Example(
            "import torch\nimport flash_attn\n"
            "y = flash_attn.flash_attn_varlen_func(q, k, v, cq, ck, mq, mk, softmax_scale=s)\n",
            unsafe="import torch\nimport torch_npu\nimport flash_attn\n"
            "y = torch_npu.npu_fusion_attention(q, k, v, q.shape[1], 'TND', "
            "actual_seq_qlen=tuple(cq[1:].cpu().numpy().tolist()), "
            "actual_seq_kvlen=tuple(ck[1:].cpu().numpy().tolist()), scale=s)[0]\n",
        ),
        Example(
            "import torch\nimport xformers.ops as xops\n"
            "y = xops.memory_efficient_attention(q, k, v, p=0.1)\n",
            unsafe="import torch\nimport torch_npu\nimport xformers.ops as xops\n"
            "y = torch_npu.npu_fusion_attention(q, k, v, q.shape[2], 'BSND', keep_prob=1.0 - (0.1), "
            "scale=1.0 / q.shape[-1] ** 0.5)[0]\n",
        ),
        Example(
            "from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v, causal=c)\n", manual=True
        ),
        Example(
            "from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v, window_size=(1, 1))\n",
            manual=True,
        ),
        Example("from flash_attn import flash_attn_func\ny = flash_attn_func(f(), k, v)\n", manual=True),
        Example(
            "import xformers.ops as xops\ny = xops.memory_efficient_attention(q, k, v, attn_bias=b)\n",
            manual=True,
        ),
        Example("from flash_attn import flash_attn_qkvpacked_func as f\ny = f(qkv)\n", manual=True),
        Example.unchanged(
            "import torch.nn.functional as F\ny = F.scaled_dot_product_attention(q, k, v, is_causal=True)\n"
        ),
    )

    @on.name("flash_attn.**")
    def flash(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        last = ref.name.rpartition(".")[2]
        if last == "flash_attn_func":
            yield self._mapped(ref, _by_name(ref.arguments, _FLASH), "BSND", ctx)
        elif last == "flash_attn_varlen_func":
            yield self._mapped(ref, _by_name(ref.arguments, _VARLEN), "TND", ctx)
        elif last.startswith("flash_attn"):
            yield self._unmapped(ref, "other")

    @on.name("xformers.ops.memory_efficient_attention")
    def memory_efficient(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        given = _by_name(ref.arguments, _XFORMERS)
        if given is not None:
            renamed = {"query": "q", "key": "k", "value": "v", "p": "dropout_p", "scale": "softmax_scale"}
            given = {renamed.get(name, name): value for name, value in given.items()}
            bias = given.pop("attn_bias", None)
            if bias is not None and text_of(bias) != "None":
                given["attn_bias"] = bias
        yield self._mapped(ref, given, "BSND", ctx)

    def _mapped(self, ref: NameRef, given: dict[str, Node] | None, layout: str, ctx: Context) -> Finding:
        text = _fused_call(given, layout, ctx) if given is not None else None
        if text is None or ref.call is None or not ctx.facts.npu_name_exists(OPERATOR):
            return self._unmapped(ref, "arguments")
        fix = self.fix(Applicability.UNSAFE, edits=[replace(ref.call, text)], requires=ctx.requires(OPERATOR))
        return self.report(ref.node, "mapped", Severity.WARNING, fix=fix, api=ref.name)

    def _unmapped(self, ref: NameRef, key: str) -> Finding:
        return self.report(ref.node, key, Severity.ERROR, api=ref.name)


def _by_name(arguments: Arguments, parameters: tuple[str, ...]) -> dict[str, Node] | None:
    """The arguments by parameter; ``None`` when some cannot be told."""
    if arguments.unpacked:
        return None
    given: dict[str, Node] = {}
    for item in arguments.items:
        if item.keyword is None and (item.position is None or item.position >= len(parameters)):
            return None
        given[item.keyword or parameters[item.position or 0]] = item.value
    return given


def _fused_call(given: dict[str, Node], layout: str, ctx: Context) -> str | None:
    """The text of the fused operator's call; ``None`` when an argument has no counterpart."""
    known = {*_FLASH, *_VARLEN}
    if any(name not in known for name in given) or not {"q", "k", "v"} <= given.keys():
        return None
    query = given["q"]
    causal = text_of(given["causal"]) if "causal" in given else "False"
    if chain_of(query) is None or causal not in ("True", "False"):
        return None  # the query is written several times, so it must be a name
    q = text_of(query)
    heads = f"{q}.shape[{2 if layout == 'BSND' else 1}]"
    parts = [q, text_of(given["k"]), text_of(given["v"]), heads, f"'{layout}'"]
    if layout == "TND":
        lengths = (("actual_seq_qlen", "cu_seqlens_q"), ("actual_seq_kvlen", "cu_seqlens_k"))
        for new, old in lengths:
            if old not in given or chain_of(given[old]) is None:
                return None
            parts.append(f"{new}=tuple({text_of(given[old])}[1:].cpu().numpy().tolist())")
    if "dropout_p" in given:
        parts.append(f"keep_prob=1.0 - ({text_of(given['dropout_p'])})")
    scale = given.get("softmax_scale")
    default = f"1.0 / {q}.shape[-1] ** 0.5"
    parts.append(f"scale={text_of(scale) if scale is not None and scale.type != 'none' else default}")
    if causal == "True":
        mask = f"{ctx.spell('torch.triu')}({ctx.spell('torch.ones')}([2048, 2048], device={q}.device)"
        parts.append(f"atten_mask={mask}, diagonal=1).bool()")
        parts.append("sparse_mode=3")
    return f"{ctx.spell(OPERATOR)}({', '.join(parts)})[0]"


class XformersSwitch(Rule):
    """A diffusers pipeline is told to use xformers.

    What it does: Offers ``enable_npu_flash_attention()`` in its place.

    Why it matters on the NPU: The call raises, since xformers cannot be imported there.

    Example: ``unet.enable_xformers_memory_efficient_attention()``.

    Use instead: ``unet.enable_npu_flash_attention()`` of diffusers 0.27 or newer.
    """

    code = "NPU602"
    name = "xformers-switch"
    family = Family.KERNEL
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
    """An attention mask is given to the NPU's fused operator.

    What it does: Points out ``atten_mask`` given to ``torch_npu.npu_fusion_attention`` from a variable
    called as PyTorch's own masks are.

    Why it matters on the NPU: The operator masks out where the mask is True; the boolean masks of
    ``scaled_dot_product_attention`` keep where they are True. The wrong sense is silent.

    Example: ``npu_fusion_attention(q, k, v, h, 'BSND', atten_mask=attn_mask)``.

    Use instead: ``atten_mask=~attn_mask``, expanded to one of the shapes BNSS, B1SS, 11SS and SS.
    """

    code = "NPU603"
    name = "attention-mask-sense"
    family = Family.KERNEL
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
