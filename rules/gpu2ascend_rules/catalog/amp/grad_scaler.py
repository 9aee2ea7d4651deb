"""NPU301, NPU304, NPU306, NPU307: gradient scalers."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import ImportRef, NameRef
from ...engine.rule import Example, Rule, on
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Message, Severity
from ...model.versions import Version
from ...renames.moved_arguments import has_unknown_positions, naming_edits
from ...text.guards import is_for_types, other_imports
from ...text.syntax import field, outermost, target_of, text_of

_CUDA_SCALERS = ("torch.cuda.amp.GradScaler", "torch.cuda.amp.grad_scaler.GradScaler")
_NPU_SCALERS = ("torch_npu.npu.amp.GradScaler", "torch.npu.amp.GradScaler")


class GradScalerPositions(Rule):
    """``enabled`` of a gradient scaler is a positional argument.

    What it does: Passes the fifth positional argument of ``torch.cuda.amp.GradScaler`` as a keyword argument.

    Why it matters on the NPU: The fifth parameter of ``torch_npu.npu.amp.GradScaler`` is ``dynamic``;
    ``enabled`` is the sixth. A positional flag would select a static loss scale and leave scaling enabled,
    without an error.

    Example: ``GradScaler(65536., 2., .5, 2000, use_amp)`` becomes ``GradScaler(65536., 2., .5, 2000,
    enabled=use_amp)``.

    Use instead: the keyword ``enabled``.
    """

    code = "NPU301"
    first_version = Version(1, 8)
    examples = (
        Example(
            "import torch\ns = torch.cuda.amp.GradScaler(65536., 2., .5, 2000, use_amp)\n",
            "import torch\ns = torch.cuda.amp.GradScaler(65536., 2., .5, 2000, enabled=use_amp)\n",
        ),
        Example(
            "from torch.cuda.amp import GradScaler as GS\ns = GS(\n    1.,\n    2.,\n    .5,\n    2000,\n"
            "    not args.fp32,  # off\n)\n",
            "from torch.cuda.amp import GradScaler as GS\ns = GS(\n    1.,\n    2.,\n    .5,\n    2000,\n"
            "    enabled=not args.fp32,  # off\n)\n",
        ),
        Example("import torch\ns = torch.cuda.amp.GradScaler(*args)\n"),
        Example("import torch_npu\ns = torch_npu.npu.amp.GradScaler(*args)\n"),
        Example.unchanged("import torch\ns = torch.cuda.amp.GradScaler(1., 2., .5, 2000, enabled=True)\n"),
        Example.unchanged("import torch\ns = torch.cuda.amp.GradScaler(1024., enabled=use_amp)\n"),
        Example.unchanged("import torch_npu\ns = torch_npu.npu.amp.GradScaler(1., 2., .5, 2000, True)\n"),
        Example.unchanged(
            "import torch\ns = torch.cuda.amp.GradScaler(1., 2., .5, 2000, True)\n", version="1.5.0"
        ),
        Example.unchanged("import torch\ns = torch.amp.GradScaler('npu', 1., 2., .5, 2000, True)\n"),
    )

    @on.name(*_CUDA_SCALERS)
    def call(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        edits = naming_edits(ref.name, ref.call)
        if edits and not ref.rest:
            fix = self.fix(Applicability.SAFE, edits=edits, title=Message.of("NPU301.fix"))
            yield self.report(ref.node, "position", Severity.WARNING, fix=fix, api=ref.name)
        elif has_unknown_positions(ref.name, ref.call):
            yield self.report(ref.node, "unpacked", Severity.INFORMATION, api=ref.name)

    @on.name(*_NPU_SCALERS)
    def call_after_the_move(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if has_unknown_positions(_CUDA_SCALERS[0], ref.call):
            yield self.report(ref.node, "unpacked", Severity.INFORMATION, api=ref.name)


class GradScalerDevice(Rule):
    """torch.amp.GradScaler is created without naming its device.

    What it does: Adds the device to ``torch.amp.GradScaler(...)``.

    Why it matters on the NPU: The default device is 'cuda'. Without CUDA the scaler warns once and disables
    itself, and float16 gradients underflow without an error.

    Example: ``torch.amp.GradScaler(enabled=fp16)`` becomes ``torch.amp.GradScaler('npu', enabled=fp16)``.

    Use instead: ``torch.amp.GradScaler('npu')``, or ``torch_npu.npu.amp.GradScaler()``, which also detects
    overflows on devices with saturating arithmetic.
    """

    code = "NPU304"
    first_version = Version(2, 3)
    examples = (
        Example(
            "import torch\ns = torch.amp.GradScaler()\n",
            "import torch\nimport torch_npu\ns = torch.amp.GradScaler('npu')\n",
        ),
        Example(
            "import torch\ns = torch.amp.GradScaler(enabled=fp16)\n",
            "import torch\nimport torch_npu\ns = torch.amp.GradScaler('npu', enabled=fp16)\n",
        ),
        Example(
            "from torch.amp import GradScaler\ns = GradScaler(init_scale=1.0)\n",
            "from torch.amp import GradScaler\nimport torch_npu\ns = GradScaler('npu', init_scale=1.0)\n",
        ),
        Example("import torch\ns = torch.amp.GradScaler(**kwargs)\n"),
        Example.unchanged(
            "try:\n    from torch.amp import GradScaler\n    new = True\nexcept ImportError:\n"
            "    from torch.cuda.amp import GradScaler\n    new = False\n"
            "s = GradScaler('npu') if new else GradScaler()\n"
        ),
        Example.unchanged("import torch\ns = torch.amp.GradScaler(device.type, enabled=fp16)\n"),
        Example.unchanged("import torch\ns = torch.amp.GradScaler(enabled=fp16, device=device)\n"),
        Example.unchanged("import torch\ns = torch.amp.GradScaler(enabled=fp16)\n", version="2.2.0"),
    )

    @on.name("torch.amp.GradScaler", "torch.amp.grad_scaler.GradScaler")
    def call(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        call, arguments = ref.call, ref.arguments
        holder = field(call, "arguments")
        if holder is None or ref.rest or arguments.get("device", 0) is not None:
            return
        if other_imports(ref.chain.nodes[0], ref.root_name, ctx.source) & {*_CUDA_SCALERS, *_NPU_SCALERS}:
            return  # theirs takes no device
        if arguments.unpacked:
            yield self.report(ref.node, "unpacked", Severity.INFORMATION, api=ref.name)
            return
        text = ctx.quoted("npu", ref.node) + (", " if arguments.items else "")
        start = arguments.items[0].node.start_byte if arguments.items else holder.start_byte + 1
        fix = self.fix(
            Applicability.SAFE,
            edits=[Edit(start, start, text)],
            requires=ctx.names_the_npu,
            title=Message.of("NPU304.fix"),
        )
        yield self.report(ref.node, "default", Severity.WARNING, fix=fix, api=ref.name)


class ShardedGradScaler(Rule):
    """The gradient scaler of FSDP is imported before torch_npu is loaded.

    What it does: Adds ``import torch_npu`` to files that import ``ShardedGradScaler``, and reports an
    ``import torch_npu`` that comes too late.

    Why it matters on the NPU: torch_npu replaces the class with its own when it is loaded. A name imported
    before that remains bound to the class for CUDA devices. From 2.5 on, torch loads torch_npu automatically.

    Example: ``from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler``.

    Use instead: the same import, after ``import torch_npu``.
    """

    code = "NPU306"
    first_version = Version(2, 1)
    last_version = Version(2, 4)
    examples = (
        Example(
            "import torch\nfrom torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler\n",
            "import torch\nimport torch_npu\n"
            "from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler\n",
            version="2.1.0",
        ),
        Example(
            "from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler\n"
            "import torch\nimport torch_npu\n",
            version="2.1.0",
        ),
        Example.unchanged(
            "import torch\nimport torch_npu\n"
            "from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler\n",
            version="2.1.0",
        ),
        Example.unchanged(
            "import torch\nfrom torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler\n"
        ),
    )

    @on.imports("torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        if is_for_types(ref.statement, ctx.source):
            return
        loads = [item.statement for item in ctx.source.names.imports if _loads_torch_npu(item.target)]
        if any(statement.end_byte <= ref.statement.start_byte for statement in loads):
            return
        earlier_torch = any(
            item.target.partition(".")[0] == "torch" and item.statement.end_byte <= ref.statement.start_byte
            for item in ctx.source.names.imports
        )
        if loads or not earlier_torch:
            yield self.report(ref.node, "late", Severity.INFORMATION, api=ref.name)
            return
        fix = self.fix(Applicability.SAFE, requires=ctx.names_the_npu, title=Message.of("NPU306.fix"))
        yield self.report(ref.node, "late", Severity.WARNING, fix=fix, api=ref.name)


def _loads_torch_npu(target: str) -> bool:
    return target == "torch_npu" or target.startswith("torch_npu.")


class GradScalerState(Rule):
    """The state of a gradient scaler is loaded.

    What it does: Reports ``load_state_dict`` of a gradient scaler that the file creates.

    Why it matters on the NPU: The scaler of torch_npu reads the entry 'dynamic' of the state. A state that
    was saved on a GPU does not have it, so loading it raises KeyError.

    Example: ``scaler.load_state_dict(checkpoint['scaler'])``.

    Use instead: call ``state.setdefault('dynamic', True)`` before loading the state.
    """

    code = "NPU307"
    first_version = Version(1, 8)
    examples = (
        Example("import torch\nscaler = torch.cuda.amp.GradScaler()\nscaler.load_state_dict(c['scaler'])\n"),
        Example(
            "from torch_npu.npu.amp import GradScaler\nclass T:\n    def __init__(self):\n"
            "        self.scaler = GradScaler()\n    def resume(self, c):\n"
            "        self.scaler.load_state_dict(c)\n"
        ),
        Example.unchanged("import torch\ns = torch.cuda.amp.GradScaler()\nmodel.load_state_dict(c)\n"),
        Example.unchanged("import torch\ns = torch.amp.GradScaler('npu')\ns.load_state_dict(c)\n"),
    )

    @on.name(*_CUDA_SCALERS, *_NPU_SCALERS)
    def made(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        target = _assigned_to(ref.call, ctx) if ref.call is not None and not ref.rest else None
        if target is None:
            return
        for identifier in ctx.source.identifiers("load_state_dict"):
            attribute = parent_of(identifier)
            receiver = field(attribute, "object")
            if attribute is not None and receiver is not None and text_of(receiver) == target:
                yield self.report(attribute, "dynamic", Severity.INFORMATION, api=ref.name)


def _assigned_to(call: Node, ctx: Context) -> str | None:
    """The text of the name or attribute that a call's result is assigned to, alone or as an alternative."""
    choices = ("conditional_expression", "boolean_operator", "parenthesized_expression")
    target = target_of(outermost(call, *choices))
    if target is None or target.type not in ("identifier", "attribute"):
        return None
    imported = ctx.once("imported names", lambda: {binding.name for binding in ctx.source.names.imports})
    return None if target.type == "identifier" and text_of(target) in imported else text_of(target)
