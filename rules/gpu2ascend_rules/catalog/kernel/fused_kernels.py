"""NPU614 and NPU615: calls of kernels that are fused on CUDA, and are others or none on the NPU."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on, replace
from ...model.finding import Applicability, Finding, Rewrite, Severity
from ...text.syntax import text_of
from .given import BY_POSITION, exactly


class MaskedSoftmaxKernel(Rule):
    """A masked softmax kernel of Megatron is called.

    What it does: Offers ``torch_npu.npu_scaled_masked_softmax``.

    Why it matters on the NPU: The kernel is a CUDA extension. The NPU's operator requires a boolean mask
    whose last two dimensions are multiples of 32, from 32 to 4096.

    Example: ``scaled_masked_softmax_cuda.forward(x, mask, scale)``.

    Use instead: ``torch_npu.npu_scaled_masked_softmax(x, mask, scale, False)``.
    """

    code = "NPU614"
    fails = frozenset({"softmax"})
    examples = (
        Example(
            "import torch\nimport scaled_masked_softmax_cuda\n"
            "y = scaled_masked_softmax_cuda.forward(x, mask, s)\n",
            unsafe="import torch\nimport torch_npu\nimport scaled_masked_softmax_cuda\n"
            "y = torch_npu.npu_scaled_masked_softmax(x, mask, s, False)\n",
        ),
        Example(
            "import torch\nimport scaled_masked_softmax_cuda\n"
            "y = scaled_masked_softmax_cuda.forward(x, mask, s, **given)\n"
        ),
        Example.unchanged("import torch\ny = torch.softmax(x, -1)\n"),
    )

    @on.name("scaled_masked_softmax_cuda.forward")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        operator = "torch_npu.npu_scaled_masked_softmax"
        if ref.call is None or len(ref.arguments.positional) != 3:
            return
        if not ctx.facts.npu_name_exists(operator):
            return
        given, fix = exactly(ref.arguments, *3 * (BY_POSITION,)), None
        if given is not None:
            text = f"{ctx.spell(operator)}({', '.join(map(text_of, given))}, False)"
            edits, needs = [replace(ref.call, text)], ctx.requires(operator)
            fix = self.fix(Applicability.UNSAFE, edits=edits, requires=needs)
        yield self.report(ref.node, "softmax", Severity.WARNING, fix=fix, api=ref.name)


class FusedAdam(Rule):
    """An optimizer runs fused, and torch_npu has no fused kernel for it.

    What it does: Offers to remove ``fused=True`` from Adam and SGD where the build of torch_npu for the
    chosen version registers no kernel for it, and from all three optimizers in a file with a GradScaler.

    Why it matters on the NPU: Every build implements fused AdamW; fused Adam and SGD exist only in the newest
    builds, and raise elsewhere. None of them accepts the arguments by which a GradScaler passes its scale.

    Example: ``torch.optim.Adam(params, fused=True)`` for PyTorch 2.8.0.

    Use instead: ``torch.optim.Adam(params)``, or AdamW.
    """

    code = "NPU615"
    fails = frozenset({"fused", "scaled"})
    examples = (
        Example(
            "import torch\nopt = torch.optim.Adam(p, lr=1e-3, fused=True)\n",
            unsafe="import torch\nopt = torch.optim.Adam(p, lr=1e-3)\n",
        ),
        Example(
            "import torch\ns = torch.amp.GradScaler('npu')\nopt = torch.optim.AdamW(p, fused=True)\n",
            unsafe="import torch\ns = torch.amp.GradScaler('npu')\nopt = torch.optim.AdamW(p)\n",
        ),
        Example.unchanged(
            "import torch\ntorch.optim.AdamW(p, fused=True)\ntorch.optim.Adam(p, fused=False)\n"
        ),
        Example.unchanged("import torch\ntorch.optim.Adam(p, fused=True)\n", version="2.9.0"),
    )

    @on.name("torch.optim.Adam", "torch.optim.AdamW", "torch.optim.SGD", needs="fused")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """No kernel, or one that does not take the scale of a gradient scaler."""
        kernel = f"torch.ops.aten._fused_{ref.name.rpartition('.')[2].lower()}_"
        if not ctx.facts.has_kernel(kernel):
            yield from self._fused(ref, "fused")
        elif any(ctx.source.identifiers("GradScaler")):
            yield from self._fused(ref, "scaled")

    def _fused(self, ref: NameRef, key: str) -> Iterator[Finding]:
        fused = ref.arguments.keyword("fused")
        if fused is None or ref.call is None or text_of(fused.value) in ("False", "None"):
            return
        call = ref.call
        fix = self.fix(
            Applicability.UNSAFE, rewrites=[Rewrite(call.start_byte, call.end_byte, (("drop", "fused"),))]
        )
        yield self.report(fused.node, key, Severity.WARNING, fix=fix, api=ref.name)
