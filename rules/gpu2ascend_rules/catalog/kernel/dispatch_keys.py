"""NPU626: operators that code registers for CUDA tensors."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import StringRef
from ...engine.rule import Example, Rule, on, replace
from ...model.finding import Applicability, Finding, Severity
from ...text.syntax import call_with, last_name, text_of

_KEYS = {"CUDA": "PrivateUse1", "AutogradCUDA": "AutogradPrivateUse1", "AutocastCUDA": "AutocastPrivateUse1"}
_TAKERS = frozenset(
    {"impl", "Library", "register_kernel", "direct_register_custom_op", "fallback", "py_impl"}
)


class DispatchKey(Rule):
    """An operator is registered for CUDA tensors.

    What it does: Writes ``PrivateUse1``, the key of the NPU, for the key ``CUDA`` that is given to
    ``torch.library``, and so for the keys of autograd and autocast.

    Why it matters on the NPU: Tensors on the NPU have the key ``PrivateUse1``: the call of the operator finds
    no implementation and raises NotImplementedError.

    Example: ``lib.impl("scale", scale, "CUDA")``.

    Use instead: ``"PrivateUse1"`` where the implementation consists of operators of torch; kernels for CUDA
    must be written again.
    """

    code = "NPU626"
    only_with = "torch"
    examples = (
        Example(
            "from torch.library import Library\nlib = Library('my', 'DEF')\nlib.impl('f', f, 'CUDA')\n",
            unsafe="from torch.library import Library\nlib = Library('my', 'DEF')\n"
            "lib.impl('f', f, 'PrivateUse1')\n",
        ),
        Example(
            "from torch.library import impl\n@impl(lib, 'f', 'AutogradCUDA')\ndef f(x): return x\n",
            unsafe="from torch.library import impl\n@impl(lib, 'f', 'AutogradPrivateUse1')\n"
            "def f(x): return x\n",
        ),
        Example.unchanged(
            "import torch\nlib = torch.library.Library('my', 'DEF')\nlib.impl('f', f, 'CPU')\n"
        ),
        Example.unchanged("import torch\nprint('CUDA')\nimpl('CUDA')\n"),
    )

    @on.string(*_KEYS)
    def given(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        call = call_with(ref.node)
        if ref.text not in _KEYS or call is None or last_name(call) not in _TAKERS:
            return
        if not any(word in ctx.source.text for word in ("torch.library", "torch._ops", "_C.DispatchKey")):
            return
        written = replace(ref.node, text_of(ref.node).replace(ref.text, _KEYS[ref.text]))
        fix = self.fix(Applicability.UNSAFE, edits=[written])
        yield self.report(ref.node, "key", Severity.ERROR, fix=fix, given=ref.text, wanted=_KEYS[ref.text])
