"""NPU522: the handles of CUDA streams and events."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import MemberRef
from ...engine.rule import Example, Rule, on, replace
from ...inference.kinds import Kind
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Severity
from ...receivers.evidence import is_argument_namespace, is_assigned, is_foreign
from ...text.syntax import field, is_field, text_of

_HANDLES = {"cuda_stream": "torch_npu.npu.Stream.npu_stream", "cuda_event": "torch_npu.npu.Event.npu_event"}


class StreamHandle(Rule):
    """The native handle of a stream or event is read.

    What it does: Offers ``npu_stream`` for ``cuda_stream`` and ``npu_event`` for ``cuda_event``.

    Why it matters on the NPU: Streams and events of the NPU name their handles after the device; the CUDA
    name raises AttributeError. The code that receives the handle must support the NPU, too.

    Example: ``torch.cuda.current_stream().cuda_stream``.

    Use instead: ``torch_npu.npu.current_stream().npu_stream``.
    """

    code = "NPU522"
    fails = frozenset({"renamed"})
    examples = (
        Example(
            "import torch\nh = torch.cuda.current_stream().cuda_stream\n",
            unsafe="import torch\nh = torch.cuda.current_stream().npu_stream\n",
        ),
        Example(
            "def run(stream, event):\n    launch(stream.cuda_stream, event.cuda_event)\n",
            unsafe="def run(stream, event):\n    launch(stream.npu_stream, event.npu_event)\n",
        ),
        Example("import torch\nh = torch.cuda.current_stream().cuda_stream\n", version="1.5.0"),
        Example.unchanged(
            "import torch\nclass Loader:\n    def __init__(self):\n"
            "        self.cuda_stream = torch.cuda.Stream()\n    def go(self):\n"
            "        torch.cuda.current_stream().wait_stream(self.cuda_stream)\n"
        ),
        Example.unchanged("x = args.cuda_stream\n"),
        Example.unchanged("class A:\n    def cuda_stream(self):\n        return self.other.cuda_stream()\n"),
    )

    @on.member(*_HANDLES)
    def read(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if is_assigned(ref) or is_argument_namespace(ref.receiver) or is_foreign(ref, ctx):
            return
        if ref.call is not None or self._is_own_name(ref, ctx):
            return
        target = _HANDLES[ref.name]
        if not ctx.facts.npu_name_exists(target):
            yield self.report(ref.identifier, "none", Severity.ERROR, name=ref.name, version=ctx.version)
            return
        name = target.rpartition(".")[2]
        fix = self.fix(Applicability.UNSAFE, edits=[replace(ref.identifier, name)])
        yield self.report(ref.identifier, "renamed", Severity.WARNING, fix=fix, name=ref.name, target=name)

    def _is_own_name(self, ref: MemberRef, ctx: Context) -> bool:
        """Whether the project defines this name itself; for ``self.name`` it does."""
        if ctx.kind(ref.receiver) is Kind.STREAM:
            return False
        if text_of(ref.receiver) in ("self", "cls"):
            return True
        for identifier in ctx.source.identifiers(ref.name):
            holder = parent_of(identifier)
            if holder is None:
                continue
            if holder.type.endswith("_definition") and is_field(identifier, "name"):
                return True
            target = field(parent_of(holder), "left")
            if holder.type == "attribute" and target is not None and target.id == holder.id:
                return True
        return False
