"""NPU507, NPU508: torch.compile by version, and TorchScript."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import decorator_removal, holds_comment
from ...engine.context import Context
from ...engine.events import NameRef, Outline
from ...engine.rule import Example, Rule, on, replace
from ...facts import SupportStatus
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Fix, Message, Severity
from ...model.versions import Version
from ...text.syntax import Argument, Arguments, enclosing, field, is_field, text_of

_WITH_COMPILER = Version(2, 6)
"""The first release that has a wheel with an Inductor backend (torch_npu 7.3)."""
_WITHOUT_INDUCTOR = frozenset({"eager", "aot_eager", "npugraphs", "npugraph_ex", "npu", "torchair"})
_SIMPLE = frozenset({"identifier", "attribute", "call", "subscript", "parenthesized_expression"})


class TorchCompile(Rule):
    """torch.compile is used.

    What it does: For releases before 2.6, reports it and offers to remove the compilation. From 2.6 on,
    reports what it requires, and offers the backend ``npugraphs`` for ``cudagraphs``.

    Why it matters on the NPU: The default backend generates Triton kernels. torch_npu supports it from its
    release 7.3 on (for torch 2.6 and later), and only with the package triton-ascend installed; before that,
    compilation fails when the model is first called.

    Example: ``model = torch.compile(model)``.

    Use instead: the model without compilation, or the backend of torchair, ``torchair.get_npu_backend()``.
    """

    code = "NPU507"
    fails = frozenset({"none", "graphs"})
    examples = (
        Example(
            "import torch\nmodel = torch.compile(model, mode='reduce-overhead')\n",
            unsafe="import torch\nmodel = model\n",
            version="2.1.0",
        ),
        Example(
            "import torch\n@torch.compile(dynamic=True)\ndef f(x):\n    return x\n",
            unsafe="import torch\ndef f(x):\n    return x\n",
            version="2.1.0",
        ),
        Example("import torch\ncompiler = torch.compile\n", version="2.1.0"),
        Example("import torch\nmodel = torch.compile(model)\n"),
        Example("import torch\nmodel = torch.compile(model, mode='reduce-overhead')\n"),
        Example("import torch\nmodel = torch.compile(model, mode=mode)\n"),
        Example(
            "import torch\nmodel = torch.compile(model, backend='cudagraphs')\n",
            unsafe="import torch\nmodel = torch.compile(model, backend='npugraphs')\n",
        ),
        Example.unchanged("import torch\nmodel = torch.compile(model, backend='aot_eager')\n"),
        Example.unchanged(
            "import torch, torchair\nm = torch.compile(m, backend=torchair.get_npu_backend())\n"
        ),
        Example.unchanged("import torch\ntorch.compile = None\n"),
        Example.unchanged("import torch\ntorch.compile = wrapped(torch.compile)\n"),
        Example.unchanged("import re\nre.compile('cuda')\n"),
        Example.unchanged("import torch\nmodel = torch.compile(model, disable=True)\n"),
    )

    @on.name("torch.compile")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        arguments = ref.arguments
        backend = arguments.keyword("backend")
        if ref.rest or is_field(ref.node, "left") or _is_off(arguments) or _is_wrapped(ref.node):
            return
        if backend is not None and _is_for_npu(backend):
            return
        if ctx.version < _WITH_COMPILER:
            fix = self._without_compilation(ref, ctx)
            yield self._unsupported(ref, fix, ctx)
        elif backend is not None and text_of(backend.value).strip("'\"") == "cudagraphs":
            edit = replace(backend.value, text_of(backend.value).replace("cudagraphs", "npugraphs"))
            fix = self.fix(Applicability.UNSAFE, edits=[edit])
            yield self.report(ref.node, "graphs", Severity.WARNING, fix=fix, api=ref.name)
        else:
            key = "mode" if _is_tuned(arguments.keyword("mode")) else "triton"
            yield self.report(ref.node, key, Severity.INFORMATION, api=ref.name)

    def _unsupported(self, ref: NameRef, fix: Fix | None, ctx: Context) -> Finding:
        kind, version = "unsupported", ctx.version
        return self.report(
            ref.node, "none", Severity.WARNING, fix=fix, api=ref.name, kind=kind, version=version
        )

    def _without_compilation(self, ref: NameRef, ctx: Context) -> Fix | None:
        """The fix that leaves the model, or the function, as it is."""
        outer = ref.call or ref.node
        decorator = parent_of(outer)
        if decorator is not None and decorator.type == "decorator":
            edit = decorator_removal(ctx.source, decorator)
            edits = [edit] if edit is not None else []
        else:
            model = ref.arguments.get("model", 0)
            is_plain = ref.call is not None and not holds_comment(ref.call)
            edits = _only(ref.call, model.value) if ref.call and model and is_plain else []
        if not edits:
            return None
        return self.fix(Applicability.UNSAFE, edits=edits, title=Message.of("NPU507.fix"))


def _only(call: Node, value: Node) -> list[Edit]:
    """The edits that leave of a call one of its arguments."""
    opening, closing = ("", "") if value.type in _SIMPLE else ("(", ")")
    return [Edit(call.start_byte, value.start_byte, opening), Edit(value.end_byte, call.end_byte, closing)]


def _is_wrapped(node: Node) -> bool:
    """Whether ``torch.compile`` is handed to what takes its place: nothing is compiled by that."""
    assignment = enclosing(node, "assignment")
    target = field(assignment, "left")
    return target is not None and target.text == node.text


def _is_tuned(mode: Argument | None) -> bool:
    """Whether a mode is written out that is not the default one; of a variable nothing is known."""
    return mode is not None and mode.value.type == "string" and text_of(mode.value).strip("'\"") != "default"


def _is_off(arguments: Arguments) -> bool:
    disable = arguments.keyword("disable")
    return disable is not None and disable.value.type == "true"


def _is_for_npu(backend: Argument) -> bool:
    """Whether a backend is one that needs no CUDA: by its name, or made by torchair."""
    value = backend.value
    if value.type == "string":
        return text_of(value).strip("'\"") in _WITHOUT_INDUCTOR
    return "npu" in text_of(value)


_PATCHING = b"transfer_to_npu"
_SCRIPTING = ("torch.jit.script", "torch.jit.script_method", "torch.jit.trace", "torch.jit.trace_module")


def _may_not_compile(ctx: Outline) -> bool:
    return _PATCHING in ctx.source.data or any(
        ctx.facts.status(name) is SupportStatus.UNSUPPORTED for name in _SCRIPTING
    )


class TorchScript(Rule):
    """A function or module is compiled to TorchScript.

    What it does: Reports ``torch.jit.script`` and ``torch.jit.trace`` for releases that do not support them,
    and in files that use ``torch_npu.contrib.transfer_to_npu``.

    Why it matters on the NPU: TorchScript works on the NPU, but run-time patching (``transfer_to_npu``) turns
    it off. Some releases do not support it.

    Example: ``@torch.jit.script``.

    Use instead: the function without compilation; check that the script gives the same results and is not
    slower.
    """

    code = "NPU508"
    examples = (
        Example(
            "import torch\nfrom torch_npu.contrib import transfer_to_npu\nm = torch.jit.trace(model, x)\n"
        ),
        Example.unchanged("import torch\n@torch.jit.script\ndef f(x):\n    return x\n"),
        Example("import torch\nm = torch.jit.script(model)\n", version="2.0.1"),
        Example.unchanged("import torch\nif torch.jit.is_scripting():\n    pass\n"),
        Example.unchanged("import torch\n@torch.jit.ignore\ndef f(x):\n    return x\n"),
        Example.unchanged("import torch\nm = torch.jit.load(path)\n"),
    )

    @on.name(*_SCRIPTING, needs=_may_not_compile)
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ctx.facts.status(ref.name) is SupportStatus.UNSUPPORTED:
            yield self.report(
                ref.node, "none", Severity.ERROR, api=ref.name, kind="unsupported", version=ctx.version
            )
        elif _PATCHING in ctx.source.data:
            yield self.report(ref.node, "script", Severity.WARNING, api=ref.name)
