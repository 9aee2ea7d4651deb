"""NPU208: ``torch.random.fork_rng``, which keeps the random state of CUDA devices by default."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on
from ...model.finding import Applicability, Finding, Rewrite, Severity
from ...model.versions import Version
from ...text.syntax import text_of

DEVICE_TYPE_FROM = Version(2, 1)


class ForkRng(Rule):
    """fork_rng is called without a device type.

    What it does: Adds ``device_type='npu'``. Calls that name a device type, or that only fork the state of
    the CPU, are not changed. Before torch 2.1 there is no such parameter, and the call is reported.

    Why it matters on the NPU: The default is ``'cuda'``: the random state of the NPU is silently neither
    saved nor restored.

    Example: ``with torch.random.fork_rng():``.

    Use instead: ``with torch.random.fork_rng(device_type='npu'):``.
    """

    code = "NPU208"
    examples = (
        Example(
            "import torch\nwith torch.random.fork_rng():\n    pass\n",
            "import torch\nimport torch_npu\nwith torch.random.fork_rng(device_type='npu'):\n    pass\n",
        ),
        Example(
            "from torch.random import fork_rng\nwith fork_rng(devices=[0]):\n    pass\n",
            "from torch.random import fork_rng\nimport torch_npu\n"
            "with fork_rng(devices=[0], device_type='npu'):\n    pass\n",
        ),
        Example("import torch\nwith torch.random.fork_rng():\n    pass\n", version="2.0.1"),
        Example.unchanged("import torch\nwith torch.random.fork_rng(device_type=device.type):\n    pass\n"),
        Example.unchanged("import torch\nwith torch.random.fork_rng(devices=[]):\n    pass\n"),
        Example.unchanged(
            "import torch\nwith torch.random.fork_rng(enabled=False):\n    pass\ntorch.random.fork_rng(**k)\n"
        ),
    )

    @on.name("torch.random.fork_rng")
    def fork(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        call, arguments = ref.call, ref.arguments
        if call is None or arguments.unpacked or arguments.get("device_type", 4) is not None:
            return
        devices, enabled = arguments.get("devices", 0), arguments.get("enabled", 1)
        if devices is not None and text_of(devices.value) in ("[]", "()"):
            return
        if enabled is not None and enabled.value.type == "false":
            return
        if ctx.version < DEVICE_TYPE_FROM:
            yield self.report(ref.node, "none", Severity.ERROR, api=ref.name, version=ctx.version)
            return
        rewrite = Rewrite(
            call.start_byte, call.end_byte, (("set", f"device_type={ctx.quoted('npu', call)}"),)
        )
        fix = self.fix(Applicability.SAFE, rewrites=[rewrite], requires=ctx.names_the_npu)
        yield self.report(ref.node, "cuda", Severity.WARNING, fix=fix, api=ref.name)
