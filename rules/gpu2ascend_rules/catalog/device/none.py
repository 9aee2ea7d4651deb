"""NPU214: a training script that names no device."""

from __future__ import annotations

from collections.abc import Iterator

from ...codemods.from_cpu import names_no_device
from ...engine.context import Context
from ...engine.events import MemberRef
from ...engine.rule import Example, Family, Rule, on
from ...model.finding import Finding, Severity


class NoDevice(Rule):
    """A training script names no device.

    What it does: Reports the backward pass of a script that has an optimizer's step and names no device
    anywhere. ``--from-cpu`` and a refactoring of the editor move the model, the losses and the batches.

    Why it matters on the NPU: The script runs, on the CPU: torch_npu moves nothing by itself.

    Example: ``loss.backward(); optimizer.step()`` in a script without ``device``.

    Use instead: ``device = torch.device('npu')``, ``model.to(device)`` before the optimizer is made, and
    ``x, y = x.to(device), y.to(device)`` first in the loop.
    """

    code = "NPU214"
    name = "no-device"
    family = Family.DEVICE
    only_with = "torch"
    examples = (
        Example("import torch\nloss.backward()\noptimizer.step()\n", manual=True),
        Example.unchanged("import torch\nx = x.to(place)\nloss.backward()\noptimizer.step()\n"),
        Example.unchanged("import torch\nloss.backward()\n"),
    )

    @on.member("backward")
    def backward(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        is_first = ref.identifier.start_byte == ctx.source.identifiers("backward")[0].start_byte
        if is_first and ref.call is not None and names_no_device(ctx.source):
            yield self.report(ref.node, "none", Severity.ERROR)
