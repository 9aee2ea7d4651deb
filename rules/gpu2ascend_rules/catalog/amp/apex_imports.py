"""NPU311, NPU313, NPU316, NPU317: imports of apex, and what of it the NPU does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ...edits.removal import holds_comment, is_imported_name_read, is_imported_name_used, statement_removal
from ...engine.context import Context
from ...engine.events import ImportRef, NameRef
from ...engine.rule import Example, Rule, on
from ...flow.guards.ways import Way, way_of_use
from ...model.finding import Applicability, Finding, Fix, Message, Severity
from ...model.project.other_files import is_imported_elsewhere
from ...renames.named_rule import NamedRule
from ...text.guards import is_guarded

_REPLACED = ("apex.parallel", "apex.optimizers", "apex.normalization", "apex.multi_tensor_apply")


def is_optional(ref: NameRef) -> bool:
    """Whether the project copes without the part of apex that is used: its import may fail."""
    return ref.binding is not None and is_guarded(ref.binding.statement)


def severity_of(ref: NameRef, fix: Fix | None) -> Severity:
    """How bad a use of apex is: of an optional part, the path without it is taken on the NPU."""
    if is_optional(ref):
        return Severity.INFORMATION
    return Severity.ERROR if fix is None else Severity.WARNING


class ApexAmp(NamedRule):
    """apex is imported, or its mixed precision.

    What it does: Reports ``import apex`` and ``from apex import amp``.

    Why it matters on the NPU: NVIDIA's apex cannot be built for the NPU. Ascend has its own build with the
    same interface (``amp.initialize`` also takes ``combine_grad``).

    Example: ``from apex import amp``.

    Use instead: Ascend's build of apex, or, from torch 1.8 on, ``torch_npu.npu.amp``.
    """

    code = "NPU311"
    examples = (
        Example("from apex import amp\nm, o = amp.initialize(m, o, opt_level='O1')\n"),
        Example("import apex\napex.amp.initialize(m, o)\n"),
        Example.unchanged("from .apex import amp\n"),
        Example.unchanged("try:\n    from apex import amp\nexcept ImportError:\n    amp = None\n"),
    )


class ApexMultiTensor(Rule):
    """apex's kernels on lists of tensors are applied.

    What it does: Reports ``multi_tensor_applier`` and the ``amp_C`` kernels that are passed to it.

    Why it matters on the NPU: They are CUDA kernels.

    Example: ``multi_tensor_applier(amp_C.multi_tensor_l2norm, overflow, [grads], False)``.

    Use instead: ``torch.nn.utils.clip_grad_norm_`` for norms and clipping, ``torch._foreach_*`` for
    everything else; remove the overflow buffer as well.
    """

    code = "NPU313"
    examples = (
        Example(
            "import amp_C\nfrom apex.multi_tensor_apply import multi_tensor_applier\n"
            "multi_tensor_applier(amp_C.multi_tensor_l2norm, buf, [g], False)\n"
        ),
        Example.unchanged("import torch\ntorch.nn.utils.clip_grad_norm_(p, 1.0)\n"),
        Example.unchanged(
            "try:\n    import amp_C\nexcept ImportError:\n    amp_C = None\n"
            "n = amp_C.multi_tensor_l2norm(b, [g]) if amp_C is not None else None\n"
        ),
    )

    @on.name("apex.multi_tensor_apply.**", "amp_C.**")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if "." not in ref.name or way_of_use(ref.node, ref.chain.root, ctx) is not Way.TAKEN:
            return  # the module alone is only tested for, and the NPU takes another way
        severity = severity_of(ref, None)
        yield self.report(ref.node, "kernel", severity, api=ref.name, kind="cuda_op")


class ApexExtension(NamedRule):
    """A part of apex is used that has no counterpart on the NPU.

    What it does: Reports ``apex.contrib``, ``apex.transformer``, ``apex.mlp``, ``apex.fused_dense`` and
    ``apex.RNN``.

    Why it matters on the NPU: They are thin layers on top of CUDA kernels.

    Example: ``from apex.contrib.xentropy import SoftmaxCrossEntropyLoss``.

    Use instead: the corresponding operation of torch.nn; for Megatron's code, the package MindSpeed.
    """

    code = "NPU316"
    examples = (
        Example("from apex.contrib.xentropy import SoftmaxCrossEntropyLoss as L\nL.apply(x)\n"),
        Example("import apex\nm = apex.mlp.MLP([8, 8])\n"),
        Example("import apex.transformer\n"),
        Example.unchanged("import apex\napex.amp.initialize(m, o)\n"),
        Example.unchanged("try:\n    from apex.contrib import group_norm\nexcept ImportError:\n    pass\n"),
    )


class UnusedApexImport(Rule):
    """An import of apex is no longer used.

    What it does: Removes the import once other rules have replaced every use of the imported names. If one of
    the names is still used, the whole import stays, because apex is needed anyway. If other files of the
    project import the name from here, or comments stand among the names, the import is reported instead of
    removed.

    Why it matters on the NPU: The import fails if apex is not installed.

    Example: ``from apex.optimizers import FusedAdam`` in a file that creates an ``NpuFusedAdam``.

    Use instead: nothing.
    """

    code = "NPU317"
    examples = (
        Example(
            "import torch\nfrom apex.parallel import DistributedDataParallel as DDP\nx = 1\n",
            "import torch\nx = 1\n",
        ),
        Example("from apex.optimizers import (\n    FusedAdam,\n    FusedSGD,\n)\nx = 1\n", "x = 1\n"),
        Example("from apex.optimizers import (\n    FusedAdam,  # a note\n    FusedSGD,\n)\nx = 1\n"),
        Example.unchanged(
            "from apex.optimizers import (\n    FusedAdam,\n    FusedSGD,\n)\no = FusedSGD(p)\n"
        ),
        Example.unchanged("from apex.optimizers import FusedAdam\no = FusedAdam(p)\n"),
        Example.unchanged("from apex.optimizers import FusedAdam\n__all__ = ['FusedAdam']\n"),
        Example.unchanged("try:\n    from apex.optimizers import FusedAdam\nexcept ImportError:\n    pass\n"),
    )

    @on.imports(*(f"{module}.**" for module in _REPLACED))
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        if ref.is_star or ref.binding.name == "apex" or is_guarded(ref.statement):
            return
        if is_imported_name_read(ctx.source, ref.binding):
            return
        if is_imported_elsewhere(ctx.project, ctx.source.path, ref.binding.name):
            yield self.report(ref.node, "handed_on", Severity.WARNING, api=ref.name, name=ref.binding.name)
            return
        imported = ctx.source.names.imported_by(ref.statement)
        is_first = ref.binding.node.start_byte == imported[0].node.start_byte
        if not is_first or any(is_imported_name_used(ctx.source, item, ctx.project) for item in imported):
            return  # the first name counts for all; where one is used the statement needs apex anyway
        fix: Fix | None = None
        if not holds_comment(ref.statement):
            edits = [statement_removal(ctx.source, ref.statement)]
            fix = self.fix(Applicability.SAFE, edits=edits, title=Message.of("fix.remove"))
        yield self.report(ref.node, "unused", Severity.WARNING, fix=fix, api=ref.name)
