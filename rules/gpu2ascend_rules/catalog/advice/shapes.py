"""ADV113: types that the NPU's units do not like."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, on
from ...limits.parents import parent_of
from ...model.finding import Finding
from .advice_rule import AdviceRule
from .steps import trains

_SLOW = frozenset({"torch.int16", "torch.short", "torch.complex128", "torch.cdouble"})


class SlowTypes(AdviceRule):
    """A data type is used whose operators run on the AI CPU.

    What it does: Reports int16 and complex128 once per file, and ``torch.equal`` in training code.

    Why it matters on the NPU: Multiplication and comparison of int16, complex128 and float64 run on the slow
    AI CPU; ``torch.equal`` also does with int64.

    Example: ``x.to(torch.int16)``.

    Use instead: int32, complex64; ``(a == b).all()`` for int32 or floating-point tensors.
    """

    code = "ADV113"
    examples = (
        Example("import torch\nx = x.to(torch.int16)\ny = y.to(torch.int16)\n"),
        Example("import torch\nsame = torch.equal(a, b)\nloss.backward()\n"),
        Example.unchanged("import torch\nx = x.to(torch.int32)\nsame = torch.equal(a, b)\n"),
        Example.unchanged("import torch\nif x.dtype == torch.int16:\n    x = x.int()\n"),
    )

    @on.name(*sorted(_SLOW))
    def typed(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        holder = parent_of(ref.node)
        if holder is None or holder.type not in ("argument_list", "keyword_argument"):
            return  # a test, or a table of types
        if ctx.is_first((SlowTypes, ref.name), ref.node):
            yield self.advise(ref.node, "typed", api=ref.name)

    @on.name("torch.equal", needs=trains)
    def compared(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None or not trains(ctx):
            return
        if ctx.is_first((SlowTypes, ref.name), ref.node):
            yield self.advise(ref.call, "compared", api=ref.name)
