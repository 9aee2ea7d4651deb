"""NPU314, NPU315: apex's layers and its distributed wrapper. Their counterparts are in apex.json."""

from __future__ import annotations

from collections.abc import Iterator

from ...data import load_json
from ...edits.removal import holds_comment
from ...engine.context import TORCH, Context
from ...engine.events import ImportRef, NameRef
from ...engine.rule import Example, Rule, on, replace
from ...model.finding import Applicability, Finding, Fix, Message, Rewrite, Severity
from ...model.versions import Version
from ...renames.qualified_names import name_becomes
from ...similar.replacements import replacement_fix
from ...text.guards import is_guarded
from ...text.syntax import Argument, Arguments, passed_to, text_of
from .apex_imports import is_optional, severity_of

_TABLE = load_json("apex")
_NORMALIZATION: dict[str, str] = _TABLE["normalization"]
_KERNELS: dict[str, str] = _TABLE["kernels"]
"""The autograd functions behind apex's layers."""
_PARALLEL = _TABLE["parallel"]
_DISTRIBUTED = _TABLE["distributed"]
_RMS_NORM = "torch_npu.npu_rms_norm"
_WITH_RMS_NORM = Version(2, 4)
"""The first torch that has ``torch.nn.RMSNorm``."""


class ApexNormalization(Rule):
    """A fused normalization of apex is used.

    What it does: Offers ``torch.nn.LayerNorm`` for ``FusedLayerNorm``, ``torch.nn.RMSNorm`` for
    ``FusedRMSNorm`` (from torch 2.4 on; before that, the class of ``ascend_function``), and
    ``torch_npu.npu_rms_norm`` or a function of ``torch.nn.functional`` for the functions. Because releases of
    apex order the arguments of ``fused_layer_norm_affine`` differently, only keyword arguments are recognized
    there.

    Why it matters on the NPU: The CUDA kernels behind apex's layers do not exist on the NPU.

    Example: ``FusedLayerNorm(512)`` becomes ``torch.nn.LayerNorm(512)``.

    Use instead: ``torch.nn.LayerNorm``, or ``torch_npu.npu_rms_norm(x, weight, epsilon=eps)[0]``.
    """

    code = "NPU314"
    fails = frozenset({"layer", "rms"})
    examples = (
        Example(
            "import torch\nfrom apex.normalization import FusedLayerNorm\nn = FusedLayerNorm(8, eps=1e-6)\n",
            unsafe="import torch\nfrom apex.normalization import FusedLayerNorm\n"
            "n = torch.nn.LayerNorm(8, eps=1e-6)\n",
        ),
        Example(
            "import torch, apex\nclass N(apex.normalization.FusedLayerNorm):\n    pass\n",
            unsafe="import torch, apex\nclass N(torch.nn.LayerNorm):\n    pass\n",
        ),
        Example(
            "import torch\nfrom apex.normalization import FusedRMSNorm\nn = FusedRMSNorm(8)\n",
            unsafe="import torch\nfrom apex.normalization import FusedRMSNorm\n"
            "n = torch.nn.RMSNorm(8, eps=1e-5)\n",
        ),
        Example(
            "from apex.normalization import fused_rms_norm_affine as f\ny = f(x, w, w.shape, 1e-5)\n",
            unsafe="from apex.normalization import fused_rms_norm_affine as f\nimport torch_npu\n"
            "y = torch_npu.npu_rms_norm(x, w, epsilon=1e-5)[0]\n",
        ),
        Example(
            "import torch\nfrom apex.normalization.fused_layer_norm import fused_layer_norm as f\n"
            "y = f(x, shape)\n",
            unsafe="import torch\nfrom apex.normalization.fused_layer_norm import fused_layer_norm as f\n"
            "y = torch.nn.functional.layer_norm(x, shape, eps=1e-6)\n",
        ),
        Example(
            "import torch\nfrom apex.normalization import fused_layer_norm_affine as f\n"
            "y = f(x, w, b, shape)\n"
        ),
        Example(
            "from apex.normalization import FusedRMSNorm\nn = FusedRMSNorm(8)\n",
            unsafe="from apex.normalization import FusedRMSNorm\nfrom ascend_function import similar_api\n"
            "n = similar_api.FusedRMSNorm(8)\n",
            version="2.1.0",
        ),
        Example("from apex.normalization import FusedRMSNorm\nn = FusedRMSNorm(8)\n", version="1.5.0"),
        Example(
            "from torch.nn import functional as F\n"
            "from apex.normalization.fused_layer_norm import FusedLayerNormAffineFunction\n"
            "def norm(x, w, b):\n    if not x.is_cuda:\n        return F.layer_norm(x, w.shape, w, b)\n"
            "    return FusedLayerNormAffineFunction.apply(x, w, b, w.shape, 1e-5)\n"
        ),
        Example.unchanged(
            "try:\n    from apex.normalization.fused_layer_norm import FusedRMSNormFunction\n"
            "except ImportError:\n    FusedRMSNormFunction = None\n"
        ),
        Example.unchanged("import torch\nn = torch.nn.LayerNorm(8)\n"),
        Example.unchanged("from fairseq.modules import FusedLayerNorm\nn = FusedLayerNorm(8)\n"),
    )

    @on.name(*_NORMALIZATION)
    def layer(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        target = _NORMALIZATION[ref.name]
        edits = name_becomes(ref, target, ctx).edits
        rewrites: list[Rewrite] = []
        if ref.call is not None and ref.arguments.keyword("memory_efficient") is not None:
            steps = (("callee", ctx.spell(target)), ("drop", "memory_efficient"))
            edits, rewrites = (), [Rewrite(ref.call.start_byte, ref.call.end_byte, steps)]
        fix = self.fix(
            Applicability.UNSAFE,
            edits=edits,
            rewrites=rewrites,
            requires={TORCH},
            title=Message.of("fix.replace", text=ctx.spell(target)),
        )
        yield self.report(ref.node, "layer", severity_of(ref, fix), fix=fix, api=ref.name, target=target)

    @on.imports(*_KERNELS)
    def kernels(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        """The autograd functions; those of one statement once."""
        same = (item for item in ctx.source.names.imports if item.statement.id == ref.statement.id)
        is_first = next(item for item in same if item.target in _KERNELS).node.id == ref.node.id
        if is_first and not is_guarded(ref.statement):
            target = _KERNELS[ref.name]
            yield self.report(ref.node, "layer", Severity.ERROR, api=ref.name, target=target)

    @on.name(*_TABLE["layer_functions"])
    def layer_function(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """The two forms of apex have weight, bias and shape in another order: positions identify nothing."""
        names = ("weight", "bias", "normalized_shape") if ref.name.endswith("affine") else ()
        shape, *rest = (ref.arguments.keyword(name) for name in names[::-1] or ("normalized_shape",))
        if not names and shape is None:
            shape = ref.arguments.at(1)
        is_mixed = "mixed_dtype" in ref.name  # gives the dtype of the parameters, which torch's does not
        fix = None if is_mixed else self._functional("layer_norm", ref, shape, [*rest[::-1]], ctx)
        yield self.report(
            ref.node,
            "layer",
            severity_of(ref, fix),
            fix=fix,
            api=ref.name,
            target="torch.nn.functional.layer_norm",
        )

    def _functional(
        self, name: str, ref: NameRef, shape: Argument | None, parameters: list[Argument | None], ctx: Context
    ) -> Fix | None:
        """A call of a norm of ``torch.nn.functional``, whose defaults are not apex's."""
        value, eps = ref.arguments.get("input", 0), ref.arguments.get("eps", 2 if not parameters else 4)
        if ref.call is None or value is None or shape is None or None in parameters:
            return None
        if ref.arguments.unpacked or holds_comment(ref.call):
            return None
        given = "".join(f", {item.keyword}={text_of(item.value)}" for item in parameters if item is not None)
        epsilon = text_of(eps.value) if eps is not None else "1e-6"
        target = ctx.spell(f"torch.nn.functional.{name}")
        text = f"{target}({text_of(value.value)}, {text_of(shape.value)}{given}, eps={epsilon})"
        return self.fix(Applicability.UNSAFE, edits=[replace(ref.call, text)], requires={TORCH})

    @on.name(*_TABLE["rms"])
    def root_mean_square(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        is_function = ref.name.rpartition(".")[2].startswith("fused_")
        fix = self._function(ref, ctx) if is_function else self._module(ref, ctx)
        yield self.report(ref.node, "rms", severity_of(ref, fix), fix=fix, api=ref.name)

    def _function(self, ref: NameRef, ctx: Context) -> Fix | None:
        value, weight = ref.arguments.get("input", 0), ref.arguments.get("weight", 1)
        if not ref.name.endswith("affine") and ctx.version >= _WITH_RMS_NORM:
            return self._functional("rms_norm", ref, ref.arguments.get("normalized_shape", 1), [], ctx)
        if ref.call is None or value is None or weight is None or not ref.name.endswith("affine"):
            return None
        if holds_comment(ref.call):
            return None
        if ref.arguments.unpacked or not ctx.facts.npu_name_exists(_RMS_NORM):
            return None
        epsilon = ref.arguments.get("eps", 3)
        given = f", epsilon={text_of(epsilon.value)}" if epsilon is not None else ""
        text = f"{ctx.spell(_RMS_NORM)}({text_of(value.value)}, {text_of(weight.value)}{given})[0]"
        return self.fix(
            Applicability.UNSAFE, edits=[replace(ref.call, text)], requires=ctx.requires(_RMS_NORM)
        )

    def _module(self, ref: NameRef, ctx: Context) -> Fix | None:
        if ref.call is None or ref.arguments.unpacked or ctx.version < _WITH_RMS_NORM:
            return replacement_fix(ref.name, ref.node, ctx)
        target = ctx.spell("torch.nn.RMSNorm")
        steps = [("callee", target), ("drop", "memory_efficient")]
        if ref.arguments.get("eps", 1) is None:
            steps.append(("set", "eps=1e-5"))  # torch's own default depends on the dtype
        return self.fix(
            Applicability.UNSAFE,
            rewrites=[Rewrite(ref.call.start_byte, ref.call.end_byte, tuple(steps))],
            requires={TORCH},
            title=Message.of("fix.replace", text=target),
        )


_OF_APEX_ALONE = ("disable_allreduce", "enable_allreduce")
"""Methods of apex's wrapper that torch's lacks and its equivalent has."""


class ApexParallel(Rule):
    """apex's distributed wrapper, or its synchronized batch normalization, is used.

    What it does: Replaces them with torch's own classes: ``torch.nn.parallel.DistributedDataParallel`` on the
    current device, ``torch.nn.SyncBatchNorm`` and its ``convert_sync_batchnorm``. The change is only offered
    if it drops ``delay_allreduce``, or if the import of apex may fail anyway; other arguments that torch's
    classes lack are only dropped if their value changes nothing (``channel_last=False``). With ``--similar``,
    the wrapper of ``ascend_function``, which takes apex's arguments, is used where torch has no such
    arguments or methods (``disable_allreduce``).

    Why it matters on the NPU: apex's wrapper calls NCCL and CUDA streams directly; torch's wrapper runs on
    hccl, and torch_npu has its own kernel for torch's ``SyncBatchNorm``.

    Example: ``convert_syncbn_model(model)`` becomes ``torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)``.

    Use instead: the classes of torch.
    """

    code = "NPU315"
    fails = frozenset({"torch"})
    examples = (
        Example(
            "import torch\nfrom apex.parallel import DistributedDataParallel as DDP\nm = DDP(m)\n",
            "import torch\nimport torch_npu\nfrom apex.parallel import DistributedDataParallel as DDP\n"
            "m = torch.nn.parallel.DistributedDataParallel(m, device_ids=[torch_npu.npu.current_device()])\n",
        ),
        Example(
            "import torch, apex\nm = apex.parallel.DistributedDataParallel(m, delay_allreduce=True)\n",
            unsafe="import torch, apex\nimport torch_npu\n"
            "m = torch.nn.parallel.DistributedDataParallel(m, device_ids=[torch_npu.npu.current_device()])\n",
        ),
        Example(
            "import torch\nimport apex\nmodel = apex.parallel.convert_syncbn_model(model)\n",
            "import torch\nimport apex\nmodel = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)\n",
        ),
        Example(
            "import torch\nfrom apex.parallel import SyncBatchNorm\nb = SyncBatchNorm(8, channel_last=0)\n",
            "import torch\nfrom apex.parallel import SyncBatchNorm\nb = torch.nn.SyncBatchNorm(8)\n",
        ),
        Example("import torch\nfrom apex.parallel import SyncBatchNorm as B\nb = B(8, channel_last=True)\n"),
        Example("import torch, apex\nm = apex.parallel.convert_syncbn_model(m, channel_last=flag)\n"),
        Example(
            "import torch\nfrom apex.parallel import DistributedDataParallel as D\nok = isinstance(m, D)\n",
            "import torch\nfrom apex.parallel import DistributedDataParallel as D\n"
            "ok = isinstance(m, torch.nn.parallel.DistributedDataParallel)\n",
        ),
        Example(
            "import torch\ntry:\n    from apex.parallel import convert_syncbn_model\nexcept ImportError:\n"
            "    pass\nm = convert_syncbn_model(m)\n",
            unsafe="import torch\ntry:\n    from apex.parallel import convert_syncbn_model\n"
            "except ImportError:\n    pass\nm = torch.nn.SyncBatchNorm.convert_sync_batchnorm(m)\n",
        ),
        Example(
            "from apex.parallel import DistributedDataParallel as D\nm = D(m, gradient_average=False)\n",
            "from apex.parallel import DistributedDataParallel as D\n"
            "from ascend_function import similar_api\n"
            "m = similar_api.DistributedDataParallel(m, gradient_average=False)\n",
            settings=(("replace_unsupported", True),),
        ),
        Example(
            "from apex.parallel import DistributedDataParallel as D\nm = D(m)\nm.disable_allreduce()\n",
            "from apex.parallel import DistributedDataParallel as D\n"
            "from ascend_function import similar_api\n"
            "m = similar_api.DistributedDataParallel(m)\nm.disable_allreduce()\n",
            settings=(("replace_unsupported", True),),
        ),
        Example(
            "import torch\nfrom apex.parallel import DistributedDataParallel as D\nm = D(m)\n"
            "m.enable_allreduce()\n"
        ),
        Example.unchanged("import torch\nm = torch.nn.parallel.DistributedDataParallel(m)\n"),
    )

    @on.name(*_PARALLEL)
    def batch_norm(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        entry = _PARALLEL[ref.name]
        arguments = ref.arguments
        names = {item.keyword for item in arguments.items if item.keyword is not None}
        dropped = sorted(names.difference(entry["positions"]))
        fix: Fix | None = None
        if (
            all(_has_neutral_value(name, arguments, entry["neutral"]) for name in dropped)
            and not arguments.unpacked
            and len(arguments.positional) <= len(entry["positions"])
        ):
            fix = self._move(ref, entry["to"], dropped, ctx)
        yield self._finding(ref, entry["to"], fix)

    def _move(self, ref: NameRef, target: str, dropped: list[str], ctx: Context) -> Fix:
        spelled = ctx.spell(target)
        title = Message.of("fix.replace", text=spelled)
        edits = name_becomes(ref, target, ctx).edits
        rewrites: list[Rewrite] = []
        if dropped and ref.call is not None:
            steps = (("callee", spelled), *(("drop", name) for name in dropped))
            edits, rewrites = (), [Rewrite(ref.call.start_byte, ref.call.end_byte, steps)]
        return self.fix(_applicability(ref), edits=edits, rewrites=rewrites, requires={TORCH}, title=title)

    @on.name(*_DISTRIBUTED["names"])
    def wrapper(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        target: str = _DISTRIBUTED["to"]
        if ref.call is None:
            passed = passed_to(ref.node)
            is_checked = passed is not None and text_of(passed.call).startswith(("isinstance", "issubclass"))
            moved = self._move(ref, target, [], ctx) if is_checked else None
            yield self._finding(ref, target, moved or self._adapted(ref, ctx))
            return
        if ctx.options.replace_unsupported:
            yield self._finding(ref, target, self._adapted(ref, ctx))
        else:
            yield self._finding(ref, target, self._wrapped(ref, target, ctx) or self._adapted(ref, ctx))

    def _adapted(self, ref: NameRef, ctx: Context) -> Fix | None:
        """Torch's wrapper with apex's arguments: whatever they are, they are looked at when the code runs."""
        return replacement_fix(ref.name, ref.node, ctx)

    def _wrapped(self, ref: NameRef, target: str, ctx: Context) -> Fix | None:
        arguments = ref.arguments
        if ref.call is None or arguments.unpacked or len(arguments.positional) != 1:
            return None
        if any(ctx.source.identifiers(method) for method in _OF_APEX_ALONE):
            return None
        names = [item.keyword for item in arguments.items if item.keyword is not None]
        if not all(_is_neutral(name, arguments) for name in names):
            return None
        current = "torch_npu.npu.current_device" if ctx.has_torch_npu else "torch.npu.current_device"
        steps = [("callee", ctx.spell(target)), *(("drop", name) for name in names)]
        steps.append(("set", f"device_ids=[{ctx.spell(current)}()]"))
        delays = _DISTRIBUTED["delayed"] in names
        return self.fix(
            Applicability.UNSAFE if delays else _applicability(ref),
            rewrites=[Rewrite(ref.call.start_byte, ref.call.end_byte, tuple(steps))],
            requires={TORCH, *ctx.requires(current)},
            title=Message.of("fix.replace", text=ctx.spell(target)),
        )

    def _finding(self, ref: NameRef, target: str, fix: Fix | None) -> Finding:
        return self.report(ref.node, "torch", severity_of(ref, fix), fix=fix, api=ref.name, target=target)


def _is_neutral(name: str, arguments: Arguments) -> bool:
    """Whether an argument of apex's wrapper can be left out: a tuning value, or the default."""
    if name in _DISTRIBUTED["harmless"] or name == _DISTRIBUTED["delayed"]:
        return True
    return _has_neutral_value(name, arguments, _DISTRIBUTED["neutral"])


def _has_neutral_value(name: str, arguments: Arguments, neutral: dict[str, list[str]]) -> bool:
    """Whether a keyword argument is given one of the literal values that change nothing."""
    argument = arguments.keyword(name)
    return argument is not None and text_of(argument.value) in neutral.get(name, ())


def _applicability(ref: NameRef) -> Applicability:
    """Where the project copes without apex, the code that uses it is one path of several: ask first."""
    return Applicability.UNSAFE if is_optional(ref) else Applicability.SAFE
