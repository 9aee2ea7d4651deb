"""NPU211: the default tensor type, by which older programs choose the device of new tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....engine.context import TORCH, Context
from ....engine.events import NameRef
from ....engine.rule import Example, Rule, on, replace
from ....facts import SupportStatus
from ....flow.templates import plain_text
from ....limits.parents import parent_of, parent_type
from ....model.finding import Applicability, Edit, Finding, Fix, Severity
from ....model.versions import Version
from ....renames.qualified_names import name_becomes
from ....renames.split_imports import statement_joiner
from ....similar.replacements import replacement_fix
from ....text.syntax import Argument, arguments_of, call_of, is_field, parts_of, text_of, without_parentheses

DEFAULT_DEVICE_FROM = Version(2, 0)
_DTYPES = {
    "FloatTensor": "float32",
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
    """The default tensor type is set to a CUDA type.

    What it does: From torch 2.0 on, sets the default device instead, and the default dtype unless the project
    only uses float32. A later reset to a CPU type resets both, because it would not reset the default device.
    Before 2.0, and for versions whose own support list marks ``torch.set_default_device`` as unsupported, it
    offers the CPU type; new tensors must then be created with a device.

    Why it matters on the NPU: ``torch.set_default_tensor_type`` does not accept NPU types.

    Example: ``torch.set_default_tensor_type('torch.cuda.FloatTensor')``.

    Use instead: ``torch.set_default_device('npu')``.
    """

    code = "NPU211"
    fails = frozenset({"cpu", "device", "similar"})
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
        Example("import torch\ntorch.set_default_tensor_type(torch.cuda.LongTensor)\n"),
        Example("import torch\ntorch.set_default_tensor_type(torch.cuda.no_such_type)\n"),
        Example("import torch\ntorch.set_default_tensor_type(*given, torch.cuda.HalfTensor)\n"),
        Example(
            "import torch\nkind = torch.cuda.FloatTensor if c else torch.FloatTensor\n"
            "torch.set_default_tensor_type(kind)\n"
        ),
        Example(
            "import torch, torch_npu\ntorch.set_default_tensor_type(torch.npu.FloatTensor)\n",
            "import torch, torch_npu\ntorch.set_default_device('npu')\n",
        ),
        Example(
            "import torch\ntorch.set_default_tensor_type('torch.cuda.HalfTensor')\nbuild()\n"
            "torch.set_default_tensor_type('torch.FloatTensor')\n",
            "import torch\nimport torch_npu\ntorch.set_default_device('npu')\n"
            "torch.set_default_dtype(torch.float16)\nbuild()\n"
            "torch.set_default_device('cpu')\ntorch.set_default_dtype(torch.float32)\n",
        ),
        Example(
            "import torch\nif cuda:\n    torch.set_default_tensor_type('torch.cuda.FloatTensor')\nelse:\n"
            "    torch.set_default_tensor_type('torch.FloatTensor')\n",
            "import torch\nimport torch_npu\nif cuda:\n    torch.set_default_device('npu')\nelse:\n"
            "    torch.set_default_device('cpu')\n",
        ),
        Example(
            "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n",
            unsafe="import torch\ntorch.set_default_tensor_type('torch.FloatTensor')\n",
            version="2.0.1",
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
        if call is None:
            return
        if _has_unread_type(ref, given, ctx):
            yield self.report(call, "none", Severity.ERROR, api=ref.name)
            return
        if given is None:
            return
        if _is_variable_of_device_type(given.value, ctx):
            yield self.report(call, "variable", Severity.ERROR, api=ref.name)
            return
        types = [_type_of(value, ctx) for value in _alternatives(given.value)]
        if any(item is not None and item.is_on_device for item in types):
            yield self._of_device(ref, call, given.value, ctx)
        elif None not in types and moves_default_type(ctx) and sets_device_type(ctx):
            fix = self._both(ref, call, given.value, ctx)
            severity = Severity.WARNING if fix is not None else Severity.ERROR
            yield self.report(call, "reset", severity, fix=fix, api=ref.name)

    def _of_device(self, ref: NameRef, call: Node, given: Node, ctx: Context) -> Finding:
        if moves_default_type(ctx):
            key, fix = "device", self._both(ref, call, given, ctx)
        else:
            key, fix = "cpu", self._cpu_type(given, ctx)
        severity = Severity.WARNING if fix is not None else Severity.ERROR
        return self.report(call, key if fix is not None else "none", severity, fix=fix, api=ref.name)

    def _both(self, ref: NameRef, call: Node, given: Node, ctx: Context) -> Fix | None:
        """The default device and, where it is not float32 all along, the default dtype."""
        types = [_type_of(value, ctx) for value in _alternatives(given)]
        known = [item for item in types if item is not None and item.name in _DTYPES]
        if len(known) != len(types):
            return None
        dtype = _dtype_text(known, given, ctx)
        if dtype is None or (dtype and parent_type(call) != "expression_statement"):
            return None
        edits = [*name_becomes(ref, "torch.set_default_device", ctx).edits, *_devices(given, known, ctx)]
        if parent_type(given) == "keyword_argument":
            edits.append(_without_keyword(given))
        if dtype:
            line = f"{ctx.spell('torch.set_default_dtype')}({dtype})"
            edits.append(
                Edit(call.end_byte - 1, call.end_byte, f"){statement_joiner(call, ctx.source)}{line}")
            )
        is_double = any(item.name == "DoubleTensor" and item.is_on_device for item in known)
        applicability = Applicability.UNSAFE if is_double else Applicability.SAFE
        return self.fix(applicability, edits=edits, requires=ctx.names_the_npu | {TORCH})

    def _cpu_type(self, given: Node, ctx: Context) -> Fix | None:
        edits: list[Edit] = []
        for value in _alternatives(given):
            kind = _type_of(value, ctx)
            if kind is None:
                return None
            if kind.is_on_device:
                edits.append(replace(value, ctx.quoted(f"torch.{kind.name}", value)))
        return self.fix(Applicability.UNSAFE, edits=edits)


def moves_default_type(ctx: Context) -> bool:
    """Whether this version's torch has a default device, and its own list does not call it unsupported."""
    if ctx.version < DEFAULT_DEVICE_FROM:
        return False
    return ctx.facts.status("torch.set_default_device") is not SupportStatus.UNSUPPORTED


def _types_set(ctx: Context) -> frozenset[str]:
    """The default tensor types that the file and its project set: ``cuda.HalfTensor``, ``FloatTensor``."""

    def found() -> frozenset[str]:
        return frozenset(_types_here(ctx)) | (ctx.project.default_types - {"device"})

    return ctx.once("default tensor types", found)


def _types_here(ctx: Context) -> Iterator[str]:
    if any(True for _ in ctx.source.identifiers("set_default_dtype")):
        yield "dtype"
    for identifier in ctx.source.identifiers("set_default_tensor_type"):
        node = parent_of(identifier) if is_field(identifier, "attribute") else identifier
        call = call_of(node) if node is not None else None
        given = arguments_of(call).get("t", 0) if call is not None else None
        for value in _alternatives(given.value) if given is not None else ():
            kind = _type_of(value, ctx)
            if kind is not None:
                yield f"cuda.{kind.name}" if kind.is_on_device else kind.name
            elif value.type == "identifier":
                yield from _types_of_variable(value, ctx)


def _types_of_variable(variable: Node, ctx: Context) -> Iterator[str]:
    for value in ctx.origins(variable):
        kind = _type_of(value, ctx)
        if kind is not None:
            yield f"cuda.{kind.name}" if kind.is_on_device else kind.name


def sets_device_type(ctx: Context) -> bool:
    """Whether the file or its project makes the default tensor type one of CUDA."""
    return any(name.startswith("cuda.") for name in _types_set(ctx))


def _dtype_text(types: list[_Type], given: Node, ctx: Context) -> str | None:
    """What the default dtype becomes: empty where it is float32 all along, ``None`` where it is in doubt."""
    names = [_DTYPES[item.name] for item in types]
    changes = any(name.rpartition(".")[2] != "FloatTensor" for name in _types_set(ctx))
    if not changes and set(names) == {"float32"}:
        return ""
    spelled = [ctx.spell(f"torch.{name}") for name in names]
    if len(set(spelled)) == 1:
        return spelled[0]
    condition = parts_of(without_parentheses(given))[1]
    if not _may_be_repeated(condition):
        return None
    return f"{spelled[0]} if {text_of(condition)} else {spelled[1]}"


def _may_be_repeated(condition: Node) -> bool:
    """Whether a condition may be evaluated twice: a name, an attribute, or what asks for the device."""
    node = without_parentheses(condition)
    if node.type == "not_operator":
        return all(_may_be_repeated(child) for child in node.named_children)
    if node.type == "call":
        return text_of(node).endswith(".is_available()")
    return node.type in ("identifier", "attribute", "true", "false")


def _alternatives(given: Node) -> list[Node]:
    """The values that an argument may have: the arms of a conditional expression, or itself."""
    node = without_parentheses(given)
    if node.type != "conditional_expression":
        return [node]
    parts = parts_of(node)
    return [parts[0], parts[2]] if len(parts) == 3 else [node]


def _is_variable_of_device_type(given: Node, ctx: Context) -> bool:
    """Whether a type is given by a variable that some assignment sets to one of a device."""
    if given.type != "identifier":
        return False
    kinds = (_type_of(value, ctx) for value in ctx.origins(given))
    return any(kind is not None and kind.is_on_device for kind in kinds)


def _has_unread_type(ref: NameRef, given: Argument | None, ctx: Context) -> bool:
    """Whether what is given names a device other than as a tensor type that the call shows plainly."""
    values = [item.value for item in ref.arguments.items] if given is None else [given.value]
    plain = {value.id for value in _alternatives(given.value)} if given is not None else set()
    return any(
        _name_of(value, ctx).startswith(_PREFIXES) and (value.id not in plain or _type_of(value, ctx) is None)
        for value in _innermost_alternatives(values)
    )


def _innermost_alternatives(values: list[Node]) -> Iterator[Node]:
    """The arms of conditional expressions one inside the other, or the values themselves."""
    waiting = [*values]
    while waiting:
        value = without_parentheses(waiting.pop())
        arms = _alternatives(value)
        if len(arms) == 1:
            yield value
        else:
            waiting.extend(arms)


def _name_of(value: Node, ctx: Context) -> str:
    """What a type is given as: the qualified name, or the text that holds it."""
    text = plain_text(value)
    return text if text is not None else ctx.source.names.name_of(value)


def _type_of(value: Node, ctx: Context) -> _Type | None:
    text = _name_of(value, ctx)
    name = text.rpartition(".")[2]
    return _Type(text.startswith(_PREFIXES), name) if name.endswith("Tensor") else None


def _without_keyword(given: Node) -> Edit:
    """The edit that gives a keyword argument by its position: its keyword is another in the new function."""
    holder = parent_of(given) or given
    return Edit(holder.start_byte, given.start_byte, "")


def _devices(given: Node, known: list[_Type], ctx: Context) -> Iterator[Edit]:
    """The edits that write the devices of types: one where all are alike."""
    is_one = len({item.is_on_device for item in known}) == 1
    for value, item in zip([given] if is_one else _alternatives(given), known, strict=not is_one):
        yield replace(value, ctx.quoted("npu" if item.is_on_device else "cpu", value))
