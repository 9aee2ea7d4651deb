"""ADV121 to ADV124: numbers that come out otherwise than on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

from ...edits.removal import holds_comment
from ...engine.context import Context
from ...engine.events import KeywordRef, NameRef, Outline
from ...engine.rule import Example, on, replace
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding
from ...renames.named_rule import NamedRule
from ...text.syntax import field, is_field, last_name, outside_parentheses, text_of
from .advice_rule import AdviceRule
from .steps import trains

_GELU = "torch_npu.npu_gelu"
_SUMS = frozenset({"sum", "mean", "prod", "cumsum", "cumprod", "nansum", "nanmean", "norm", "logsumexp"})
_REPEATS = "torch.backends.cudnn.deterministic"


def _says_double(outline: Outline) -> bool:
    return b"torch.float64" in outline.source.data or b"torch.double" in outline.source.data


class DoubleReduction(AdviceRule):
    """A reduction is computed in double precision.

    What it does: Reports ``sum``, ``mean`` and similar reductions with ``dtype=torch.float64``.

    Why it matters on the NPU: float64 runs on the AI CPU; matrix products, HCCL and several reductions do not
    support it. On the CPU it is fine.

    Example: ``x.sum(dtype=torch.float64)``.

    Use instead: float32, or ``x.cpu().sum(dtype=torch.float64)`` if the precision matters.
    """

    code = "ADV121"
    name = "double-precision-reduction"
    only_with = "torch"
    examples = (
        Example("import torch\ny = x.sum(dtype=torch.float64)\n"),
        Example.unchanged(
            "import torch\ny = x.sum(dtype=torch.float32)\nz = x.cpu().sum(dtype=torch.float64)\n"
        ),
        Example.unchanged("import numpy as np\nimport torch\ny = x.sum(dtype=np.float64)\n"),
    )

    @on.keyword("dtype", needs=_says_double)
    def reduced(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        is_double = text_of(ref.value) in ("torch.float64", "torch.double")
        if not is_double or last_name(ref.call) not in _SUMS:
            return
        function = field(ref.call, "function")
        if function is not None and ".cpu()" not in text_of(function):
            yield self.advise(ref.call, "double", call=last_name(ref.call))


class SpreadReduction(NamedRule, AdviceRule):
    """Variance and mean are computed together.

    What it does: Reports ``torch.var_mean`` and ``torch.std_mean``.

    Why it matters on the NPU: With older releases of CANN they fail with "ReduceStdV2A not supported" for
    some data types.

    Example: ``torch.var_mean(x, dim=-1)``.

    Use instead: ``torch.std(x, dim=-1) ** 2`` and ``torch.mean(x, dim=-1)``, if that error occurs.
    """

    code = "ADV122"
    examples = (
        Example("import torch\nv, m = torch.var_mean(x, dim=-1)\n"),
        Example.unchanged("import torch\nv, m = torch.var(x), torch.mean(x)\n"),
    )


class Repeatable(AdviceRule):
    """The program asks for reproducible results.

    What it does: Reports ``torch.backends.cudnn.deterministic = True`` once per file.

    Why it matters on the NPU: The switch belongs to cuDNN. On the NPU, convolutions compute in HF32 by
    default (matrix products do not), and collective operations and the backward pass of embeddings sum in no
    fixed order.

    Example: ``torch.backends.cudnn.deterministic = True``.

    Use instead: ``torch.use_deterministic_algorithms(True)``, ``HCCL_DETERMINISTIC=true``,
    ``torch_npu.npu.conv.allow_hf32 = False``; to compare with a GPU, ``seed_all(mode=True)`` of msprobe.
    """

    code = "ADV123"
    examples = (
        Example("import torch\ntorch.backends.cudnn.deterministic = True\n"),
        Example.unchanged("import torch\ntorch.backends.cudnn.deterministic = False\n"),
        Example.unchanged("import torch\nif torch.backends.cudnn.deterministic:\n    pass\n"),
    )

    @on.name(_REPEATS)
    def wanted(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        holder = parent_of(ref.node)
        value = field(holder, "right") if holder is not None and holder.type == "assignment" else None
        if value is None or value.type != "true" or not is_field(ref.node, "left"):
            return
        if ctx.is_first(Repeatable, ref.node):
            yield self.advise(ref.node, "wanted", api=ref.name)


class GeluForm(AdviceRule):
    """GELU is computed by its exact formula.

    What it does: Offers ``torch_npu.npu_gelu(x, approximate='none')`` for ``F.gelu(x)`` if the release has
    it, and reports ``nn.GELU()`` in files with a backward pass.

    Why it matters on the NPU: PyTorch's GELU always computes the tanh approximation on the NPU, whatever
    ``approximate`` says.

    Example: ``F.gelu(x)``.

    Use instead: ``torch_npu.npu_gelu(x, approximate='none')`` if the last digits matter, for example with
    weights that were trained elsewhere; otherwise leave it unchanged.
    """

    code = "ADV124"
    examples = (
        Example(
            "import torch.nn.functional as F\ny = F.gelu(x)\n",
            unsafe="import torch.nn.functional as F\nimport torch_npu\n"
            "y = torch_npu.npu_gelu(x, approximate='none')\n",
        ),
        Example("from torch import nn\nact = nn.GELU()\nother = nn.GELU()\nl.backward()\n"),
        Example.unchanged("import torch.nn.functional as F\ny = F.gelu(x, approximate='tanh')\n"),
        Example.unchanged("from torch import nn\nact = nn.GELU('tanh')\nlayers = {'gelu': nn.GELU}\n"),
    )

    @on.name("torch.nn.functional.gelu")
    def function(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        first = ref.arguments.at(0)
        if ref.call is None or first is None or len(ref.arguments.items) != 1 or ref.arguments.unpacked:
            return
        fix = None
        parent = parent_of(outside_parentheses(ref.call))
        is_half_of_gate = parent is not None and parent.type == "binary_operator"  # see NPU612
        if ctx.facts.npu_name_exists(_GELU) and not is_half_of_gate and not holds_comment(ref.call):
            text = f"{ctx.spell(_GELU)}({text_of(first.value)}, approximate={ctx.quoted('none', ref.call)})"
            needs = ctx.requires(_GELU)
            fix = self.fix(Applicability.UNSAFE, edits=[replace(ref.call, text)], requires=needs)
        yield self.advise(ref.call, "exact", fix=fix, api=ref.name)

    @on.name("torch.nn.GELU", needs=trains)
    def module(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None or ref.arguments.items or ref.arguments.unpacked or not trains(ctx):
            return
        if ctx.is_first(GeluForm, ref.node):
            yield self.advise(ref.call, "exact", api=ref.name)
