"""ADV105, ADV107, ADV109 and ADV111: how much and how often processes talk."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, on
from ...limits.parents import parent_of
from ...model.finding import Finding
from ...renames.named_rule import NamedRule
from ...text.syntax import ancestors, arguments_of, enclosing, enclosing_statement, field, text_of
from .advice_rule import AdviceRule
from .steps import trains

_REDUCE = ("torch.distributed.all_reduce", "torch.distributed.distributed_c10d.all_reduce")
_REPEATED_IN = ("for_statement", "while_statement", "function_definition", "lambda", "class_definition")
_NAME = re.compile(r"[^\W\d]\w*")
_PARALLEL = "torch.nn.parallel.DistributedDataParallel"
_DDP = "from torch.nn.parallel import DistributedDataParallel as DDP\n"


class SmallAllReduce(AdviceRule):
    """Values are reduced one by one.

    What it does: Reports the first of two or more calls of ``all_reduce`` in one block, and a call for each
    element of a loop over parameters, under conditions, too.

    Why it matters on the NPU: Every message has a fixed latency. The profiler's advisor warns if more than a
    fifth of the traffic consists of messages below 16 MB within a host (SDMA) or 1 MB between hosts (RDMA).

    Example: ``for p in model.parameters(): dist.all_reduce(p.grad)``.

    Use instead: one ``all_reduce`` of ``torch.stack`` or of a flat tensor; sizes that are multiples of 512
    bytes.
    """

    code = "ADV105"
    examples = (
        Example(
            "import torch.distributed as dist\nfor p in model.parameters():\n    dist.all_reduce(p.grad)\n"
        ),
        Example(
            "import torch.distributed as dist\nfor p in model.parameters():\n    if p.grad is not None:\n"
            "        dist.all_reduce(p.grad)\n"
        ),
        Example("import torch.distributed as dist\ndist.all_reduce(loss)\ndist.all_reduce(hits)\n"),
        Example.unchanged("import torch.distributed as dist\ndist.all_reduce(loss)\n"),
        Example.unchanged(
            "import torch.distributed as dist\nif a:\n    dist.all_reduce(x)\nelse:\n    dist.all_reduce(y)\n"
        ),
    )

    @on.name(*_REDUCE)
    def reduced(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        block = parent_of(enclosing_statement(ref.call))
        if block is None:
            return
        if _is_for_each_parameter(ref.call, block):
            yield self.advise(ref.call, "each", api=ref.name)
            return
        others = ctx.once("all_reduce by block", lambda: _by_block(ctx)).get(block.id, [])
        if len(others) > 1 and ref.call.start_byte <= others[0].start_byte < ref.call.end_byte:
            yield self.advise(ref.call, "many", api=ref.name, count=len(others))


def _is_for_each_parameter(call: Node, block: Node) -> bool:
    """Whether a call is made for each element of a loop over parameters: at once, or under conditions.

    What is reduced under a condition must be of the element: it may be a flat tensor of many otherwise.
    """
    loop = enclosing(call, *_REPEATED_IN)
    body = field(loop, "body") if loop is not None and loop.type == "for_statement" else None
    if loop is None or body is None or not _is_over_parameters(loop):
        return False
    if not body.start_byte <= call.start_byte < body.end_byte:
        return False  # in the ``else`` behind the loop
    reduced, element = arguments_of(call).get("tensor", 0), field(loop, "left")
    if body == block or reduced is None or element is None:
        return body == block
    return not _names_in(reduced.value).isdisjoint(_names_in(element))


def _names_in(expression: Node) -> frozenset[str]:
    return frozenset(_NAME.findall(text_of(expression)))


def _is_over_parameters(loop: Node) -> bool:
    iterated = field(loop, "right")
    return iterated is not None and "param" in text_of(iterated)


def _by_block(ctx: Context) -> dict[int, list[Node]]:
    """The names that are called in a statement of a block itself, by the block, in text order."""
    found: dict[int, list[Node]] = {}
    for name in ctx.source.identifiers("all_reduce"):
        call = enclosing(name, "call")
        block = parent_of(enclosing_statement(call)) if call is not None else None
        if block is not None:
            found.setdefault(block.id, []).append(name)
    return found


class DdpBucket(AdviceRule):
    """DistributedDataParallel uses buckets of the default size.

    What it does: Reports ``DistributedDataParallel`` without ``bucket_cap_mb``.

    Why it matters on the NPU: Buckets of 25 MB mean many messages. The vendor's tool recommends 500 MB.
    Larger buckets overlap less with the backward pass and take more memory, so measure the effect. As a
    positional argument it is the 7th, from torch 2.4 on the 8th.

    Example: ``DistributedDataParallel(model, device_ids=[rank])``.

    Use instead: the keyword argument ``bucket_cap_mb=100`` or more.
    """

    code = "ADV107"
    examples = (
        Example(f"{_DDP}model = DDP(model, device_ids=[rank])\n"),
        Example.unchanged(f"{_DDP}model = DDP(model, bucket_cap_mb=200)\n"),
        Example.unchanged(f"{_DDP}model = DDP(model, **options)\n"),
        Example.unchanged(f"{_DDP}model = DDP(model, [0], 0, 0, True, None, 200)\n"),
    )

    @on.name(_PARALLEL)
    def made(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        arguments = ref.arguments
        is_given = arguments.unpacked or arguments.keyword("bucket_cap_mb") is not None
        if ref.call is not None and not is_given and arguments.at(6) is None:
            yield self.advise(ref.call, "bucket", api=ref.name)


class NoSync(AdviceRule):
    """Gradients accumulate over several steps but are synchronized in each.

    What it does: Reports ``DistributedDataParallel`` in a file in which the optimizer steps under a condition
    with ``%`` and which never uses ``no_sync``.

    Why it matters on the NPU: Every backward pass sends all gradients, although only the last one before the
    optimizer step has to.

    Example: ``if (i + 1) % 4 == 0: optimizer.step()`` together with ``DistributedDataParallel(model)``.

    Use instead: ``with model.no_sync():`` around every backward pass except the last.
    """

    code = "ADV109"
    examples = (
        Example(
            f"{_DDP}model = DDP(model, bucket_cap_mb=200)\nfor i, x in enumerate(loader):\n"
            "    model(x).backward()\n    if (i + 1) % 4 == 0:\n        opt.step()\n"
        ),
        Example.unchanged(
            f"{_DDP}model = DDP(model, bucket_cap_mb=200)\nfor i, x in enumerate(loader):\n"
            "    model(x).backward()\n    opt.step()\n    if (i + 1) % 4 == 0:\n        print(i)\n"
        ),
        Example.unchanged(
            f"{_DDP}model = DDP(model, bucket_cap_mb=200)\nfor i, x in enumerate(loader):\n"
            "    with model.no_sync():\n        model(x).backward()\n    if (i + 1) % 4 == 0:\n"
            "        opt.step()\n"
        ),
    )

    @on.name(_PARALLEL, needs=trains)
    def made(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None or b"no_sync" in ctx.source.data:
            return
        if any(_is_now_and_then(name) for name in ctx.source.identifiers("step")):
            yield self.advise(ref.call, "accumulates", api=ref.name)


def _is_now_and_then(name: Node) -> bool:
    """Whether an optimizer steps under a test of a remainder."""
    attribute = parent_of(name)
    receiver = field(attribute, "object") if attribute is not None and attribute.type == "attribute" else None
    if receiver is None or "opt" not in text_of(receiver).lower():
        return False
    for above in ancestors(name):
        if above.type == "function_definition":
            return False
        condition = field(above, "condition") if above.type == "if_statement" else None
        if condition is not None and "%" in text_of(condition):
            return True
    return False


class SyncBatchNorms(NamedRule, AdviceRule):
    """Every batch norm of a model is synchronized.

    What it does: Reports ``convert_sync_batchnorm``.

    Why it matters on the NPU: Each layer communicates with all processes in every step. The profiler's
    advisor warns from 20 layers on.

    Example: ``torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)``.

    Use instead: ordinary batch norms, if the model has more than 20 of them and each card processes batches
    of 16 or more.
    """

    code = "ADV111"
    examples = (
        Example("import torch\nm = torch.nn.SyncBatchNorm.convert_sync_batchnorm(m)\n"),
        Example.unchanged("import torch\nm = torch.nn.SyncBatchNorm(8)\n"),
    )
