"""NPU520, NPU521: marks and switches for CUDA's own profiling tools."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import (
    holds_comment,
    imported_name_removal,
    is_call_statement,
    is_imported_name_read,
    is_imported_name_used,
    statement_removal,
)
from ...engine.context import TORCH, Context
from ...engine.events import ImportRef, NameRef
from ...engine.rule import Example, Rule, on
from ...flow.guards.fallbacks import has_fallback
from ...flow.guards.ways import is_avoided
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Fix, Message, Severity
from ...model.project.other_files import is_imported_elsewhere
from ...model.versions import Version
from ...renames.existence_tests import is_set
from ...renames.qualified_names import name_becomes
from ...text.names import Certainty
from ...text.syntax import Arguments, call_of, field, text_of

NVTX = "torch.cuda.nvtx"
_RECORD_FUNCTION = "torch.profiler.record_function"
_WITH_RECORD_FUNCTION = Version(1, 8)


class NvtxRange(Rule):
    """A range or an event is marked for NVIDIA's profilers.

    What it does: Offers the counterpart of a ``torch.cuda.nvtx`` function in ``torch_npu.npu.mstx`` if the
    chosen torch_npu has one, ``torch.profiler.record_function`` for the context manager ``nvtx.range``, and
    otherwise to remove the call.

    Why it matters on the NPU: The functions raise on the CPU build of torch: "NVTX functions not installed".

    Example: ``torch.cuda.nvtx.range_push('forward')``.

    Use instead: ``torch_npu.npu.mstx.range_start(message)`` and ``range_end(id)``, or ``with
    torch.profiler.record_function(message):``, which torch_npu's profiler shows.
    """

    code = "NPU520"
    fails = frozenset({"nvtx"})
    is_exclusive = True
    examples = (
        Example(
            "import torch\ntorch.cuda.nvtx.mark('here')\n",
            unsafe="import torch\nimport torch_npu\ntorch_npu.npu.mstx.mark('here')\n",
        ),
        Example(
            "import torch\ntorch.cuda.nvtx.range_push('a')\nf()\ntorch.cuda.nvtx.range_pop()\n",
            unsafe="import torch\nf()\n",
        ),
        Example(
            "import torch\ntorch.cuda.nvtx.range_push('a')\nf()\ntorch.cuda.nvtx.range_pop()\n",
            unsafe="import torch\nimport torch_npu\ntorch_npu.npu.mstx.range_push('a')\nf()\n"
            "torch_npu.npu.mstx.range_pop()\n",
            version="2.9.0",
        ),
        Example(
            "import torch\nif t:\n    torch.cuda.nvtx.range_push('a')\nelse: torch.cuda.nvtx.range_pop()\n",
            unsafe="import torch\nif t:\n    pass\nelse: pass\n",
        ),
        Example(
            "import torch\nwith torch.cuda.nvtx.range('step'):\n    f()\n",
            unsafe="import torch\nwith torch.profiler.record_function('step'):\n    f()\n",
        ),
        Example(
            "import torch\nfrom torch.cuda import nvtx\ni = nvtx.range_start('a')\nnvtx.range_end(i)\n",
            unsafe="import torch\nimport torch_npu\n"
            "i = torch_npu.npu.mstx.range_start('a')\ntorch_npu.npu.mstx.range_end(i)\n",
        ),
        Example("import torch\npush = torch.cuda.nvtx.range_push\npush('a')\n"),
        Example("import torch\nwith torch.cuda.nvtx.range('step {}', i):\n    f()\n"),
        Example("import torch\nwith torch.cuda.nvtx.range('step', **given):\n    f()\n"),
        Example("import torch\ni = torch.cuda.nvtx.range_start('step', **given)\n"),
        Example("from torch.cuda import *\nnvtx.mark('a')\n"),
        Example.unchanged("import torch\nwith torch.profiler.record_function('a'):\n    f()\n"),
        Example.unchanged("import nvtx\nnvtx.push_range('a')\n"),
        Example.unchanged("import torch\nif hasattr(torch.cuda, 'nvtx'):\n    torch.cuda.nvtx.mark('a')\n"),
        Example.unchanged(
            "import torch\ndef f():\n    if not hasattr(torch.cuda, 'nvtx'):\n        return\n"
            "    torch.cuda.nvtx.mark('a')\n"
        ),
    )

    @on.name(f"{NVTX}.**")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.name == NVTX or is_set(ref.node) or _is_asked_for(ref, ctx):
            return
        fix = self._fix(ref, ctx) if ref.certainty is not Certainty.AMBIGUOUS else None
        yield self.report(ref.node, "nvtx", Severity.WARNING, fix=fix, api=ref.name, kind="unsupported")

    @on.imports(f"{NVTX}.**")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        yield from _unused_import(self, ref, ctx)

    def _fix(self, ref: NameRef, ctx: Context) -> Fix | None:
        call = call_of(ref.node)
        if call is None:
            return None
        counterpart = ctx.facts.npu_counterpart(ref.name)
        given = None if ref.arguments.unpacked else ref.arguments
        if counterpart is not None and given is not None and _is_for_both(given):
            renaming = name_becomes(ref, counterpart.name, ctx)
            return self.fix(Applicability.UNSAFE, edits=renaming.edits, requires=renaming.requires)
        if ref.name == f"{NVTX}.range":
            has_message = given is not None and len(given.items) == len(given.positional) == 1
            if not has_message or ctx.version < _WITH_RECORD_FUNCTION:
                return None
            return self.fix(
                Applicability.UNSAFE, edits=name_becomes(ref, _RECORD_FUNCTION, ctx).edits, requires={TORCH}
            )
        return _removal(self, call, ctx)


def _is_asked_for(ref: NameRef, ctx: Context) -> bool:
    """Whether the NPU does not come to a name, as ``hasattr`` does not find it there."""
    is_tested = bool(ctx.source.identifiers("hasattr"))
    return is_tested and (has_fallback(ref.node, ctx) or is_avoided(ref.node, ctx))


def _is_for_both(given: Arguments) -> bool:
    """Whether the function of ``mstx`` takes what a call gives: its message has another name."""
    return len(given.items) <= 1 and all(item.keyword in (None, "range_id") for item in given.items)


def _unused_import(rule: Rule, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
    """The finding on an import that this file does not use. The import itself works without CUDA."""
    if _is_for_others(ref, ctx):
        yield rule.report(ref.node, "handed_on", Severity.ERROR, api=ref.name, kind="unsupported")
        return
    if (
        ref.is_star
        or ref.binding.name == "torch"
        or is_imported_name_used(ctx.source, ref.binding, ctx.project)
    ):
        return
    edit = imported_name_removal(ctx.source, ref.binding)
    fix = rule.fix(Applicability.UNSAFE, edits=[edit], title=Message.of("fix.remove"))
    yield rule.report(ref.node, "unused", Severity.HINT, fix=fix, api=ref.name)


def _is_for_others(ref: ImportRef, ctx: Context) -> bool:
    """Whether a file imports a name for other files only: what those do with it is seen nowhere else."""
    binding = ref.binding
    if ref.is_star or binding.name == "torch" or is_imported_name_read(ctx.source, binding):
        return False
    return is_imported_elsewhere(ctx.project, ctx.source.path, binding.name)


def _removal(rule: Rule, call: Node, ctx: Context) -> Fix | None:
    """The fix that removes a call, when it stands alone as a statement."""
    statement = parent_of(call)
    if not is_call_statement(call) or statement is None or holds_comment(call):
        return None
    edit = statement_removal(ctx.source, statement)
    return rule.fix(Applicability.UNSAFE, edits=[edit], title=Message.of("fix.remove"))


class CudaProfiler(Rule):
    """NVIDIA's profiler, or another part of the CUDA runtime, is used through torch.

    What it does: Reports ``torch.cuda.profiler`` and ``torch.cuda.cudart()``, and offers to remove a bare
    call that starts or stops the profiler.

    Why it matters on the NPU: Neither exists on the NPU; ``cudart()`` raises, because torch is not built for
    CUDA.

    Example: ``torch.cuda.cudart().cudaProfilerStart()``.

    Use instead: ``torch_npu.profiler.profile`` around the steps to profile, or the command ``msprof``.
    """

    code = "NPU521"
    fails = frozenset({"profiler", "runtime"})
    is_exclusive = True
    examples = (
        Example(
            "import torch\nif step == 10:\n    torch.cuda.profiler.start()\n    log(step)\n",
            unsafe="import torch\nif step == 10:\n    log(step)\n",
        ),
        Example(
            "import torch\nif step == 10: torch.cuda.cudart().cudaProfilerStop()\n",
            unsafe="import torch\nif step == 10: pass\n",
        ),
        Example("import torch\nwith torch.cuda.profiler.profile():\n    f()\n"),
        Example("import torch\nrt = torch.cuda.cudart()\n"),
        Example("import torch.cuda.profiler as cp\ncp.init('log')\n"),
        Example.unchanged("import torch\nprofiler.start()\nself.cudart()\n"),
    )

    @on.name("torch.cuda.profiler.**", "torch.cuda.cudart")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.name == "torch.cuda.profiler":
            return
        switch = self._switch(ref)
        fix = _removal(self, switch, ctx) if switch is not None else None
        key = "runtime" if ref.name == "torch.cuda.cudart" and switch is None else "profiler"
        yield self.report(ref.node, key, Severity.WARNING, fix=fix, api=ref.name, kind="unsupported")

    @on.imports("torch.cuda.profiler.**")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        yield from _unused_import(self, ref, ctx)

    def _switch(self, ref: NameRef) -> Node | None:
        """The call that starts or stops the profiler."""
        call = ref.call
        if ref.name in ("torch.cuda.profiler.start", "torch.cuda.profiler.stop"):
            return call
        member = parent_of(call)
        name = field(member, "attribute")
        if ref.name == "torch.cuda.cudart" and member is not None and name is not None:
            return call_of(member) if text_of(name).startswith("cudaProfilerSt") else None
        return None
