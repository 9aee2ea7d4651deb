"""NPU109: projects that serve NPUs already."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, StringRef
from ...engine.rule import Example, Rule, on
from ...inference.npu_branches import for_npu, twin_key
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...text.syntax import enclosing, field, text_of


class NpuServed(Rule):
    """A project supports NPUs already.

    What it does: Reports once that the project handles the NPU beside CUDA: at ``is_npu_available`` beside
    ``is_cuda_available``, or otherwise at a method ``npu`` beside ``cuda``. The CUDA variant, and branches
    that have a variant for the NPU, are left unchanged. Where an option of a program takes ``npu`` or
    ``hccl`` already, all its devices and back ends are left, also in scripts and configurations, and the
    finding says how to start it on the NPU.

    Why it matters on the NPU: Everything in such a project that has a variant for the NPU works as it is. The
    remaining findings are about code that has none.

    Example: ``def is_npu_available()`` beside ``def is_cuda_available()``.

    Use instead: the project's own way to select the NPU, such as ``--device npu``; see its documentation.
    """

    code = "NPU109"
    examples = (
        Example(
            "import torch\ndef is_cuda_available():\n    return torch.cuda.is_available()\n"
            "def is_npu_available():\n    return torch.npu.is_available()\n"
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

    @on.string("npu", "hccl", "HCCL")
    def option(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        yield from self._program(ref.node, ctx)

    @on.keyword("choices")
    def choices(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        """Choices may be constants of another module."""
        yield from self._program(ref.node, ctx)

    def _program(self, place: Node, ctx: Context) -> Iterator[Finding]:
        program = ctx.project.program.served_program(ctx.source.path)
        if program is None or program.path != ctx.source.path or not program.has_cuda:
            return
        declaration = ctx.source.node_at(program.start, program.start + 1)
        if declaration is not None and ctx.is_first(NpuServed, place):
            node = _at(declaration, program.start)
            yield self.report(node, "program", Severity.INFORMATION, options=" ".join(program.starts_with))

    def _served(self, definition: Node) -> Finding:
        return self.report(field(definition, "name") or definition, "served", Severity.INFORMATION)


def _at(node: Node, start: int) -> Node:
    """The declaration of an option that begins at an offset: a call, or an assignment."""
    found = node
    parent = parent_of(found)
    while parent is not None and parent.start_byte == start and parent.type != "expression_statement":
        found, parent = parent, parent_of(parent)
    return found


def _has_cuda_twin(definition: Node) -> bool:
    outer = parent_of(definition) or definition
    block = parent_of(outer) if outer.type == "decorated_definition" else outer
    own = twin_key(definition)
    keys = (twin_key(item) for item in block.named_children) if block is not None else ()
    return any(key is not None and for_npu(key) == own for key in keys)
