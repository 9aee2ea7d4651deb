"""NPU211: the default tensor type, by which older programs choose the device of new tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...engine.context import TORCH, Context
from ...engine.events import NameRef
from ...engine.rule import Example, Family, Rule, on, replace
from ...flow.templates import plain_text
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...model.versions import Version
from ...similar.replacements import replacement_fix
from ...text.syntax import without_parentheses

DEFAULT_DEVICE_FROM = Version(2, 0)
_DTYPES = {
    "FloatTensor": None,
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "DoubleTensor": "float64",
}
_PREFIXES = ("torch.cuda.", "torch_npu.npu.", "torch.npu.")
"""An NPU type is no better than a CUDA one: the function takes neither."""


class _Type(NamedTuple):
    """A tensor type: whether one of a device, and its name."""

    is_on_device: bool
    name: str


class DefaultTensorType(Rule):
    """The default tensor type is set to one of CUDA.

    What it does: From torch 2.0 on, sets the default device and, for types other than float32, the default
    dtype instead. Before that, offers the CPU type: new tensors must then be given their device.

    Why it matters on the NPU: ``torch.set_default_tensor_type`` takes no type of the NPU.

    Example: ``torch.set_default_tensor_type('torch.cuda.FloatTensor')``.

    Use instead: ``torch.set_default_device('npu')``.
    """

    code = "NPU211"
    name = "default-tensor-type"
    family = Family.DEVICE
    examples = (
        Example(
            "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n",
            "import torch\nimport torch_npu\ntorch.set_default_device('npu')\n",
        ),
        Example(
            "import torch\nif cuda:\n    torch.set_default_tensor_type(torch.cuda.HalfTensor)\n",
            "import torch\nimport torch_npu\nif cuda:\n    torch.set_default_device('npu')\n"
            "    torch.set_default_dtype(torch.float16)\n",
        ),
        Example(
            "import torch\n"
            "torch.set_default_tensor_type('torch.cuda.FloatTensor' if c else 'torch.FloatTensor')\n",
            "import torch\nimport torch_npu\ntorch.set_default_device('npu' if c else 'cpu')\n",
        ),
        Example(
            "import torch\ntorch.set_default_tensor_type('torch.cuda.DoubleTensor')\n",
            unsafe="import torch\nimport torch_npu\ntorch.set_default_device('npu')\n"
            "torch.set_default_dtype(torch.float64)\n",
        ),
        Example(
            "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n",
            unsafe="import torch\ntorch.set_default_tensor_type('torch.FloatTensor')\n",
            version="1.11.0",
        ),
        Example(
            "import torch\nkind = torch.cuda.HalfTensor if c else torch.HalfTensor\n"
            "torch.set_default_tensor_type(kind)\n",
            "import torch\nfrom ascend_function import similar_api\n"
            "kind = torch.cuda.HalfTensor if c else torch.HalfTensor\n"
            "similar_api.set_default_tensor_type(kind)\n",
            version="1.8.1",
            settings=(("replace_unsupported", True),),
        ),
        Example("import torch\ntorch.set_default_tensor_type(torch.cuda.LongTensor)\n", manual=True),
        Example(
            "import torch\nkind = torch.cuda.FloatTensor if c else torch.FloatTensor\n"
            "torch.set_default_tensor_type(kind)\n",
            manual=True,
        ),
        Example(
            "import torch, torch_npu\ntorch.set_default_tensor_type(torch.npu.FloatTensor)\n",
            "import torch, torch_npu\ntorch.set_default_device('npu')\n",
        ),
        Example.unchanged("import torch\ntorch.set_default_tensor_type(torch.DoubleTensor)\n"),
        Example.unchanged("import torch\ntorch.set_default_tensor_type('torch.FloatTensor')\n"),
    )

    @on.name("torch.set_default_tensor_type")
    def default(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        replacement = replacement_fix(ref.name, ref.node, ctx) if ctx.options.replace_unsupported else None
        if replacement is not None:
            yield self.report(ref.node, "similar", Severity.WARNING, fix=replacement, api=ref.name)
            return
        call = ref.call
        given = ref.arguments.get("t", 0)
        if call is None or given is None:
            return
        if _is_variable_of_device_type(given.value, ctx):
            yield self.report(call, "variable", Severity.ERROR, api=ref.name)
            return
        types = [_type_of(value, ctx) for value in _alternatives(given.value)]
        if not any(item is not None and item.is_on_device for item in types):
            return
        fix = self._fix(ref, call, given.value, ctx)
        severity = Severity.WARNING if fix is not None else Severity.ERROR
        key = "device" if ctx.version >= DEFAULT_DEVICE_FROM else "cpu"
        yield self.report(call, key if fix is not None else "none", severity, fix=fix, api=ref.name)

    def _fix(self, ref: NameRef, call: Node, given: Node, ctx: Context) -> Fix | None:
        if ctx.version < DEFAULT_DEVICE_FROM:
            return self._cpu_type(given, ctx)
        if len(_alternatives(given)) > 1:
            return self._chosen(ref, given, ctx)
        return self._default_device(call, given, ctx)

    def _default_device(self, call: Node, given: Node, ctx: Context) -> Fix | None:
        kind = _type_of(given, ctx)
        if kind is None or kind.name not in _DTYPES:
            return None
        lines = [f"{ctx.spell('torch.set_default_device')}({ctx.quoted('npu', call)})"]
        dtype = _DTYPES[kind.name]
        if dtype is not None:
            if call.parent is None or call.parent.type != "expression_statement":
                return None
            lines.append(f"{ctx.spell('torch.set_default_dtype')}({ctx.spell(f'torch.{dtype}')})")
        applicability = Applicability.UNSAFE if dtype == "float64" else Applicability.SAFE
        edits = [replace(call, _separator(call, ctx).join(lines))]
        return self.fix(applicability, edits=edits, requires=ctx.names_the_npu | {TORCH})

    def _chosen(self, ref: NameRef, given: Node, ctx: Context) -> Fix | None:
        """``'torch.cuda.FloatTensor' if c else 'torch.FloatTensor'``: a choice of devices."""
        edits = [replace(ref.node, ctx.spell("torch.set_default_device"))]
        for value in _alternatives(given):
            kind = _type_of(value, ctx)
            if kind is None or kind.name != "FloatTensor":
                return None
            edits.append(replace(value, ctx.quoted("npu" if kind.is_on_device else "cpu", value)))
        return self.fix(Applicability.SAFE, edits=edits, requires=ctx.names_the_npu | {TORCH})

    def _cpu_type(self, given: Node, ctx: Context) -> Fix | None:
        edits: list[Edit] = []
        for value in _alternatives(given):
            kind = _type_of(value, ctx)
            if kind is None:
                return None
            if kind.is_on_device:
                edits.append(replace(value, ctx.quoted(f"torch.{kind.name}", value)))
        return self.fix(Applicability.UNSAFE, edits=edits)


def _alternatives(given: Node) -> list[Node]:
    """The values that an argument may have: the arms of a conditional expression, or itself."""
    node = without_parentheses(given)
    if node.type != "conditional_expression":
        return [node]
    parts = [part for part in node.named_children if part.type != "comment"]
    return [parts[0], parts[2]] if len(parts) == 3 else [node]


def _is_variable_of_device_type(given: Node, ctx: Context) -> bool:
    """Whether a type is given by a variable that some assignment sets to one of a device."""
    if given.type != "identifier":
        return False
    kinds = (_type_of(value, ctx) for value in ctx.origins(given))
    return any(kind is not None and kind.is_on_device for kind in kinds)


def _type_of(value: Node, ctx: Context) -> _Type | None:
    text = plain_text(value)
    if text is None:
        resolution = ctx.source.names.qualified_name(value)
        text = resolution.qualified_name if resolution is not None else ""
    name = text.rpartition(".")[2]
    if not name.endswith("Tensor"):
        return None
    return _Type(text.startswith(_PREFIXES), name)


def _separator(call: Node, ctx: Context) -> str:
    """What comes between two statements in the place of one: a new line at its indent, or a semicolon."""
    line_start = ctx.source.lines.line_span(ctx.source.lines.line_of(call.start_byte))[0]
    indent = ctx.source.slice(line_start, call.start_byte)
    return "; " if indent.strip() else f"{ctx.source.newline}{indent}"
