"""NPU112: names below ``torch.cuda`` that are reached by a text: ``getattr``, ``import_module``, ``eval``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, NameRef, Outline, StringRef
from ...engine.rule import Example, Rule, on
from ...flow.templates import plain_text
from ...model.finding import Finding, Severity
from ...renames.cuda_names import CUDA
from ...renames.names_by_text import Reached, gives_torch, is_attribute_of_torch, judged, unmovable
from ...text.source_file import SourceFile
from ...text.syntax import (
    Passed,
    arguments_of,
    attributes_behind,
    call_of,
    last_name,
    outside_parentheses,
    passed_to,
)

_NPU = ("torch_npu.npu", "torch.npu")
_CODE_TAKERS = frozenset({"exec", "eval"})
_ESCAPES = ("\\", "{")
_LOOK_UPS = (
    b"import_module", b"importorskip", b"__import__", b"sys.modules", b"methodcaller", b"__dict__",
    b"__getattribute__", b"vars(",
)  # fmt: skip
_GETS = re.compile(rb"getattr\([^\n]*(?:torch|cuda)")
_RUNS_CODE = (re.compile(rb"eval\((?<![\w.]eval\()"), re.compile(rb"exec\((?<![\w.]exec\()"))
"""Each begins with a word, which a search finds a hundred times as fast as a choice of words."""


def _looks_up(ctx: Outline) -> bool:
    """Whether the file has what it must have where a text names a module, or is code."""
    data = ctx.source.data
    if any(word in data for word in _LOOK_UPS):
        return True
    return any(pattern.search(data) is not None for pattern in (_GETS, *_RUNS_CODE))


class CudaByText(Rule):
    """A name below torch.cuda is looked up by a string.

    What it does: Follows ``getattr(torch.cuda, 'nvtx')``, ``import_module('torch.cuda')``,
    ``__import__('torch')``, ``sys.modules['torch']`` and ``torch.__dict__['cuda']`` to the names that the
    file takes from them, and reports those that do not work on the NPU. It also examines strings that
    ``exec`` and ``eval`` run, and reports ``getattr(x, 'cuda')()`` and ``methodcaller('cuda')``.

    Why it matters on the NPU: A name without a counterpart raises AttributeError, and a name that remains
    below ``torch.cuda`` raises without CUDA. A search for the name does not find such uses.

    Example: ``getattr(torch.cuda, 'nvtx').mark('step')``.

    Use instead: the name itself, which is migrated: ``torch.cuda.synchronize()``.
    """

    code = "NPU112"
    examples = (
        Example("import torch\ngetattr(torch.cuda, 'nvtx').mark('x')\n"),
        Example("import torch\nname = 'comm'\ngetattr(torch.cuda, name).broadcast(x, [0])\n"),
        Example("import torch\nm = getattr(torch, 'cuda')\nm.nvtx.mark('x')\nm.synchronize()\n"),
        Example("import torch\ng = getattr(torch.cuda, 'CUDAGraph')()\n"),
        Example("import importlib\nc = importlib.import_module('torch.cuda')\nc.comm.broadcast(x, [0])\n"),
        Example("import sys\nt = sys.modules['torch']\nt.cuda.synchronize()\n"),
        Example("import sys\nsys.modules['torch'].cuda.synchronize()\n"),
        Example("import sys\nt = sys.modules['torch']\nt.cuda.nvtx.mark('a')\n"),
        Example("import importlib\nimportlib.import_module('torch').cuda.synchronize()\n"),
        Example("exec('import torch; torch.cuda.synchronize()')\n"),
        Example("import torch\ny = getattr(x, 'cuda')()\n"),
        Example("import operator, torch\nmove = operator.methodcaller('cuda')\n"),
        Example("import torch\nc = torch.__dict__['cuda']\nc.synchronize()\n"),
        Example("import torch\nvars(torch)['cuda'].synchronize()\n"),
        Example.unchanged(
            "import torch\nn = getattr(torch.cuda, 'nvtx', None)\nok = hasattr(torch.cuda, 'nvtx')\n"
        ),
        Example.unchanged("import importlib\nt = importlib.import_module('torch')\nt.zeros(2)\n"),
        Example.unchanged("exec('import torch; torch.zeros(2)')\nuse = getattr(args, 'cuda')\n"),
        Example.unchanged("import torch\nuse = args.__dict__['cuda']\nok = 'cuda' in torch.__dict__\n"),
    )

    @on.name(f"{CUDA}.**", CUDA)
    def owned(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """``getattr(torch.cuda, 'nvtx')``: without a default, it must be there."""
        passed = passed_to(ref.node)
        name = _taken_name(passed, ctx)
        if passed is not None and name is not None:
            yield from self._report_reached(judged(passed.call, f"{ref.name}.{name}", ctx))

    @on.name(*(f"{npu}{below}" for npu in _NPU for below in ("", ".**")))
    def owned_by_the_npu(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """The same, once the owner is the NPU's."""
        passed = passed_to(ref.node)
        name = _taken_name(passed, ctx)
        if passed is None or name is None or ref.name not in _NPU or name.startswith("_"):
            return
        if not ctx.facts.npu_name_exists(f"{ref.name}.{name}"):
            yield self.report(
                passed.call, "none", Severity.ERROR, api=f"{ref.name}.{name}", kind="unsupported"
            )

    @on.string("cuda", needs=_looks_up)
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.is_bytes:
            return
        passed = passed_to(ref.node)
        if passed is not None and last_name(passed.call) in _CODE_TAKERS and passed.argument.position == 0:
            yield from self._of_code(ref, ctx)
        elif passed is not None and _is_called_method(ref, passed) and not is_attribute_of_torch(ref, ctx):
            yield self.report(passed.call, "method", Severity.ERROR)
        else:
            for reached in unmovable(ref, ctx):
                yield from self._report_reached(reached)

    @on.member("cuda", needs=_looks_up)
    def of_torch(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        """``__import__('torch').cuda.synchronize()``: the module stays CUDA's."""
        if gives_torch(ref.receiver, ctx):
            node, attributes = attributes_behind(ref.node)
            yield from self._report_reached(judged(node, ".".join((CUDA, *attributes)), ctx, stays=True))

    def _report_reached(self, reached: Reached | None) -> Iterator[Finding]:
        if reached is not None and reached.target:
            yield self.report(reached.node, "stays", Severity.ERROR, api=reached.api, target=reached.target)
        elif reached is not None:
            yield self.report(reached.node, "none", Severity.ERROR, api=reached.api, kind="unsupported")

    def _of_code(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """What the rules find in the text that a call runs; nobody makes their fixes in it."""
        if ref.is_formatted or any(mark in ref.text for mark in _ESCAPES):
            return
        for finding in ctx.python_findings(SourceFile(ref.text, "")):
            severity = Severity.ERROR if finding.severity is Severity.WARNING else finding.severity
            yield self.report(ref.node, "code", severity, rule=finding.code, message=finding.message)


def _taken_name(passed: Passed | None, ctx: Context) -> str | None:
    """The name that ``getattr`` takes from its first argument, where that must be there."""
    if passed is None or last_name(passed.call) != "getattr" or passed.argument.position != 0:
        return None
    positional = arguments_of(passed.call).positional
    if len(positional) != 2:
        return None
    name = plain_text(_value_of(positional[1].value, ctx)) or ""
    return name if name.isidentifier() else None


def _value_of(expression: Node, ctx: Context) -> Node:
    """What an expression is, or what the only binding of a variable gives it."""
    return ctx.source.names.only_value(expression) or expression


def _is_called_method(ref: StringRef, passed: Passed) -> bool:
    """``getattr(x, 'cuda')()`` and ``methodcaller('cuda')``."""
    name, position = last_name(passed.call), passed.argument.position
    if ref.text != "cuda" or (name, position) not in (("getattr", 1), ("methodcaller", 0)):
        return False
    return name == "methodcaller" or call_of(outside_parentheses(passed.call)) is not None
