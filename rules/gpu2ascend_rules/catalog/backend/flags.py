"""NPU501 to NPU504: switches of CUDA's libraries. Which they are is in backend_flags.json."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...data import load_json
from ...edits.removal import holds_comment, is_call_statement, statement_removal
from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on, replace
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Fix, Message, Requirement, Severity
from ...renames.named_rule import NamedRule
from ...text.syntax import outside_parentheses


class Determinism(NamedRule):
    """The program asks for deterministic algorithms.

    What it does: Reports ``torch.use_deterministic_algorithms(True)``.

    Why it matters on the NPU: The setting applies to operations on a single device; collective operations
    have a separate setting. Uninitialized memory is not filled.

    Example: ``torch.use_deterministic_algorithms(True)``.

    Use instead: the same call, and ``HCCL_DETERMINISTIC=true`` in the environment of distributed jobs.
    """

    code = "NPU505"
    examples = (
        Example("import torch\ntorch.use_deterministic_algorithms(True)\n"),
        Example("import torch\ntorch.use_deterministic_algorithms(args.det, warn_only=True)\n"),
        Example("import torch\ntorch.utils.deterministic.fill_uninitialized_memory = True\n"),
        Example.unchanged("import torch\ntorch.use_deterministic_algorithms(False)\n"),
        Example.unchanged("import torch\nif torch.are_deterministic_algorithms_enabled():\n    pass\n"),
    )


_FLAGS = load_json("backend_flags")
_CONTEXTLIB = Requirement("contextlib")


class Tf32Flag(NamedRule):
    """A setting of CUDA's libraries is used that has another name on the NPU.

    What it does: Offers ``torch_npu.npu.matmul.allow_hf32`` for ``torch.backends.cuda.matmul.allow_tf32``,
    ``torch_npu.npu.conv.allow_hf32`` for ``torch.backends.cudnn.allow_tf32``, and the plan cache of the NPU's
    Fourier transforms for that of cuFFT.

    Why it matters on the NPU: The CUDA flags have no effect. Convolutions compute in HF32 by default, so code
    that turns TF32 off for accuracy silently keeps the lower precision; matrix products compute in full
    precision by default.

    Example: ``torch.backends.cudnn.allow_tf32 = False``.

    Use instead: ``torch_npu.npu.conv.allow_hf32 = False``. HF32 rounds differently from TF32.
    """

    code = "NPU501"
    without_effect = frozenset({"none"})
    examples = (
        Example(
            "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n",
            unsafe="import torch\nimport torch_npu\ntorch_npu.npu.matmul.allow_hf32 = True\n",
        ),
        Example(
            "import torch\nfrom torch.backends import cudnn\ncudnn.allow_tf32 = False\n",
            unsafe="import torch\nimport torch_npu\nfrom torch.backends import cudnn\n"
            "torch_npu.npu.conv.allow_hf32 = False\n",
        ),
        Example(
            "import torch\nold = torch.backends.cudnn.allow_tf32\ntorch.backends.cudnn.allow_tf32 = False\n"
            "f()\ntorch.backends.cudnn.allow_tf32 = old\n",
            unsafe="import torch\nimport torch_npu\nold = torch_npu.npu.conv.allow_hf32\n"
            "torch_npu.npu.conv.allow_hf32 = False\nf()\ntorch_npu.npu.conv.allow_hf32 = old\n",
        ),
        Example(
            "import torch\ntorch.backends.cuda.cufft_plan_cache.max_size = 10\n",
            unsafe="import torch\nimport torch_npu\ntorch_npu.npu.backends.fft_plan_cache.max_size = 10\n",
        ),
        Example("import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n", version="1.5.0"),
        Example.unchanged("import torch_npu\ntorch_npu.npu.matmul.allow_hf32 = True\n"),
        Example.unchanged("config.allow_tf32 = True\n"),
    )


class FlagWithoutEffect(NamedRule):
    """A tuning setting of CUDA's libraries has no counterpart on the NPU.

    What it does: Reports ``torch.backends.cudnn.benchmark``, unless it is set to False. Other settings of
    cuDNN and cuBLAS without a counterpart do no harm on the NPU and are not reported.

    Why it matters on the NPU: The setting has no effect, and the NPU's own tuning settings stay off.

    Example: ``torch.backends.cudnn.benchmark = True``.

    Use instead: ``torch_npu.npu.set_compile_mode(jit_compile=False)`` at the start of the program (and of
    each worker process) for inputs whose shapes change; ``torch_npu.npu.config.allow_internal_format =
    False`` keeps tensors out of the NPU's private formats, which saves the memory of format conversions.
    """

    code = "NPU502"
    without_effect = frozenset({"tuned"})
    examples = (
        Example("import torch\ntorch.backends.cudnn.benchmark = True\n"),
        Example("import torch.backends.cudnn as cudnn\ncudnn.benchmark = args.tune\n"),
        Example.unchanged("import torch\ntorch.backends.cudnn.benchmark = False\n"),
        Example.unchanged("import torch\nold = torch.backends.cudnn.benchmark\n"),
        Example.unchanged("import torch.backends.cudnn as cudnn\ncudnn.deterministic = True\n"),
        Example.unchanged("import torch\ntorch.backends.cuda.preferred_linalg_library('magma')\n"),
        Example.unchanged("cfg.cudnn.benchmark = True\n"),
    )


class MatmulPrecision(NamedRule):
    """The precision of float32 matrix products is set.

    What it does: Reports ``torch.set_float32_matmul_precision`` and the ``fp32_precision`` flags.

    Why it matters on the NPU: They select CUDA's formats and have no effect on the NPU, where matrix products
    compute in full float32 unless HF32 is allowed.

    Example: ``torch.set_float32_matmul_precision('high')``.

    Use instead: ``torch_npu.npu.matmul.allow_hf32 = True`` for faster, less precise products.
    """

    code = "NPU503"
    without_effect = frozenset({"none"})
    examples = (
        Example("import torch\ntorch.set_float32_matmul_precision('high')\n"),
        Example("import torch\ntorch.backends.cuda.matmul.fp32_precision = 'ieee'\n"),
        Example.unchanged("import torch\nx = torch.matmul(a, b)\n"),
    )


class AttentionBackend(Rule):
    """The kernel of scaled_dot_product_attention is selected.

    What it does: Reports ``enable_flash_sdp`` and similar functions, ``sdp_kernel`` and ``sdpa_kernel``. It
    offers to remove a bare call, and to replace a context manager with ``contextlib.nullcontext()``.

    Why it matters on the NPU: The choice is between CUDA kernels. On the NPU it only sets a global variable:
    ``scaled_dot_product_attention`` always runs the NPU's own kernel.

    Example: ``torch.backends.cuda.enable_flash_sdp(True)``.

    Use instead: nothing; call ``scaled_dot_product_attention``.
    """

    code = "NPU504"
    examples = (
        Example(
            "import torch\ntorch.backends.cuda.enable_flash_sdp(True)\nx = 1\n",
            unsafe="import torch\nx = 1\n",
        ),
        Example(
            "import torch\nif flash:\n    torch.backends.cuda.enable_flash_sdp(True)\n"
            "    torch.backends.cuda.enable_math_sdp(False)  # slow\n",
            unsafe="import torch\nif flash:\n    pass\n    # slow\n",
        ),
        Example(
            "import torch\nwith torch.backends.cuda.sdp_kernel(enable_math=False):\n    y = f(x)\n",
            unsafe="import torch\nimport contextlib\nwith contextlib.nullcontext():\n    y = f(x)\n",
        ),
        Example("import torch\nok = torch.backends.cuda.flash_sdp_enabled()\n"),
        Example.unchanged(
            "import torch.nn.functional as F\ny = F.scaled_dot_product_attention(q, k, v, is_causal=True)\n"
        ),
    )

    @on.name(*_FLAGS["attention"])
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        fix = self._fix(ref, ctx)
        yield self.report(ref.node, "choice", Severity.INFORMATION, fix=fix, api=ref.name)

    def _fix(self, ref: NameRef, ctx: Context) -> Fix | None:
        call = ref.call
        if call is None or holds_comment(call):
            return None
        if ref.name in _FLAGS["attention_contexts"]:
            if not _is_entered(call):
                return None
            title = Message.of("fix.replace", text="contextlib.nullcontext()")
            edits = [replace(call, "contextlib.nullcontext()")]
            return self.fix(Applicability.UNSAFE, edits=edits, requires={_CONTEXTLIB}, title=title)
        if (
            ref.name in _FLAGS["attention_switches"]
            and is_call_statement(call)
            and (statement := parent_of(call)) is not None
        ):
            return self.fix(
                Applicability.UNSAFE,
                edits=[statement_removal(ctx.source, statement)],
                title=Message.of("fix.remove"),
            )
        return None


def _is_entered(call: Node) -> bool:
    """Whether a call is what a ``with`` statement enters, and nothing uses its value."""
    holder = parent_of(outside_parentheses(call))
    return holder is not None and holder.type == "with_item"
