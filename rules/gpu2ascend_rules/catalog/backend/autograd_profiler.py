"""NPU512, NPU513: the profiler of torch.autograd, and its search for anomalies."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, on
from ...facts import SupportStatus
from ...model.finding import Applicability, Edit, Finding, Fix, Message, Severity
from ...model.versions import Version
from ...renames.named_rule import NamedRule
from ...text.syntax import Argument, field, text_of

_WITH_DEVICE = Version(2, 1)
"""The first release whose profiler takes ``use_device``. Before, Ascend's torch has ``use_npu``."""
_OWN = "torch.autograd.profiler.profile"
_OF_LIGHTNING = (
    "lightning.pytorch.profilers.PyTorchProfiler", "lightning.pytorch.profilers.pytorch.PyTorchProfiler",
    "pytorch_lightning.profiler.PyTorchProfiler", "pytorch_lightning.profilers.PyTorchProfiler",
    "pytorch_lightning.profiler.pytorch.PyTorchProfiler",
)  # fmt: skip
"""What hands its keywords on to torch's profiler."""


class AutogradProfiler(NamedRule):
    """The profiler of torch.autograd times CUDA, or marks ranges for NVIDIA's tools.

    What it does: Offers ``use_device='npu'`` for ``use_cuda=True`` (``use_npu`` before 2.1), and reports
    ``emit_nvtx`` and ``load_nvprof``, and ``use_cuda=True`` of Lightning's ``PyTorchProfiler``.

    Why it matters on the NPU: With ``use_cuda`` the profiler warns and times only the CPU; ``emit_nvtx``
    raises.

    Example: ``torch.autograd.profiler.profile(use_cuda=True)``.

    Use instead: ``torch.autograd.profiler.profile(use_device='npu')``, or ``torch_npu.profiler.profile``.
    """

    code = "NPU512"
    examples = (
        Example(
            "import torch\nwith torch.autograd.profiler.profile(use_cuda=True) as p:\n    f()\n",
            unsafe="import torch\nimport torch_npu\n"
            "with torch.autograd.profiler.profile(use_device='npu') as p:\n    f()\n",
        ),
        Example(
            "import torch\np = torch.autograd.profiler.profile(True, use_cuda=args.gpu)\n",
            unsafe="import torch\nimport torch_npu\n"
            "p = torch.autograd.profiler.profile(True, use_device='npu' if args.gpu else None)\n",
        ),
        Example(
            "import torch\np = torch.autograd.profiler.profile(use_cuda=True)\n",
            unsafe="import torch\nimport torch_npu\np = torch.autograd.profiler.profile(use_npu=True)\n",
            version="1.8.1",
        ),
        Example("import torch\np = torch.autograd.profiler.profile(use_cuda=True)\n", version="2.0.1"),
        Example(
            "from pytorch_lightning.profilers import PyTorchProfiler\np = PyTorchProfiler(use_cuda=True)\n"
        ),
        Example("import torch\nwith torch.autograd.profiler.emit_nvtx():\n    f()\n"),
        Example.unchanged("import torch\nwith torch.autograd.profiler.profile() as p:\n    f()\n"),
        Example.unchanged("import torch\np = torch.autograd.profiler.profile(use_cuda=False)\n"),
        Example.unchanged("import torch\nwith torch.autograd.profiler.record_function('a'):\n    f()\n"),
    )

    @on.name(_OWN, *_OF_LIGHTNING)
    def profile(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        flag = ref.arguments.keyword("use_cuda")
        if flag is None or flag.value.type in ("false", "none"):
            return
        if ctx.facts.status(ref.name) is SupportStatus.UNSUPPORTED:
            yield self.report(
                flag.node,
                "unsupported",
                Severity.ERROR,
                api=ref.name,
                kind="unsupported",
                version=ctx.version,
            )
            return
        fix = self._fix(flag, ctx) if ref.name == _OWN else None
        yield self.report(flag.node, "cuda", Severity.WARNING, fix=fix, api=ref.name)

    def _fix(self, flag: Argument, ctx: Context) -> Fix | None:
        name = field(flag.node, "name")
        if name is None:
            return None
        if ctx.version < _WITH_DEVICE:
            edits = [Edit(name.start_byte, name.end_byte, "use_npu")]
            shown = f"use_npu={text_of(flag.value)}"
        elif flag.value.type == "true":
            shown = f"use_device={ctx.quoted('npu', flag.node)}"
            edits = [Edit(flag.node.start_byte, flag.node.end_byte, shown)]
        else:
            value = text_of(flag.value)
            if flag.value.type in ("conditional_expression", "lambda", "named_expression"):
                value = f"({value})"
            shown = f"use_device={ctx.quoted('npu', flag.node)} if {value} else None"
            edits = [Edit(flag.node.start_byte, flag.node.end_byte, shown)]
        return self.fix(
            Applicability.UNSAFE,
            edits=edits,
            requires=ctx.names_the_npu,
            title=Message.of("fix.replace", text=shown),
        )


class AnomalyDetection(NamedRule):
    """Anomaly detection of the backward pass is on.

    What it does: Reports ``torch.autograd.set_detect_anomaly(True)`` and ``detect_anomaly()``.

    Why it matters on the NPU: It works, but waits for the device after each operation, which costs more than
    on CUDA.

    Example: ``torch.autograd.set_detect_anomaly(True)``.

    Use instead: the same call, but only while looking for an error.
    """

    code = "NPU513"
    examples = (
        Example("import torch\ntorch.autograd.set_detect_anomaly(True)\n"),
        Example("import torch\nwith torch.autograd.detect_anomaly():\n    f()\n"),
        Example.unchanged("import torch\ntorch.autograd.set_detect_anomaly(False)\n"),
    )
