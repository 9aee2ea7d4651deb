"""NPU506: how torch was built."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...data import load_json
from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on
from ...flow.guards.cuda_guards import Guard, guard_of, is_build_script
from ...flow.guards.fallbacks import has_fallback
from ...flow.guards.guarded_code import guards_device_code
from ...flow.guards.ways import is_avoided
from ...limits.below import nodes_in
from ...limits.parents import parent_of, parent_type
from ...model.finding import Finding, Severity
from ...text.guards import is_version_dependent
from ...text.syntax import ancestors, field, is_field, outside_parentheses, parts_of, passed_to, same, text_of

_TESTS = frozenset(
    {"comparison_operator", "boolean_operator", "not_operator", "assert_statement", "while_statement"}
)
_VERSIONS = frozenset({"torch.version.cuda", "torch.backends.cudnn.version"})
_OF_DEVICE = frozenset(
    f"{module}.is_bf16_supported" for module in ("torch.cuda", "torch_npu.npu", "torch.npu")
)
"""What the NPU answers with yes, so that it is the build that decides."""
_PARSERS = frozenset({"int", "float", "Version", "parse", "LooseVersion", "parse_version", "StrictVersion"})


class CudaBuildTest(Rule):
    """The program tests whether, or for which CUDA, torch was built.

    What it does: Reports ``torch.version.cuda``, ``torch.backends.cuda.is_built()`` and the corresponding
    functions of cuDNN if the result decides something. If it is only displayed, or False is the right answer
    because it decides over a build for CUDA or a kernel alone, nothing is reported.

    Why it matters on the NPU: torch_npu runs on the CPU build of torch. There the version is None, so
    comparing or splitting it raises, and the tests are False, so the program silently takes the path without
    a device.

    Example: ``if torch.version.cuda >= '11.0':``.

    Use instead: ``torch_npu.npu.is_available()``, or the constant that the test should yield on the NPU.
    """

    code = "NPU506"
    examples = (
        Example("import torch\nif torch.version.cuda >= '11.0':\n    pass\n"),
        Example("import torch\nmajor = int(torch.version.cuda.split('.')[0])\n"),
        Example("import torch\nname = 'cu' + torch.version.cuda\n"),
        Example("import torch\nuse = torch.backends.cuda.is_built() and flag\n"),
        Example(
            "import torch\nhas_bf16 = torch.version.cuda is not None and torch.cuda.is_bf16_supported()\n"
        ),
        Example(
            "import torch, torch_npu\nhas_bf16 = torch.version.cuda and torch_npu.npu.is_bf16_supported()\n"
        ),
        Example("import torch\nif torch.version.cuda is None:\n    f()\n"),
        Example("import torch\nif torch.version.cuda:\n    x = x.to('cuda')\n"),
        Example.unchanged("import torch\nprint('CUDA', torch.version.cuda)\n"),
        Example.unchanged("import torch\nmajor = (torch.version.cuda or '12').split('.')[0]\n"),
        Example("import torch\nif torch.backends.cudnn.is_available():\n    pass\n"),
        Example("import torch\nif torch.has_cuda:\n    pass\n"),
        Example.unchanged(
            "import torch\nfrom torch.utils.cpp_extension import CppExtension, CUDAExtension\n"
            "extension = CUDAExtension if torch.has_cuda else CppExtension\n"
        ),
        Example.unchanged("import torch\nprint(torch.version.git_version, torch.__version__)\n"),
        Example.unchanged("import torch\nok = torch.backends.mps.is_built()\n"),
    )

    @on.name(*load_json("backend_flags")["build"])
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        value = outside_parentheses(ref.call or ref.node)
        key = "version" if ref.name in _VERSIONS else "built"
        is_kept = key == "built" and parent_type(value) == "assignment"
        if not (ref.rest or is_kept or _decides(value)) or is_avoided(ref.node, ctx):
            return
        if key == "built" and (is_build_script(ctx) or guard_of(ref.node, ctx) is Guard.CUDA_ONLY):
            return  # False is the right answer
        if key == "version" and not ref.rest and _asks_whether(value):
            yield self.report(ref.node, "absent", _severity_of_test(value, ctx), api=ref.name)
        else:
            yield self.report(ref.node, key, Severity.ERROR, api=ref.name)


def _has_default(value: Node) -> bool:
    """Whether another value stands in for None: ``torch.version.cuda or "12"``."""
    parent = parent_of(value)
    operator = field(parent, "operator")
    is_or = operator is not None and operator.type == "or" and is_field(value, "left")
    right = field(parent, "right") if is_or and parent is not None else None
    return right is not None and right.type == "string"


def _asks_whether(value: Node) -> bool:
    """Whether a test asks no more than whether there is a version: ``torch.version.cuda is not None``."""
    parent = parent_of(value)
    if parent is None or parent.type != "comparison_operator":
        is_test = parent is not None and parent.type in _TESTS and parent.type != "assert_statement"
        return is_test or is_field(value, "condition")
    return parent.child_count == 3 and any(item.type == "none" for item in parent.children)


def _severity_of_test(value: Node, ctx: Context) -> Severity:
    """How bad it is that there is no version: worst where the device decides, or would."""
    if guards_device_code(value, ctx.source):
        return Severity.ERROR
    is_of_device = _is_joined_to(value, _OF_DEVICE, ctx) and not has_fallback(value, ctx)
    return Severity.ERROR if is_of_device else Severity.INFORMATION


def _is_joined_to(value: Node, names: frozenset[str], ctx: Context) -> bool:
    """Whether all of a conjunction that a test is in must be true, and it asks the device for something."""
    whole = value
    for parent in ancestors(value):
        operator = field(parent, "operator")
        is_part = parent.type in ("comparison_operator", "parenthesized_expression")
        if not is_part and (parent.type != "boolean_operator" or text_of(operator) != "and"):
            break
        whole = parent
    found = (ctx.source.names.qualified_name(node) for node in nodes_in(whole) if node.type == "attribute")
    return any(item is not None and item.qualified_name in names for item in found)


def _decides(value: Node) -> bool:
    """Whether something depends on a value, as far as the enclosing expression shows."""
    parent = parent_of(value)
    if parent is None or _has_default(value):
        return False
    if parent.type in _TESTS or is_field(value, "condition"):
        return True
    if parent.type == "conditional_expression":
        parts = parts_of(parent)
        return len(parts) == 3 and same(parts[1], value)
    if parent.type in ("subscript", "attribute"):
        return True
    if parent.type == "binary_operator":  # a text and None cannot be added
        return not is_version_dependent(value)
    passed = passed_to(value)
    if passed is not None:
        function = passed.call.child_by_field_name("function")
        return function is not None and text_of(function).rpartition(".")[2] in _PARSERS
    return parent.type == "return_statement"
