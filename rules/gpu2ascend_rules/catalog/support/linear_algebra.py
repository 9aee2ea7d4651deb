"""NPU011: linear algebra that torch_npu has no kernel for."""

from __future__ import annotations

from collections.abc import Iterator

from ...data import load_tsv
from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on, replace
from ...facts import SupportStatus
from ...model.finding import Applicability, Finding, Fix, Requirement, Severity
from ...receivers.residence import call_computes_on_cpu
from ...text.names import Certainty

_INSTEAD = {row["api"]: row["instead"] for row in load_tsv("linear_algebra")}


class LinearAlgebraOnCpu(Rule):
    """A function of linear algebra is called that torch_npu has no kernel for.

    What it does: Reports calls of ``torch.linalg`` and its relatives of which the chosen release of torch_npu
    registers no kernel and which no support list mentions. Calls with a tensor that is evidently on the CPU
    are not reported. Where another function has a kernel and computes the same, it offers that.

    Why it matters on the NPU: The call runs on the CPU, with copies to the CPU and back, in every step.

    Example: ``torch.linalg.inv(x)``.

    Use instead: ``torch.inverse``; ``torch.linalg.svd`` and ``torch.linalg.qr`` have kernels, too.
    """

    code = "NPU011"
    examples = (
        Example("import torch\ny = torch.linalg.inv(x)\n", unsafe="import torch\ny = torch.inverse(x)\n"),
        Example("import torch\ny = torch.logdet(x)\n"),
        Example.unchanged("import torch\ny = torch.inverse(x)\nu, s, v = torch.linalg.svd(x)\n"),
        Example.unchanged("import torch\ny = torch.linalg.inv(x.cpu())\n"),
    )

    @on.name(*_INSTEAD)
    def called(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        kernels = ctx.facts.kernels_behind(ref.name)
        if ref.call is None or ref.certainty is Certainty.AMBIGUOUS or kernels is None:
            return
        if not kernels.missing or ctx.facts.row(ref.name) is not None or ctx.options.unknown_apis:
            return  # a list says more, or NPU003 speaks of all that no list mentions
        if call_computes_on_cpu(ref, ctx):
            return
        yield self.report(
            ref.node,
            "on_cpu",
            Severity.INFORMATION,
            fix=self._fix(ref, ctx),
            api=ref.name,
            operator=kernels.missing[0],
            version=ctx.version,
        )

    def _fix(self, ref: NameRef, ctx: Context) -> Fix | None:
        instead = _INSTEAD[ref.name]
        if not instead or ctx.facts.status(instead) is SupportStatus.UNSUPPORTED:
            return None
        if len(ref.arguments.items) != 1 or ref.arguments.at(0) is None:
            return None
        edits = [replace(ref.node, ctx.spell(instead))]
        return self.fix(Applicability.UNSAFE, edits=edits, requires=[Requirement("torch")])
