"""ADV112 and ADV113: sizes and types that the NPU's units do not like."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, on
from ...limits.parents import parent_of
from ...model.finding import Finding
from ...text.syntax import Argument, text_of
from .advice_rule import AdviceRule, Holds
from .steps import trains

_CHANNELS, _INNER, _HEAD = 16, 256, 128
"""What channels, the inner axis of a matrix product and the size of a head are best multiples of."""
_SLOW = frozenset({"torch.int16", "torch.short", "torch.complex128", "torch.cdouble"})


class Alignment(AdviceRule):
    """The size of a layer does not fill the NPU's units.

    What it does: Reports literal sizes in files with a backward pass, once for each kind of layer:
    convolutions with 16 or more output channels that are not a multiple of 16, linear layers with 256 or more
    inputs that are not a multiple of 256, and attention heads whose size is not a multiple of 128.

    Why it matters on the NPU: The formats of the matrix unit pad channels to 16. The profiler's advisor
    recommends multiples of 256 for the inner axis of a matrix product, and of 128 for heads and sequences.

    Example: ``nn.Conv2d(64, 100, 3)``.

    Use instead: the next multiple, if you can choose the architecture. Other sizes are not wrong.
    """

    code = "ADV112"
    name = "alignment"
    holds = Holds.A2
    examples = (
        Example("from torch import nn\nc = nn.Conv2d(64, 100, 3)\nd = nn.Conv2d(64, 100, 1)\nl.backward()\n"),
        Example("from torch import nn\nl = nn.Linear(in_features=1000, out_features=10)\nl.backward()\n"),
        Example("from torch import nn\na = nn.MultiheadAttention(512, 8)\nl.backward()\n"),
        Example.unchanged(
            "from torch import nn\nc = nn.Conv2d(3, 64, 3)\nl = nn.Linear(768, 10)\nh = nn.Linear(w, 10)\n"
            "s = nn.Conv2d(64, 1, 1)\na = nn.MultiheadAttention(1024, 8)\nl.backward()\n"
        ),
    )

    @on.name("torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", needs=trains)
    def convolution(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        size = _number(ref.arguments.get("out_channels", 1))
        if size is not None and size >= _CHANNELS and size % _CHANNELS:
            yield from self._once(ref, ctx, "channels", size, _CHANNELS)

    @on.name("torch.nn.Linear", needs=trains)
    def linear(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        size = _number(ref.arguments.get("in_features", 0))
        if size is not None and size >= _INNER and size % _INNER:
            yield from self._once(ref, ctx, "inner", size, _INNER)

    @on.name("torch.nn.MultiheadAttention", needs=trains)
    def attention(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        width = _number(ref.arguments.get("embed_dim", 0))
        heads = _number(ref.arguments.get("num_heads", 1))
        if width and heads and not width % heads and (width // heads) % _HEAD:
            yield from self._once(ref, ctx, "head", width // heads, _HEAD)

    def _once(self, ref: NameRef, ctx: Context, key: str, size: int, unit: int) -> Iterator[Finding]:
        """The advice at the first such layer of the file: names come in the order of their places."""
        node = ref.call or ref.node
        is_first = ctx.is_first((Alignment, key), node)
        if self.is_for(ctx) and trains(ctx) and is_first:
            yield self.advise(node, key, size=size, unit=unit)


def _number(argument: Argument | None) -> int | None:
    """The literal number that an argument is."""
    if argument is None or argument.value.type != "integer" or not text_of(argument.value).isdigit():
        return None
    return int(text_of(argument.value))


class SlowTypes(AdviceRule):
    """A data type is used whose operators run on the AI CPU.

    What it does: Reports int16 and complex128 once per file, and ``torch.equal`` in training code.

    Why it matters on the NPU: Multiplication and comparison of int16, complex128 and float64 run on the slow
    AI CPU; ``torch.equal`` also does with int64.

    Example: ``x.to(torch.int16)``.

    Use instead: int32, complex64; ``(a == b).all()`` for int32 or floating-point tensors.
    """

    code = "ADV113"
    name = "slow-types"
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
