"""ADV110: what goes with the fused optimizers of torch_npu."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, on
from ...model.finding import Finding
from .advice_rule import AdviceRule


class FusedClipping(AdviceRule):
    """Gradients are clipped one by one with a fused optimizer.

    What it does: Reports ``clip_grad_norm_`` in files that use an ``NpuFused...`` optimizer.

    Why it matters on the NPU: Such an optimizer keeps all gradients in one tensor and can clip them in one
    operation.

    Example: ``clip_grad_norm_(model.parameters(), 1.0)`` together with ``NpuFusedAdamW``.

    Use instead: ``optimizer.clip_grad_norm_fused_(1.0)``.
    """

    code = "ADV110"
    examples = (
        Example(
            "import torch\nimport torch_npu\nopt = torch_npu.optim.NpuFusedAdamW(p)\n"
            "torch.nn.utils.clip_grad_norm_(p, 1.0)\n"
        ),
        Example.unchanged(
            "import torch\nopt = torch.optim.AdamW(p)\ntorch.nn.utils.clip_grad_norm_(p, 1.0)\n"
        ),
    )

    @on.name("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad.clip_grad_norm_")
    def clipped(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and b"NpuFused" in ctx.source.data:
            yield self.advise(ref.call, "clipped", api=ref.name)
