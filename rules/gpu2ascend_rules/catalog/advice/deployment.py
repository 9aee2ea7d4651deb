"""ADV131 to ADV133: what comes after training, where the code makes a model for it."""

from __future__ import annotations

from ...engine.rule import Example
from ...renames.named_rule import NamedRule
from .advice_rule import AdviceRule


class OnnxExport(NamedRule, AdviceRule):
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
    examples = (
        Example("import torch\ntorch.onnx.export(model, x, 'm.onnx')\n"),
        Example.unchanged("import torch\ntorch.onnx.is_in_onnx_export()\n"),
    )


class Traced(NamedRule, AdviceRule):
    """A model is recorded as a graph.

    What it does: Reports ``torch.jit.trace`` and ``torch.export.export`` once per file.

    Why it matters on the NPU: A trace keeps the device of its example input: its constants are on the NPU,
    and the graph cannot be loaded anywhere else. ATC reads ONNX, not TorchScript.

    Example: ``torch.jit.trace(model, x)``.

    Use instead: record the graph on the CPU; for an offline model, export to ONNX.
    """

    code = "ADV132"
    examples = (
        Example("import torch\nm = torch.jit.trace(model, x)\n"),
        Example.unchanged("import torch\nm = torch.jit.load('m.pt')\n"),
    )


class GraphSaved(NamedRule, AdviceRule):
    """A graph is saved for inference.

    What it does: Reports ``torch.jit.save`` and ``torch.export.save`` once per file.

    Why it matters on the NPU: The NPU can only run such a file through PyTorch. To run without PyTorch, it
    needs an offline model, which ATC creates from ONNX and AOE tunes.

    Example: ``torch.jit.save(m, 'm.pt')``.

    Use instead: a graph on the CPU for other machines; ONNX, ATC and AOE for the NPU. See
    docs/after-training.md.
    """

    code = "ADV133"
    examples = (
        Example("import torch\ntorch.jit.save(m, 'm.pt')\n"),
        Example.unchanged("import torch\ntorch.save(m.state_dict(), 'm.pt')\n"),
    )
