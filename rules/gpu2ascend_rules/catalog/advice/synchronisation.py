"""ADV103 and ADV104: what makes the host wait for the device in each step."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import MemberRef, NameRef
from ...engine.rule import Example, on
from ...limits.parents import parent_of, parent_type
from ...model.finding import Finding
from .advice_rule import AdviceRule
from .steps import step_loop, trains

_WAITING = ("item", "tolist", "nonzero", "cpu", "numpy")
_EMPTIES = (
    "torch.cuda.empty_cache", "torch.cuda.memory.empty_cache", "torch_npu.npu.empty_cache",
    "torch.npu.empty_cache", "torch.accelerator.empty_cache", "gc.collect",
)  # fmt: skip
_LOOP = "for x, y in loader:\n    loss = model(x, y)\n    loss.backward()\n    opt.step()\n"


class HostSynchronisation(AdviceRule):
    """The host waits for the device in every training step.

    What it does: Reports ``.item()``, ``.tolist()``, ``.nonzero()``, ``.cpu()`` or ``.numpy()`` that runs in
    every iteration of a training loop, once per loop with the number of places.

    Why it matters on the NPU: Operators are queued, and the host runs ahead of the device. To get a value,
    the host must wait until the queue is empty; after that, the device waits for the host.

    Example: ``total += loss.item()`` together with ``loss.backward()``.

    Use instead: accumulate the tensor itself, ``total += loss.detach()``, and read the value only every few
    steps.
    """

    code = "ADV103"
    only_with = "torch"
    examples = (
        Example(f"import torch\n{_LOOP}    total += loss.item()\n"),
        Example(f"import torch\n{_LOOP}    a.append(loss.item())\n    b = y.cpu()\n"),
        Example.unchanged(f"import torch\n{_LOOP}    if i % 10 == 0:\n        print(loss.item())\n"),
        Example.unchanged("import torch\nfor x in loader:\n    total += model(x).item()\n"),
        Example.unchanged(
            "import torch\nfor epoch in range(9):\n    for x in loader:\n        model(x).backward()\n"
            "    print(loss.item())\n"
        ),
    )

    @on.member(*_WAITING, needs=trains)
    def waits(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        loop = step_loop(ref.node, ctx) if ref.call is not None else None
        if loop is None:
            return
        counted = ctx.once((HostSynchronisation, loop.id), lambda: _in_loop(loop.id, ctx))
        if counted and ref.node.start_byte == counted[0]:
            yield self.advise(ref.call or ref.node, "waits", call=f".{ref.name}()", count=len(counted))


def _in_loop(loop: int, ctx: Context) -> list[int]:
    """Where in a loop of steps the host waits, in order."""
    found = []
    for name in _WAITING:
        for identifier in ctx.source.identifiers(name):
            node = parent_of(identifier)
            is_called = node is not None and node.type == "attribute" and parent_of(node) is not None
            if node is None or not is_called or parent_type(node) != "call":
                continue
            around = step_loop(node, ctx)
            if around is not None and around.id == loop:
                found.append(node.start_byte)
    return sorted(found)


class CacheEmptied(AdviceRule):
    """The memory cache is emptied, or garbage collected, in every training step.

    What it does: Reports ``empty_cache()`` and ``gc.collect()`` in a training loop.

    Why it matters on the NPU: Memory is returned to the driver and allocated again in the next step; the
    profiler's advisor recognizes such steps by their stalls in aclrtFree. Garbage collection stops the host
    from feeding the queue.

    Example: ``torch.cuda.empty_cache()`` together with ``loss.backward()``.

    Use instead: remove it, or call it between epochs; against fragmentation set
    ``PYTORCH_NPU_ALLOC_CONF=expandable_segments:True``.
    """

    code = "ADV104"
    name = "cache-emptied-in-loop"
    examples = (
        Example(f"import torch\n{_LOOP}    torch.cuda.empty_cache()\n"),
        Example(f"import gc\nimport torch\n{_LOOP}    gc.collect()\n"),
        Example.unchanged(f"import torch\n{_LOOP}torch.cuda.empty_cache()\n"),
        Example.unchanged("import gc\ngc.collect()\n"),
    )

    @on.name(*_EMPTIES, needs=trains)
    def emptied(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and step_loop(ref.node, ctx) is not None:
            key = "collected" if ref.name == "gc.collect" else "emptied"
            yield self.advise(ref.call, key, api=ref.name)
