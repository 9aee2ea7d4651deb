"""NPU623: torch's optimizers, in whose place torch_npu has fused ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, NameRef, Outline
from ...engine.rule import Example, Rule, on, replace
from ...facts.fused_optimizers import FUSED_ARGUMENTS, fused_name
from ...flow.guards.code_searches import CodePattern
from ...flow.templates import plain_text
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Fix, Severity
from ...text.syntax import Arguments, arguments_of, field, text_of

_CONFIGURED = frozenset({"type", "paramwise_cfg", "constructor"})
"""What configurations of OpenMMLab give beside the optimizer's own arguments."""
_KEEPS_OTHERS = CodePattern(
    re.compile(
        rb"FullyShardedDataParallel|\bfully_shard|FSDP|deepspeed|ZeroRedundancyOptimizer|ModelEma|\bema\b|_ema\b"
        rb"|\bEMA|AveragedModel|swap_parameters|\.data\s*=|\.grad\s*=\s*None|GradScaler|\bclosure\b"
        rb"|model\w*\.cpu\(\)"
    ),
    (
        b"FullyShardedDataParallel", b"fully_shard", b"FSDP", b"deepspeed", b"ZeroRedundancyOptimizer",
        b"ModelEma", b"ema", b"EMA", b"AveragedModel", b"swap_parameters", b".data", b".grad", b"GradScaler",
        b"closure", b".cpu()",
    ),
)  # fmt: skip
"""What a file says that gives parameters other memory after the optimizer is made, or steps otherwise."""

_TRAINS = CodePattern(
    re.compile(rb"\bdef (?:train\w*|configure_optimizers)\b|\btrain\w*\("),
    (b"train", b"configure_optimizers"),
)
"""What a file says that makes an optimizer for a training loop elsewhere."""


def _may_be_fused(outline: Outline) -> bool:
    """Whether the file trains, or has others train, and gives parameters no other memory."""
    source = outline.source
    trains = b"backward" in source.attribute_names or _TRAINS.is_in(source.data)
    return trains and not _KEEPS_OTHERS.is_in(source.data)


class FusedOptimizer(Rule):
    """An optimizer updates its parameters one by one.

    What it does: Offers the fused optimizer of torch_npu for ``torch.optim.AdamW``, ``Adam``, ``SGD``,
    ``RMSprop`` and ``Adadelta`` in files that train, if it supports all arguments and nothing in
    the file moves parameters to other memory (sharding, moving averages, ``p.data = ...``). Also in
    configurations of OpenMMLab, ``optimizer = dict(type='AdamW')``, whose libraries register them.

    Why it matters on the NPU: One operator updates all parameters. The flat copies take more memory (70 %
    according to the vendor's tool), and the order of sums changes the last digits.

    Example: ``torch.optim.AdamW(model.parameters(), lr=1e-3)``.

    Use instead: ``torch_npu.optim.NpuFusedAdamW(model.parameters(), lr=1e-3)``, and its
    ``clip_grad_norm_fused_``. Parameters must not be reallocated afterwards, as ``model.cpu()`` does.
    """

    code = "NPU623"
    is_specific = False
    examples = (
        Example(
            "import torch\nopt = torch.optim.AdamW(model.parameters(), lr=1e-3)\nloss.backward()\n",
            unsafe="import torch\nimport torch_npu\n"
            "opt = torch_npu.optim.NpuFusedAdamW(model.parameters(), lr=1e-3)\nloss.backward()\n",
        ),
        Example("from torch.optim import SGD\nopt = SGD(p, 0.1, 0.9)\nloss.backward()\n"),
        Example.unchanged("import torch\nopt = torch.optim.AdamW(p, lr=1e-3, fused=True)\nloss.backward()\n"),
        Example.unchanged("import torch\nopt = torch.optim.SGD(p, 0.1, maximize=True)\nloss.backward()\n"),
        Example.unchanged(
            "import torch\nopt = torch.optim.AdamW(p)\nloss.backward()\nq.data = p.data * 0.9 + q.data\n"
        ),
        Example.unchanged(
            "import torch\nfrom torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
            "opt = torch.optim.AdamW(p)\nloss.backward()\n"
        ),
        Example(
            "optimizer = dict(type='AdamW', lr=2e-4, weight_decay=0.01)\n",
            unsafe="optimizer = dict(type='NpuFusedAdamW', lr=2e-4, weight_decay=0.01)\n",
        ),
        Example(
            "optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='SGD', lr=0.1))\n",
            unsafe="optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='NpuFusedSGD', lr=0.1))\n",
        ),
        Example.unchanged(
            "optimizer = dict(type='AdamW', lr=2e-4, foreach=True)\nmodel = dict(type='SGD')\n"
        ),
        Example.unchanged("import torch\nopt = torch.optim.AdamW(p)\n"),
    )

    @on.name(*(f"torch.optim.{name}" for name in FUSED_ARGUMENTS), needs=_may_be_fused)
    def made(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        kind = ref.name.rpartition(".")[2]
        target = fused_name(kind)
        if ref.call is None or not ctx.facts.npu_name_exists(target):
            return
        if not _takes_all(kind, ref.arguments):
            return
        fix = self._written(ref, target, ctx) if "." in ref.written else None
        yield self.report(ref.call, "fused", Severity.HINT, fix=fix, kind="affinity", api=target)

    @on.keyword("type", needs="optimizer")
    def configured(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        """The optimizer of a configuration of OpenMMLab, whose libraries register those of torch_npu."""
        kind = plain_text(ref.value) or ""
        target = fused_name(kind)
        if (
            kind not in FUSED_ARGUMENTS
            or not _is_of_optimizer(ref.call)
            or not ctx.facts.npu_name_exists(target)
        ):
            return
        if not _KEEPS_OTHERS.is_in(ctx.source.data) and _takes_all(kind, arguments_of(ref.call), _CONFIGURED):
            edits = [replace(ref.value, ctx.quoted(f"NpuFused{kind}", ref.value))]
            fix = self.fix(Applicability.UNSAFE, edits=edits)
            yield self.report(ref.node, "fused", Severity.HINT, fix=fix, kind="affinity", api=target)

    def _written(self, ref: NameRef, target: str, ctx: Context) -> Fix:
        edits = [replace(ref.node, ctx.spell(target))]
        return self.fix(Applicability.UNSAFE, edits=edits, requires=ctx.requires(target))


def _is_of_optimizer(call: Node) -> bool:
    """Whether ``dict(type=...)`` is given to the name ``optimizer``."""
    holder = parent_of(call)
    name = (
        field(holder, "left") if holder is not None and holder.type == "assignment" else field(holder, "name")
    )
    return (
        text_of(field(call, "function") or call) == "dict"
        and name is not None
        and text_of(name) == "optimizer"
    )


def _takes_all(kind: str, arguments: Arguments, more: frozenset[str] = frozenset()) -> bool:
    """Whether the fused optimizer takes every argument that is given, in its place."""
    names = FUSED_ARGUMENTS[kind]
    if arguments.unpacked or len(arguments.positional) > len(names):
        return False
    if kind == "SGD" and arguments.get("lr", 1) is None:
        return False  # torch has a default, the fused optimizer none
    return all(item.keyword is None or item.keyword in (*names, *more) for item in arguments.items)
