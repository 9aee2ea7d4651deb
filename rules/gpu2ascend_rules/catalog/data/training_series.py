"""NPU809: what the Atlas training series (910A) lacks beside A2."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import KeywordRef, MemberRef, NameRef
from ...engine.rule import Example, Family, Rule, on
from ...flow.templates import plain_text
from ...model.finding import Finding, Severity
from ...model.hardware import Hardware
from ...text.syntax import text_of

_PRECISIONS = frozenset({"bf16", "bfloat16", "bf16-mixed", "bf16-true", "torch.bfloat16"})
_AMP_WORDS = (b"autocast", b"GradScaler", b"scale_loss", b".half(", b"float16")
_ON_910A = (("hardware", "910A"),)


class TrainingSeries(Rule):
    """Something is used that the Atlas training series (910A) does not have.

    What it does: Only for the hardware 910A: reports bfloat16, training without mixed precision, and
    ``torch.baddbmm``, which may overflow there.

    Why it matters on the NPU: The 910A has no bfloat16. Its matrix unit computes in float16, so that
    training in float32 is slow; float16 saturates instead of giving inf.

    Example: ``model.to(torch.bfloat16)``.

    Use instead: float16 with ``torch_npu.npu.amp``: autocast and its GradScaler, which sees overflows.
    """

    code = "NPU809"
    name = "atlas-training-series"
    family = Family.DATA
    only_with = "torch"
    examples = (
        Example("import torch\nx = x.to(torch.bfloat16)\n", manual=True, version="2.1.0", settings=_ON_910A),
        Example(
            "import torch\nloss.backward()\noptimizer.step()\n",
            manual=True,
            version="2.1.0",
            settings=_ON_910A,
        ),
        Example(
            "import torch\ny = torch.baddbmm(a, b, c)\n", manual=True, version="2.1.0", settings=_ON_910A
        ),
        Example.unchanged("import torch\nx = x.to(torch.bfloat16)\nloss.backward()\noptimizer.step()\n"),
    )

    @on.name("torch.bfloat16", "torch.BFloat16Tensor", "torch.cuda.BFloat16Tensor")
    def dtype(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ctx.options.hardware is Hardware.A910:
            yield self.report(ref.node, "bfloat16", Severity.ERROR, text=ref.written)

    @on.member("bfloat16")
    def converted(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ctx.options.hardware is Hardware.A910 and ref.call is not None:
            yield self.report(ref.node, "bfloat16", Severity.ERROR, text=".bfloat16()")

    @on.keyword("bf16", "torch_dtype", "dtype", "precision", "mixed_precision")
    def precision(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if ctx.options.hardware is not Hardware.A910:
            return
        is_flag = ref.name == "bf16" and ref.value.type == "true"
        if is_flag or plain_text(ref.value) in _PRECISIONS:
            yield self.report(ref.value, "bfloat16", Severity.ERROR, text=f"{ref.name}={text_of(ref.value)}")

    @on.member("backward")
    def float32(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        data = ctx.source.data
        is_first = ref.identifier.start_byte == ctx.source.identifiers("backward")[0].start_byte
        if ctx.options.hardware is not Hardware.A910 or ref.call is None or not is_first:
            return
        if b".step(" in data and not any(word in data for word in _AMP_WORDS):
            yield self.report(ref.node, "precision", Severity.WARNING)

    @on.name("torch.baddbmm")
    def overflow(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ctx.options.hardware is Hardware.A910:
            yield self.report(ref.node, "overflow", Severity.INFORMATION, api=ref.name)
