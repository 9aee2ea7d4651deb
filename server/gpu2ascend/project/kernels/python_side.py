"""What Python files have of kernels: those of Triton, CUDA code in strings, and calls that reach kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.checkpoints import checkpoint
from gpu2ascend_rules.text.guards import is_guarded
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import ancestors, arguments_of, field, last_name, text_of

from .cpp_text import CppFunction, functions_of
from .features import features_of_triton
from .model import TRITON, Caller, SizedKernel, effort_of

_JIT = ("triton.jit", "triton.runtime.jit.jit")
_BUILDERS = frozenset({"CUDAExtension", "CppExtension", "load", "load_inline"})
_EXTENSION = re.compile(r"(?:^|[._])_?(?:C|cuda|ext|ops|kernels?|cuda_\w+|\w+_cuda|\w+_ext|\w+_ops)$")
WORDS = (b"triton", b"__global__", b"cpp_extension")


class PythonCall(NamedTuple):
    """A call that may reach a kernel."""

    name: str
    owner: str
    """The qualified name of what it is called on; empty for a plain name."""
    place: Caller
    is_launch: bool
    """``kernel[grid](...)``."""


class PythonFile:
    """One file, read once."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self.path = source.path
        self._nodes = list(nodes_in(source.root))

    @property
    def guarded(self) -> frozenset[str]:
        """The modules whose absence the file survives."""
        found = (item for item in self._source.names.imports if is_guarded(item.statement))
        return frozenset(item.target for item in found)

    def is_guarded(self, module: str) -> bool:
        """Whether a module, or something of it, is imported so that its absence is survived."""
        return any(name == module or name.startswith(f"{module}.") for name in self.guarded)

    @property
    def imported(self) -> dict[str, str]:
        """What the file imports, by the names that it binds."""
        return {item.name: item.target for item in self._source.names.imports}

    def triton_kernels(self) -> Iterator[SizedKernel]:
        """Each function under ``triton.jit``."""
        tl = next((name for name, target in self.imported.items() if target == "triton.language"), "tl")
        for node in self._nodes:
            if node.type != "decorated_definition":
                continue
            definition = field(node, "definition")
            name = field(definition, "name")
            decorators = [child for child in node.named_children if child.type == "decorator"]
            if definition is None or name is None or not any(map(self._is_jit, decorators)):
                continue
            code = re.sub(rf"\b{re.escape(tl)}\.", "tl.", text_of(definition))
            features = features_of_triton(code, " ".join(map(text_of, decorators)))
            effort = effort_of(TRITON, text_of(name), features)
            lines = self._source.lines
            first, last = lines.line_of(node.start_byte) + 1, lines.line_of(node.end_byte - 1) + 1
            sized = SizedKernel(
                TRITON, self.path, text_of(name), first, last, features, effort.effort, effort.low,
                effort.high, effort.way, has_fallback=self.is_guarded("triton"),
            )  # fmt: skip
            yield sized

    def _is_jit(self, decorator: Node) -> bool:
        inner = decorator.named_children[0] if decorator.named_children else decorator
        function = field(inner, "function") if inner.type == "call" else inner
        return self._source.names.name_of(function) in _JIT

    def inline_sources(self) -> Iterator[tuple[int, str, list[CppFunction]]]:
        """The strings with CUDA code: the line before them, their text, and their functions."""
        for offset in self._source.find_all(b"__global__"):
            node = self._source.node_at(offset, offset + 1)
            string = node if node is None or node.type == "string" else node.parent
            if string is None or string.type != "string" or self._seen(string):
                continue
            text = _content(string)
            yield self._source.lines.line_of(string.start_byte), text, functions_of(text)

    def _seen(self, string: Node) -> bool:
        """Whether a string was given already."""
        known: set[int] = self.__dict__.setdefault("_strings", set())
        is_known = string.id in known
        known.add(string.id)
        return is_known

    def extensions(self) -> Iterator[str]:
        """The names of the extensions that the file builds or loads."""
        for node in self._nodes:
            if node.type == "call" and last_name(node) in _BUILDERS:
                name = arguments_of(node).get("name", 0)
                if name is not None and name.value.type == "string":
                    yield _content(name.value).rpartition(".")[2]

    def calls(self) -> Iterator[PythonCall]:
        """Each call with the names that may tell a kernel."""
        for node in self._nodes:
            function = field(node, "function") if node.type == "call" else None
            if function is None:
                continue
            checkpoint()
            is_launch = function.type == "subscript"
            target = field(function, "value") if is_launch else function
            if target is None or target.type not in ("identifier", "attribute"):
                continue
            name = text_of(field(target, "attribute") or target)
            owner = field(target, "object")
            resolved = self._source.names.qualified_name(owner) if owner is not None else None
            owner_name = resolved.qualified_name if resolved is not None else text_of(owner) if owner else ""
            if owner is None:
                owner_name = self.imported.get(name, "").rpartition(".")[0]
            yield PythonCall(name, owner_name, self._place(node), is_launch)

    def _place(self, node: Node) -> Caller:
        around = next((item for item in ancestors(node) if item.type == "function_definition"), None)
        name = field(around, "name")
        line = self._source.lines.line_of(node.start_byte) + 1
        return Caller(self.path, line, text_of(name))


def _content(string: Node) -> str:
    """What a string holds, as it is written."""
    return "".join(text_of(part) for part in string.named_children if part.type == "string_content")


def may_be_of_extension(owner: str, extensions: frozenset[str]) -> bool:
    """Whether what a function is called on may be a compiled module: by a name that the project builds, one
    of ``torch.ops``, or one such as these have."""
    last = owner.rpartition(".")[2]
    return last in extensions or owner.startswith("torch.ops.") or _EXTENSION.search(owner) is not None
