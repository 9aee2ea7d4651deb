"""NPU625: FlexAttention, which some builds of torch_npu compile for the NPU and torch refuses elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from ...data import load_tsv
from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on
from ...facts.packages.pairs import pair_of
from ...facts.releases.transfer import is_in
from ...model.finding import Finding, Severity

_MODULE = "torch.nn.attention.flex_attention"


class FlexAttention(Rule):
    """FlexAttention is called.

    What it does: Reports ``flex_attention``: as an error where the build of torch_npu for the chosen version
    has no kernel for it, else with what it requires.

    Why it matters on the NPU: torch accepts tensors on CUDA, CPU, HPU and MPS only and raises ValueError for
    others. Some builds of torch_npu replace that test and bring a template for their compiler.

    Example: ``flex_attention(q, k, v, block_mask=mask)`` for PyTorch 2.8.0.

    Use instead: ``torch.nn.functional.scaled_dot_product_attention`` with a mask, or a version whose build
    has the kernel.
    """

    code = "NPU625"
    fails = frozenset({"none"})
    examples = (
        Example(f"from {_MODULE} import flex_attention\ny = flex_attention(q, k, v)\n"),
        Example(
            f"import torch\nfrom {_MODULE} import flex_attention as fa\nf = torch.compile(fa)\n",
            version="2.9.0",
        ),
        Example.unchanged(f"from {_MODULE} import create_block_mask\n"),
    )

    @on.name(f"{_MODULE}.flex_attention")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        versions = next(row["versions"] for row in load_tsv("features") if row["name"] == _MODULE)
        has_kernel = is_in(ctx.version, versions)
        yield self.report(
            ref.node,
            "compiled" if has_kernel else "none",
            Severity.INFORMATION if has_kernel else Severity.ERROR,
            api=ref.name,
            torch_npu=pair_of(ctx.version).torch_npu or str(ctx.version),
        )
