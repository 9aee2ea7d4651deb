"""NPU407 and NPU413: reductions that HCCL cannot make."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on
from ...flow.precision.doubles import REDUCTIONS, double_precision_of
from ...model.finding import Applicability, Finding, Severity
from ...model.hardware import Hardware
from ...renames.named_rule import NamedRule
from ...text.syntax import text_of


class DoubleReduction(Rule):
    """A double-precision tensor is reduced across processes.

    What it does: Finds the code that makes the reduced tensor float64, and offers float32 there.

    Why it matters on the NPU: HCCL reduces integers, float16, bfloat16 and float32; for float64, which is
    also NumPy's default type, the collective raises "Unsupported data type". Gathering and
    broadcasting support any type. Ascend 950 devices can reduce float64.

    Example: ``t = torch.tensor([n, s], dtype=torch.float64, device='cuda'); dist.all_reduce(t)``.

    Use instead: float32, or integers for counts.
    """

    code = "NPU407"
    fails = frozenset({"float64"})
    examples = (
        Example(
            "import torch\nimport torch.distributed as dist\n"
            "t = torch.tensor([n, s], dtype=torch.float64, device='npu')\ndist.barrier()\n"
            "dist.all_reduce(t)\n",
            unsafe="import torch\nimport torch.distributed as dist\n"
            "t = torch.tensor([n, s], dtype=torch.float32, device='npu')\ndist.barrier()\n"
            "dist.all_reduce(t)\n",
        ),
        Example(
            "import torch\nt = x.double().sum().npu()\ntorch.distributed.reduce(t, dst=0)\n",
            unsafe="import torch\nt = x.float().sum().npu()\ntorch.distributed.reduce(t, dst=0)\n",
        ),
        Example(
            "import torch as th\nfrom torch.distributed import all_reduce\nall_reduce(x.to(th.double))\n",
            unsafe="import torch as th\nfrom torch.distributed import all_reduce\n"
            "all_reduce(x.to(th.float32))\n",
        ),
        Example(
            "import torch\nt = torch.cuda.DoubleTensor([1])\ntorch.distributed.all_reduce(t)\n",
            unsafe="import torch\nt = torch.cuda.FloatTensor([1])\ntorch.distributed.all_reduce(t)\n",
        ),
        Example(
            "import torch\nfrom torch import float64\n"
            "torch.distributed.all_reduce(torch.zeros(2, dtype=float64))\n"
        ),
        Example(
            "import torch\nt = torch.zeros(2, dtype=torch.float32)\n"
            "torch.distributed.all_reduce(t.double())\n",
            unsafe="import torch\nt = torch.zeros(2, dtype=torch.float32)\n"
            "torch.distributed.all_reduce(t.float())\n",
        ),
        Example(
            "import numpy as np\nimport torch\nt = torch.from_numpy(np.zeros(3))\n"
            "torch.distributed.all_reduce(t)\n",
            unsafe="import numpy as np\nimport torch\nt = torch.from_numpy(np.zeros(3)).float()\n"
            "torch.distributed.all_reduce(t)\n",
        ),
        Example.unchanged(
            "import numpy as np\nimport torch\na = np.zeros(3, dtype=np.float32)\n"
            "torch.distributed.all_reduce(torch.from_numpy(a))\n"
            "torch.distributed.all_reduce(torch.tensor([0.5]))\n"
        ),
        Example.unchanged(
            "import torch\nimport torch.distributed as dist\nt = torch.zeros(2, dtype=torch.float64)\n"
            "dist.all_gather(out, t)\ndist.broadcast(t, 0)\ndist.all_reduce(t.float())\ndist.all_reduce(u)\n"
        ),
    )

    @on.name(*REDUCTIONS)
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ctx.options.hardware is Hardware.DT950 or not ref.arguments.items:
            return
        first = ref.arguments.items[0]
        source = double_precision_of(first.value, ctx)
        if source is None:
            return
        fix = None
        if source.edit is not None:
            fix = self.fix(Applicability.UNSAFE, edits=[source.edit])
        reduced = text_of(first.value)
        yield self.report(source.node, "float64", Severity.WARNING, fix=fix, api=ref.name, tensor=reduced)


class UnsupportedReduceOp(NamedRule):
    """A reduction is used that HCCL does not have.

    What it does: Reports the bitwise operations, the multiply-then-sum operation in releases that limit it to
    float16 and float32, and the average before torch_npu 2.1.

    Why it matters on the NPU: The collective raises.

    Example: ``dist.all_reduce(mask, op=dist.ReduceOp.BOR)``.

    Use instead: ``ReduceOp.MAX`` or ``MIN`` of 0 and 1 instead of OR and AND; a sum divided by the number of
    processes instead of an average. From 2.1 on, torch_npu computes averages that way itself.
    """

    code = "NPU413"
    examples = (
        Example("import torch.distributed as dist\ndist.all_reduce(m, op=dist.ReduceOp.BOR)\n"),
        Example("from torch.distributed import ReduceOp\nop = ReduceOp.PREMUL_SUM\n"),
        Example("from torch.distributed import ReduceOp\nop = ReduceOp.BXOR\n"),
        Example(
            "import torch.distributed as dist\ndist.all_reduce(m, dist.ReduceOp.AVG)\n", version="1.11.0"
        ),
        Example.unchanged(
            "import torch.distributed as dist\ndist.all_reduce(m, op=dist.ReduceOp.SUM)\n"
            "dist.all_reduce(m, dist.ReduceOp.AVG)\n"
        ),
    )
