"""NPU312: the fused optimizers of apex. Their parameters are in apex.json."""

from __future__ import annotations

from collections.abc import Iterator

from ...data import load_json
from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on
from ...model.finding import Applicability, Finding, Fix, Message, Rewrite
from ...similar.replacements import replacement_fix
from ...text.scopes import BindingKind
from ...text.syntax import Arguments, text_of
from .apex_imports import severity_of

_OPTIMIZERS = load_json("apex")["optimizers"]
_ADAM = "apex.optimizers.FusedAdam"
_LAMB = "apex.optimizers.FusedLAMB"
_NPU_ADAMW = "torch_npu.optim.NpuFusedAdamW"
_NO_DECAY = frozenset({"0", "0.", "0.0"})


class ApexOptimizer(Rule):
    """A fused optimizer of apex is created.

    What it does: Offers the fused optimizer of torch_npu if the arguments mean the same. apex's FusedAdam
    applies weight decay like AdamW by default, so with a weight decay it becomes ``NpuFusedAdamW``. If the
    arguments are only known at run time, the adapter of ``ascend_function`` decides.

    Why it matters on the NPU: The CUDA kernels behind apex's optimizers do not exist on the NPU.

    Example: ``FusedAdam(params, lr=1e-3)`` becomes ``torch_npu.optim.NpuFusedAdam(params, lr=1e-3)``.

    Use instead: ``torch_npu.optim.NpuFusedAdam``, ``NpuFusedAdamW`` or ``NpuFusedSGD``; parameters must not
    be created anew after the optimizer has received them. ``NpuFusedLamb`` is a different variant of LAMB
    than apex's, so it is mentioned but never written: it has no bias correction, limits the norm of the
    weights to 10, also scales the step of weights without decay, and clips gradients only with
    ``use_global_grad_norm=True``.
    """

    code = "NPU312"
    fails = frozenset({"fused"})
    examples = (
        Example(
            "import torch\nimport apex\no = apex.optimizers.FusedAdam(p, lr=1e-3, set_grad_none=True)\n",
            unsafe="import torch\nimport torch_npu\nimport apex\n"
            "o = torch_npu.optim.NpuFusedAdam(p, lr=1e-3)\n",
        ),
        Example(
            "from apex.optimizers import FusedAdam\no = FusedAdam(p, 1e-3, weight_decay=wd)\n",
            unsafe="from apex.optimizers import FusedAdam\nimport torch_npu\n"
            "o = torch_npu.optim.NpuFusedAdamW(p, 1e-3, weight_decay=wd)\n",
        ),
        Example(
            "from apex.optimizers import FusedAdam\no = FusedAdam(p, weight_decay=wd, adam_w_mode=False)\n",
            unsafe="from apex.optimizers import FusedAdam\nimport torch_npu\n"
            "o = torch_npu.optim.NpuFusedAdam(p, weight_decay=wd)\n",
        ),
        Example(
            "from apex.optimizers import FusedSGD\nb = FusedSGD(p, 0.1, 0.9)\n",
            unsafe="from apex.optimizers import FusedSGD\nimport torch_npu\n"
            "b = torch_npu.optim.NpuFusedSGD(p, 0.1, 0.9)\n",
        ),
        Example("from apex.optimizers import FusedLAMB\na = FusedLAMB(p)\n"),
        Example("from apex.optimizers import FusedAdam\no = FusedAdam(p, capturable=True)\n"),
        Example("from apex.optimizers import FusedNovoGrad\no = FusedNovoGrad(p)\n"),
        Example(
            "from apex.optimizers import FusedAdam\nkinds = {'adam': FusedAdam}\no = FusedAdam(p, **more)\n",
            unsafe="from apex.optimizers import FusedAdam\nfrom ascend_function import similar_api\n"
            "kinds = {'adam': similar_api.FusedAdam}\no = similar_api.FusedAdam(p, **more)\n",
        ),
        Example("from apex.optimizers import FusedSGD\no = FusedSGD(p, 0.1)\n", version="1.5.0"),
        Example(
            "import torch\ntry:\n    from apex.optimizers import FusedAdam\n"
            "except ImportError:\n    fused = False\n"
            "made = FusedAdam if fused else torch.optim.Adam\no = made(p)\n"
        ),
        Example.unchanged("from deepspeed.ops.adam import FusedAdam\no = FusedAdam(p)\n"),
        Example.unchanged("import apex\no = apex.optimizers.NpuFusedAdam(p)\n"),
    )

    @on.name("apex.optimizers.**")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        last = ref.name.rpartition(".")[2]
        is_kept = ref.binding is not None and ref.binding.kind is BindingKind.ASSIGNMENT
        if not last.startswith("Fused") or (is_kept and ref.root_name == ref.name):
            return  # of a variable it is said where it gets the optimizer, by the choice that is made there
        api = f"apex.optimizers.{last}"
        fix = self._fix(api, ref, ctx) or self._adapted(api, ref, ctx)
        severity = severity_of(ref, fix)
        key = "lamb" if api == _LAMB else "none"
        yield self.report(ref.node, "fused" if fix else key, severity, fix=fix, api=ref.name)

    def _adapted(self, api: str, ref: NameRef, ctx: Context) -> Fix | None:
        """The adapter of ``ascend_function``, unless an argument shows already that it would refuse."""
        literal = _OPTIMIZERS.get(api, {}).get("literal", {})
        for item in ref.arguments.items:
            accepted = literal.get(item.keyword or "", ("True", "False"))
            if text_of(item.value) in {"True", "False"} - {*accepted}:
                return None
        return replacement_fix(api, ref.node, ctx)

    def _fix(self, api: str, ref: NameRef, ctx: Context) -> Fix | None:
        table = _OPTIMIZERS.get(api)
        if table is None or ref.call is None or not _is_understood(ref.arguments, table):
            return None
        target = _NPU_ADAMW if api == _ADAM and _decays_weights(ref.arguments) else table["to"]
        if not ctx.facts.npu_name_exists(target):
            return None
        steps = [("callee", ctx.spell(target))]
        steps += [("drop", name) for name in table["literal"] if ref.arguments.keyword(name) is not None]
        return self.fix(
            Applicability.UNSAFE,
            rewrites=[Rewrite(ref.call.start_byte, ref.call.end_byte, tuple(steps))],
            requires=ctx.requires(target),
            title=Message.of("fix.replace", text=ctx.spell(target)),
        )


def _is_understood(arguments: Arguments, table: dict[str, dict[str, list[str]]]) -> bool:
    """Whether every argument means the same to the other optimizer, or can be left out."""
    if arguments.unpacked or len(arguments.positional) > len(table["positions"]):
        return False
    for item in arguments.items:
        if item.keyword is None or item.keyword in table["kept"]:
            continue
        if text_of(item.value) not in table["literal"].get(item.keyword, ()):
            return False
    return True


def _decays_weights(arguments: Arguments) -> bool:
    """Whether apex's Adam decays weights apart from the gradient, as AdamW does."""
    mode, decay = arguments.keyword("adam_w_mode"), arguments.keyword("weight_decay")
    if mode is not None and mode.value.type == "false":
        return False
    return decay is not None and text_of(decay.value) not in _NO_DECAY
