"""ADV106 and ADV108: how batches come to the device."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, on
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding
from ...text.syntax import arguments_of, call_of, call_with, field, target_of, text_of
from ...text.uses import uses_of_variable
from .advice_rule import AdviceRule
from .steps import trains

_LOADER = "torch.utils.data.DataLoader"
_IMPORT = "from torch.utils.data import DataLoader\n"
_WORKERS, _PIN = 5, 7
"""Positions of the arguments."""


class LoaderWithoutWorkers(AdviceRule):
    """The data loader of a training loop has no workers, or does not pin memory.

    What it does: Reports ``DataLoader`` without ``num_workers`` (or with 0) and ``DataLoader`` without
    ``pin_memory``, in files with a backward pass and in functions for training by their name, and an explicit
    ``pin_memory=False`` beside workers anywhere.

    Why it matters on the NPU: The device waits while the host prepares the next batch; the profiler's advisor
    warns from 10 ms per step on. Data on a network drive or in tar or zip files makes it worse.

    Example: ``DataLoader(data, batch_size=32)``.

    Use instead: ``num_workers=8, pin_memory=True``; up to torch 2.6 also ``pin_memory_device='npu'``.
    """

    code = "ADV106"
    examples = (
        Example(f"{_IMPORT}loader = DataLoader(data, 32)\nloss.backward()\n"),
        Example(f"{_IMPORT}loader = DataLoader(data, 32, num_workers=4)\nloss.backward()\n"),
        Example.unchanged(f"{_IMPORT}l = DataLoader(d, num_workers=4, pin_memory=True)\nloss.backward()\n"),
        Example(f"{_IMPORT}loader = DataLoader(data, num_workers=n, pin_memory=False, **options)\n"),
        Example(f"{_IMPORT}def train_dataloader(self):\n    return DataLoader(data, num_workers=4)\n"),
        Example.unchanged(f"{_IMPORT}loader = DataLoader(data, **options)\nloss.backward()\n"),
        Example.unchanged(f"{_IMPORT}loader = DataLoader(data)\n"),
    )

    @on.name(_LOADER)
    def made(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        arguments = ref.arguments
        if ref.call is None:
            return
        workers, pins = arguments.get("num_workers", _WORKERS), arguments.get("pin_memory", _PIN)
        if workers is not None and text_of(workers.value) != "0" and pins is not None:
            if pins.value.type == "false":
                yield self.advise(ref.call, "pinned", api=ref.name)
            return
        if arguments.unpacked or not _is_of_training(ref.node, ctx):
            return
        if workers is None or text_of(workers.value) == "0":
            yield self.advise(ref.call, "workers", api=ref.name)
        else:
            yield self.advise(ref.call, "pinned", api=ref.name)


def _is_of_training(node: Node, ctx: Context) -> bool:
    """Whether a loader is for training: of a file that trains, or of a function for that by its name."""
    function = ctx.source.enclosing(node, "function_definition")
    name = field(function, "name")
    return trains(ctx) or (name is not None and "train" in text_of(name))


class BlockingCopy(AdviceRule):
    """A batch in pinned memory is copied synchronously.

    What it does: Adds ``non_blocking=True`` to ``.to()``, ``.cuda()`` and ``.npu()`` of the batch, in a loop
    over a data loader that pins memory.

    Why it matters on the NPU: A copy from pinned memory can overlap with computation.

    Example: ``for x, y in loader: x = x.to(device)``.

    Use instead: ``x.to(device, non_blocking=True)``.
    """

    code = "ADV108"
    examples = (
        Example(
            f"{_IMPORT}loader = DataLoader(d, 8, num_workers=2, pin_memory=True)\n"
            "for x, y in loader:\n    x = x.to(device)\n",
            unsafe=f"{_IMPORT}loader = DataLoader(d, 8, num_workers=2, pin_memory=True)\n"
            "for x, y in loader:\n    x = x.to(device, non_blocking=True)\n",
            version="2.7.1",
        ),
        Example.unchanged(
            f"{_IMPORT}loader = DataLoader(d, 8, num_workers=2, pin_memory=True)\n"
            "for x, y in loader:\n    x = x.to(device, non_blocking=True)\n    y = y.to(torch.float16)\n"
        ),
        Example.unchanged(
            f"{_IMPORT}loader = DataLoader(d, 8, num_workers=2, pin_memory=True)\n"
            "for x in loader:\n    x = x.npu(non_blocking=True)\n"
        ),
        Example.unchanged(
            f"{_IMPORT}l = DataLoader(d, 8, num_workers=2)\nfor x, y in l:\n    x = x.to(device)\n"
        ),
    )

    @on.name(_LOADER)
    def made(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        pins = ref.arguments.get("pin_memory", _PIN)
        if ref.call is None or pins is None or pins.value.type != "true":
            return
        for call in _copies(ref.call, ctx):
            holder = field(call, "arguments")
            if holder is None:
                continue
            separator = ", " if arguments_of(call).items else ""
            at = holder.end_byte - 1
            if b"#" in ctx.source.data[holder.start_byte : at] or text_of(holder).rstrip(")").endswith(","):
                continue
            edits = [Edit(at, at, f"{separator}non_blocking=True")]
            yield self.advise(call, "copy", fix=self.fix(Applicability.UNSAFE, edits=edits))


def _copies(loader: Node, ctx: Context) -> Iterator[Node]:
    """The calls that copy what loops take from a data loader to a device, the host waiting."""
    target = target_of(loader)
    if target is None or target.type != "identifier":
        return
    for use in uses_of_variable(target, ctx.source):
        loop = _loop_over(use)
        names = _names_of(field(loop, "left")) if loop is not None else ()
        for name in names:
            yield from (call for use in uses_of_variable(name, ctx.source) if (call := _copy_of(use)))


def _loop_over(use: Node) -> Node | None:
    """The loop that goes over a loader, or over ``enumerate(loader)``."""
    call = call_with(use)
    if call is not None and text_of(field(call, "function")) in ("enumerate", "tqdm"):
        use = call
    parent = parent_of(use)
    is_loop = parent is not None and parent.type == "for_statement" and field(parent, "right") == use
    return parent if is_loop else None


def _names_of(left: Node | None) -> tuple[Node, ...]:
    if left is None:
        return ()
    if left.type == "identifier":
        return (left,)
    return tuple(name for part in left.named_children for name in _names_of(part))


def _copy_of(use: Node) -> Node | None:
    """``use.to(device)``, unless it says how it copies, or is a change of type."""
    attribute = parent_of(use)
    if attribute is None or attribute.type != "attribute" or field(attribute, "object") != use:
        return None
    name, call = field(attribute, "attribute"), call_of(attribute)
    if name is None or call is None or text_of(name) not in ("to", "cuda", "npu"):
        return None
    arguments = arguments_of(call)
    first, says_how = arguments.at(0), arguments.keyword("non_blocking") is not None
    if says_how or len(arguments.items) > 1 or arguments.unpacked:
        return None
    if first is None:
        return call if text_of(name) != "to" else None
    return call if _is_likely_device(first.value) else None


def _is_likely_device(value: Node) -> bool:
    """Whether the look of an argument says that it is a device, and not a type."""
    is_named = any(part in text_of(value) for part in ("dev", "rank"))
    return is_named or value.type in ("string", "integer")
