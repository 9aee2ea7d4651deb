"""NPU109: projects that serve NPUs already."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.rule import Example, Family, Rule, on
from ...inference.npu_branches import for_npu, twin_key
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...text.syntax import enclosing, field, text_of


class NpuServed(Rule):
    """A project supports NPUs already.

    What it does: Reports once that the project handles the NPU beside CUDA: at ``is_npu_available`` beside
    ``is_cuda_available``, or otherwise at a method ``npu`` beside ``cuda``. The CUDA variant, and branches
    that have a variant for the NPU, are left unchanged.

    Why it matters on the NPU: Everything in such a project that has a variant for the NPU works as it is. The
    remaining findings are about code that has none.

    Example: ``def is_npu_available()`` beside ``def is_cuda_available()``.

    Use instead: the project's own way to select the NPU; see its documentation.
    """

    code = "NPU109"
    name = "npu-served"
    family = Family.CUDA_API
    examples = (
        Example(
            "import torch\ndef is_cuda_available():\n    return torch.cuda.is_available()\n"
            "def is_npu_available():\n    return torch.npu.is_available()\n",
            manual=True,
        ),
        Example.unchanged("import torch\ndef is_npu_available():\n    return False\n"),
        Example.unchanged("import torch\ndef is_cuda_available():\n    return torch.cuda.is_available()\n"),
    )

    @on.definition("is_npu_available")
    def question(self, definition: Node, ctx: Context) -> Iterator[Finding]:
        if not ctx.project.is_complete or ctx.project.defines_method("npu"):
            return
        if _has_cuda_twin(definition):
            yield self._served(definition)

    @on.definition("npu")
    def method(self, definition: Node, ctx: Context) -> Iterator[Finding]:
        owner = enclosing(definition, "class_definition")
        name = field(owner, "name")
        first = min(ctx.project.defines_method("npu"), default="")
        if name is not None and first.rpartition(".")[2] == text_of(name) and _has_cuda_twin(definition):
            yield self._served(definition)

    def _served(self, definition: Node) -> Finding:
        return self.report(field(definition, "name") or definition, "served", Severity.INFORMATION)


def _has_cuda_twin(definition: Node) -> bool:
    outer = parent_of(definition) or definition
    block = parent_of(outer) if outer.type == "decorated_definition" else outer
    own = twin_key(definition)
    keys = (twin_key(item) for item in block.named_children) if block is not None else ()
    return any(key is not None and for_npu(key) == own for key in keys)
