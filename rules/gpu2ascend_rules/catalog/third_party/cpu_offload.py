"""NPU713: pipelines of diffusers that move their parts to a device when they are used."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import MemberRef
from ...engine.rule import Example, Rule, on
from ...flow.settings.required import is_kept_below, is_written_for
from ...model.finding import Applicability, Edit, Finding, Severity
from ...text.syntax import field

_SINCE = (0, 34)
"""The first release of diffusers in which the device is that of the machine."""
_START = "from diffusers import FluxPipeline\npipe = FluxPipeline.from_pretrained(p)\n"


class CpuOffload(Rule):
    """A pipeline moves its parts to CUDA when they are used.

    What it does: Finds ``enable_model_cpu_offload`` and ``enable_sequential_cpu_offload`` without a device,
    and gives them the NPU. Where the project requires diffusers 0.34 or newer, nothing is reported.

    Why it matters on the NPU: Before 0.34 the device is ``"cuda"`` unless it is given; the first call of the
    pipeline raises.

    Example: ``pipe.enable_model_cpu_offload()``.

    Use instead: ``pipe.enable_model_cpu_offload(device="npu")``, which every release takes.
    """

    code = "NPU713"
    examples = (
        Example(
            _START + "pipe.enable_model_cpu_offload()\n",
            _START + "pipe.enable_model_cpu_offload(device='npu')\n",
        ),
        Example(
            _START + "pipe.enable_sequential_cpu_offload(gpu_id=0)\n",
            _START + "pipe.enable_sequential_cpu_offload(gpu_id=0, device='npu')\n",
        ),
        Example.unchanged(_START + "pipe.enable_model_cpu_offload(0, 'npu')\n"),
        Example.unchanged(_START + "pipe.enable_model_cpu_offload(**given)\n"),
        Example.unchanged("pipe.enable_model_cpu_offload()\n"),
    )

    @on.member("enable_model_cpu_offload", "enable_sequential_cpu_offload")
    def offloaded(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        given = ref.arguments
        is_given = len(given.positional) > 1 or given.keyword("device") is not None or given.unpacked
        call = field(ref.call, "arguments")
        if call is None or is_given or not ctx.imports_module("diffusers"):
            return
        if is_written_for(ctx, "diffusers", _SINCE):
            return
        is_older = is_kept_below(ctx, "diffusers", _SINCE)
        edits = []
        if not any(child.type == "comment" for child in call.children):
            start = given.items[-1].node.end_byte if given.items else call.start_byte + 1
            written = f"device={ctx.quoted('npu', ref.node)}"
            edits = [Edit(start, start, f", {written}" if given.items else written)]
        fix = self.fix(Applicability.SAFE, edits=edits) if edits else None
        severity = Severity.ERROR if is_older else Severity.INFORMATION
        yield self.report(ref.node, "offloaded", severity, fix=fix, api=ref.name)
