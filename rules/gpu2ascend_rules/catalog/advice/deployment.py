"""ADV131 to ADV133: what comes after training, where the code makes a model for it."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, on
from ...model.finding import Finding
from .advice_rule import AdviceRule

_ONNX = ("torch.onnx.export", "torch.onnx.dynamo_export")
_TRACES = ("torch.jit.trace", "torch.jit.trace_module", "torch.export.export")
_KEEPS = ("torch.jit.save", "torch.export.save")


class OnnxExport(AdviceRule):
    """A model is exported to ONNX.

    What it does: Reports ``torch.onnx.export`` once per file, with what to consider on the NPU and the next
    steps.

    Why it matters on the NPU: Export on the CPU: NPU tensors become constants that other programs cannot
    read, and the fused operators of torch_npu have no standard form in ONNX. ATC converts the file into an
    offline model (OM), and AOE tunes it for the chip.

    Example: ``torch.onnx.export(model, x, 'm.onnx')``.

    Use instead: ``model.cpu()`` first; ``atc --framework=5 --model=m.onnx --output=m --soc_version=...``;
    then ``aoe --framework=5 --model=m.onnx --job_type=2``. See docs/after-training.md.
    """

    code = "ADV131"
    name = "onnx-export"
    examples = (
        Example("import torch\ntorch.onnx.export(model, x, 'm.onnx')\n", manual=True),
        Example.unchanged("import torch\ntorch.onnx.is_in_onnx_export()\n"),
    )

    @on.name(*_ONNX)
    def exported(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and _is_first(ref, OnnxExport, ctx):
            yield self.advise(ref.call, "exported", api=ref.name)


class Traced(AdviceRule):
    """A model is recorded as a graph.

    What it does: Reports ``torch.jit.trace`` and ``torch.export.export`` once per file.

    Why it matters on the NPU: A trace keeps the device of its example input: its constants are on the NPU,
    and the graph cannot be loaded anywhere else. ATC reads ONNX, not TorchScript.

    Example: ``torch.jit.trace(model, x)``.

    Use instead: record the graph on the CPU; for an offline model, export to ONNX.
    """

    code = "ADV132"
    name = "traced"
    examples = (
        Example("import torch\nm = torch.jit.trace(model, x)\n", manual=True),
        Example.unchanged("import torch\nm = torch.jit.load('m.pt')\n"),
    )

    @on.name(*_TRACES)
    def recorded(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and _is_first(ref, Traced, ctx):
            yield self.advise(ref.call, "recorded", api=ref.name)


class GraphSaved(AdviceRule):
    """A graph is saved for inference.

    What it does: Reports ``torch.jit.save`` and ``torch.export.save`` once per file.

    Why it matters on the NPU: The NPU can only run such a file through PyTorch. To run without PyTorch, it
    needs an offline model, which ATC creates from ONNX and AOE tunes.

    Example: ``torch.jit.save(m, 'm.pt')``.

    Use instead: a graph on the CPU for other machines; ONNX, ATC and AOE for the NPU. See
    docs/after-training.md.
    """

    code = "ADV133"
    name = "graph-saved"
    examples = (
        Example("import torch\ntorch.jit.save(m, 'm.pt')\n", manual=True),
        Example.unchanged("import torch\ntorch.save(m.state_dict(), 'm.pt')\n"),
    )

    @on.name(*_KEEPS)
    def saved(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and _is_first(ref, GraphSaved, ctx):
            yield self.advise(ref.call, "saved", api=ref.name)


def _is_first(ref: NameRef, rule: type[AdviceRule], ctx: Context) -> bool:
    """Whether no other place of the file was asked about before: names come in the order of their places."""
    return ctx.is_first(rule, ref.node)
