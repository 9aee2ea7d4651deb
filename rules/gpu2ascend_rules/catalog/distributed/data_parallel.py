"""NPU409, NPU410 and NPU414: running on several devices in the ways from before process groups."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...codemods.distributed.processes.parallel import FUNCTIONS, PARTS, WRAPPERS
from ...edits.removal import statement_removal
from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on
from ...flow.guards.fallbacks import has_fallback
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...renames.named_rule import NamedRule
from ...text.syntax import field, is_base_class, text_of
from ...text.unit_tests import is_unit_test

_SIMPLE = frozenset({"identifier", "attribute", "call", "subscript", "parenthesized_expression"})


class DataParallel(Rule):
    """One process runs a model on several devices.

    What it does: Reports ``DataParallel`` and ``data_parallel``, also those of torch_geometric, if they
    are called or subclassed, and calls of their steps, such as ``scatter`` and ``parallel_apply``. If the
    file never accesses the wrapped model through ``.module``, it offers to remove the wrapper, which
    leaves the model on one device. In unit tests, which often run on the CPU, and behind an option of
    which the project only uses the default that avoids it, it is information.

    Why it matters on the NPU: It is not supported. Some releases of torch_npu run it, slowly; the supported
    way is one process for each device.

    Example: ``model = nn.DataParallel(model, device_ids=[0, 1])``.

    Use instead: ``torch.nn.parallel.DistributedDataParallel`` in one process for each device, with a
    ``DistributedSampler`` for the training data.
    """

    code = "NPU409"
    fails = frozenset({"wrapper"})
    examples = (
        Example(
            "import torch\nmodel = torch.nn.DataParallel(model, device_ids=[0, 1]).cuda()\n",
            unsafe="import torch\nmodel = model.cuda()\n",
        ),
        Example(
            "import torch\nif n > 1:\n    model = torch.nn.DataParallel(model)  # all devices\nrun(model)\n",
            unsafe="import torch\nif n > 1:\n    pass  # all devices\nrun(model)\n",
        ),
        Example(
            "from torch import nn\nmodel = nn.DataParallel(a if b else c)\n",
            unsafe="from torch import nn\nmodel = (a if b else c)\n",
        ),
        Example("import torch.nn as nn\nmodel = nn.DataParallel(model)\nsave(model.module.state_dict())\n"),
        Example("import torch\ny = torch.nn.parallel.data_parallel(model, x, ids)\n"),
        Example("import torch\nclass P(torch.nn.DataParallel):\n    pass\n"),
        Example("from torch.nn.parallel.replicate import replicate\nreplicas = replicate(model, [0, 1])\n"),
        Example(
            "from torch.nn.parallel.parallel_apply import parallel_apply\n"
            "from torch.nn.parallel.scatter_gather import gather, scatter\n"
            "y = gather(parallel_apply(replicas, scatter(x, ids), None, ids), 0)\n"
        ),
        Example("from torch_geometric.nn import DataParallel\nmodel = DataParallel(model)\n"),
        Example("from torch.nn.parallel.data_parallel import DataParallel as DP\nclass P(DP):\n    pass\n"),
        Example.unchanged(
            "from torch import nn\n"
            "ok = isinstance(model, (nn.DataParallel, nn.parallel.DistributedDataParallel))\n"
            "model = nn.parallel.DistributedDataParallel(model, device_ids=[rank], output_device=rank)\n"
            "model = nn.SyncBatchNorm.convert_sync_batchnorm(model)\n"
        ),
    )

    @on.name(*sorted(WRAPPERS))
    def wrapper(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None:
            fix = self._dropped(ref, ref.call, ctx)
            yield self.report(
                ref.node, "wrapper", _severity(Severity.WARNING, ref, ctx), fix=fix, api=ref.name
            )
        elif is_base_class(ref.node):
            yield self.report(ref.node, "wrapper", _severity(Severity.ERROR, ref, ctx), api=ref.name)

    @on.name(
        *sorted(FUNCTIONS | PARTS),
        "torch_geometric.nn.DataParallel",
        "torch_geometric.nn.data_parallel.DataParallel",
    )
    def function(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None:
            yield self.report(ref.node, "wrapper", _severity(Severity.ERROR, ref, ctx), api=ref.name)

    def _dropped(self, ref: NameRef, call: Node, ctx: Context) -> Fix | None:
        model = ref.arguments.get("module", 0)
        if model is None or any(_is_read(use) for use in ctx.source.identifiers("module")):
            return None
        statement = _wraps_itself(call, model.value)
        if statement is not None:
            return self.fix(Applicability.UNSAFE, edits=[statement_removal(ctx.source, statement)])
        edits = _without_wrapper(call, model.value, ctx)
        return self.fix(Applicability.UNSAFE, edits=edits) if edits is not None else None


def _severity(usual: Severity, ref: NameRef, ctx: Context) -> Severity:
    """Unit tests wrap models on the CPU, where the wrapper only calls them; and no training runs them. Nor
    does one come to ``if args.gpus > 1:`` where no file gives another number than the default."""
    is_avoided = is_unit_test(ctx.source) or has_fallback(ref.node, ctx, by_default=True)
    return Severity.INFORMATION if is_avoided else usual


def _wraps_itself(call: Node, model: Node) -> Node | None:
    """The statement ``model = DataParallel(model)``, which is nothing without the wrapper."""
    assignment = parent_of(call)
    target = field(assignment, "left")
    if assignment is None or target is None or text_of(target) != text_of(model):
        return None
    statement = parent_of(assignment)
    return statement if statement is not None and statement.type == "expression_statement" else None


def _without_wrapper(call: Node, model: Node, ctx: Context) -> list[Edit] | None:
    """The edits that leave the model alone of a call; ``None`` when they would take a comment with them."""
    opening = "" if model.type in _SIMPLE else "("
    edits = [
        Edit(call.start_byte, model.start_byte, opening),
        Edit(model.end_byte, call.end_byte, ")" if opening else ""),
    ]
    return None if any("#" in ctx.source.slice(edit.start, edit.end) for edit in edits) else edits


def _is_read(identifier: Node) -> bool:
    """Whether ``x.module`` rather than a variable or keyword of that name."""
    parent = parent_of(identifier)
    return parent is not None and parent.type == "attribute" and text_of(parent).endswith(".module")


class MultiGpuCollective(NamedRule):
    """A collective over several devices of one process is used.

    What it does: Reports the functions of torch.distributed whose names end in ``_multigpu``.

    Why it matters on the NPU: HCCL supports one device per process, and newer releases of torch no longer
    have these functions.

    Example: ``dist.all_reduce_multigpu(tensors)``.

    Use instead: the function without ``_multigpu``, in one process for each device.
    """

    code = "NPU410"
    name = "multigpu-collective"
    examples = (
        Example("import torch.distributed as dist\ndist.all_reduce_multigpu(t)\n"),
        Example.unchanged("import torch.distributed as dist\ndist.all_reduce(t)\nall_reduce_multigpu(t)\n"),
    )


class PickledGather(Rule):
    """Pickled objects are exchanged as tensors of bytes.

    What it does: Reports byte storages that are created from a buffer, in files that use torch.distributed.

    Why it matters on the NPU: The data type of the bytes, uint8, is not among those that HCCL's collectives
    are documented to support.

    Example: ``storage = torch.ByteStorage.from_buffer(buffer)``.

    Use instead: ``torch.distributed.all_gather_object``, which is supported.
    """

    code = "NPU414"
    examples = (
        Example(
            "import torch\nimport torch.distributed as dist\nstorage = torch.ByteStorage.from_buffer(b)\n"
            "dist.all_gather(out, torch.ByteTensor(storage).cuda())\n"
        ),
        Example.unchanged("import torch\nstorage = torch.ByteStorage.from_buffer(b)\n"),
        Example.unchanged("import torch.distributed as dist\ndist.all_gather_object(out, x)\n"),
    )

    @on.name("torch.ByteStorage", "torch.UntypedStorage")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.rest[:1] not in (("from_buffer",), ("_from_buffer",)):
            return
        if b"distributed" in ctx.source.data and b"all_gather" in ctx.source.data:
            yield self.report(ref.node, "bytes", Severity.INFORMATION, api=ref.name)
