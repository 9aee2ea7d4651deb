"""NPU809: what the Atlas training series (910A) lacks beside A2."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, MemberRef, NameRef, Outline, StringRef
from ...engine.rule import Example, Rule, on
from ...flow.templates import plain_text
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...model.hardware import Hardware
from ...text.syntax import field, text_of

_PRECISIONS = frozenset({"bf16", "bfloat16", "bf16-mixed", "bf16-true", "torch.bfloat16"})
_AMP_WORDS = (b"autocast", b"GradScaler", b"scale_loss", b".half(", b"float16")
_VISIBLE = frozenset({"CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"})
_CARDS = 8
"""Cards of a host of the series."""
_HALF = 4
"""Cards that are joined directly."""
_JOINED = frozenset({1, 2, 4, 8})
_ON_910A = (("hardware", "910A"),)


def _is_910a(ctx: Outline) -> bool:
    return ctx.options.hardware is Hardware.A910


class TrainingSeries(Rule):
    """Something is used that the Atlas training series (910A) lacks.

    What it does: For the hardware 910A only, reports bfloat16, training without mixed precision,
    ``torch.baddbmm``, which may overflow there, batches of changing size, and numbers of cards that its
    collectives do not support.

    Why it matters on the NPU: The 910A has no bfloat16. Its matrix unit computes in float16, so training in
    float32 is slow; float16 saturates instead of becoming inf. Operators are compiled for each shape unless
    ``set_compile_mode(jit_compile=False)`` is called. HCCL connects 1, 2, 4 or 8 cards of a host; two or four
    must all be among cards 0 to 3 or 4 to 7.

    Example: ``model.to(torch.bfloat16)``.

    Use instead: float16 with ``torch_npu.npu.amp``: autocast and its GradScaler, which detects overflows.
    """

    code = "NPU809"
    name = "atlas-training-series"
    only_with = "torch"
    examples = (
        Example("import torch\nx = x.to(torch.bfloat16)\n", version="2.1.0", settings=_ON_910A),
        Example("import torch\nloss.backward()\noptimizer.step()\n", version="2.1.0", settings=_ON_910A),
        Example("import torch\ny = torch.baddbmm(a, b, c)\n", version="2.1.0", settings=_ON_910A),
        Example(
            "import torch\nloader = torch.utils.data.DataLoader(data, 8)\nloss.half().backward()\n",
            version="2.1.0",
            settings=_ON_910A,
        ),
        Example(
            "import torch.multiprocessing as mp\nmp.spawn(main, nprocs=6)\n",
            version="2.1.0",
            settings=_ON_910A,
        ),
        Example(
            "import os, torch\nos.environ['ASCEND_RT_VISIBLE_DEVICES'] = '3,4'\n",
            version="2.1.0",
            settings=_ON_910A,
        ),
        Example.unchanged("import torch\nx = x.to(torch.bfloat16)\nloss.backward()\noptimizer.step()\n"),
        Example.unchanged("import torch.multiprocessing as mp\nmp.spawn(main, nprocs=6)\n"),
    )

    @on.name("torch.bfloat16", "torch.BFloat16Tensor", "torch.cuda.BFloat16Tensor", needs=_is_910a)
    def dtype(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        yield self.report(ref.node, "bfloat16", Severity.ERROR, text=ref.written)

    @on.member("bfloat16", needs=_is_910a)
    def converted(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None:
            yield self.report(ref.node, "bfloat16", Severity.ERROR, text=".bfloat16()")

    @on.keyword("bf16", "torch_dtype", "dtype", "precision", "mixed_precision", needs=_is_910a)
    def precision(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        is_flag = ref.name == "bf16" and ref.value.type == "true"
        if is_flag or plain_text(ref.value) in _PRECISIONS:
            yield self.report(ref.value, "bfloat16", Severity.ERROR, text=f"{ref.name}={text_of(ref.value)}")

    @on.member("backward", needs=_is_910a)
    def float32(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        data = ctx.source.data
        is_first = ref.identifier.start_byte == ctx.source.identifiers("backward")[0].start_byte
        if ref.call is None or not is_first:
            return
        if b".step(" in data and not any(word in data for word in _AMP_WORDS):
            yield self.report(ref.node, "precision", Severity.WARNING)

    @on.name("torch.baddbmm", needs=_is_910a)
    def overflow(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        yield self.report(ref.node, "overflow", Severity.INFORMATION, api=ref.name)

    @on.name("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader", needs=_is_910a)
    def shapes(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None or ref.arguments.unpacked:
            return
        data = ctx.source.data
        is_kept = ref.arguments.keyword("drop_last") is not None or ref.arguments.at(8) is not None
        is_chosen = b"set_compile_mode" in data or b"jit_compile" in data
        if b".backward(" in data and not is_kept and not is_chosen:
            yield self.report(ref.node, "shapes", Severity.HINT)

    @on.keyword("nprocs", "nproc_per_node", "num_gpus_per_node", needs=_is_910a)
    def processes(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        count = text_of(ref.value)
        is_number = ref.value.type == "integer"
        if is_number and count.isdecimal() and int(count) < _CARDS and int(count) not in _JOINED:
            yield self.report(ref.node, "cards", Severity.ERROR, text=text_of(ref.node))

    @on.string("VISIBLE_DEVICES", needs=_is_910a)
    def visible(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text not in _VISIBLE:
            return
        value = _assigned(ref.node)
        cards = (plain_text(value) or "").split(",") if value is not None else []
        if value is not None and all(card.strip().isdecimal() for card in cards) and not _are_joined(cards):
            yield self.report(value, "cards", Severity.ERROR, text=f"{ref.text}={text_of(value)}")


def _assigned(key: Node) -> Node | None:
    """What the item of a mapping is set to, by its key."""
    item = parent_of(key)
    statement = parent_of(item) if item is not None and item.type == "subscript" else None
    return field(statement, "right") if statement is not None and statement.type == "assignment" else None


def _are_joined(cards: list[str]) -> bool:
    """Whether HCCL joins some cards of a host: all, or one, two or four of one half."""
    numbers = {int(card) for card in cards}
    if not numbers or max(numbers) >= _CARDS or len(numbers) == _CARDS:
        return True
    return len(numbers) in _JOINED and len({number // _HALF for number in numbers}) == 1
