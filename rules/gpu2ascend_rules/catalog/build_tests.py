"""NPU505, NPU506: how torch was built, and whether it computes the same every time."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..context import Context
from ..data import load_json
from ..events import NameRef, StringRef
from ..finding import Finding, Severity
from ..guards import is_version_dependent
from ..rule import Example, Family, Rule, on
from ..syntax import ancestors, is_field, outside_parentheses, passed_to, same, text_of

_TESTS = frozenset(
    {"comparison_operator", "boolean_operator", "not_operator", "assert_statement", "while_statement"}
)
_VERSIONS = frozenset({"torch.version.cuda", "torch.backends.cudnn.version"})
_PARSERS = frozenset({"int", "float", "Version", "parse", "LooseVersion", "parse_version", "StrictVersion"})


class CudaBuildTest(Rule):
    """The program asks whether, or for which CUDA, torch was built.

    What it does: Reports ``torch.version.cuda``, ``torch.backends.cuda.is_built()`` and the questions for
    cuDNN: as an error where the answer decides something, as information where it is only shown.

    Why it matters on the NPU: torch_npu runs on the CPU build of torch. There the version is None, so
    that comparing or splitting it raises, and the predicates are False, so that the program quietly takes
    the path without a device.

    Example: ``if torch.version.cuda >= '11.0':``.

    Use instead: ``torch_npu.npu.is_available()``, or the constant that the test amounts to on the NPU.
    """

    code = "NPU506"
    name = "cuda-build-test"
    family = Family.BACKEND
    examples = (
        Example("import torch\nif torch.version.cuda >= '11.0':\n    pass\n", manual=True),
        Example("import torch\nmajor = int(torch.version.cuda.split('.')[0])\n", manual=True),
        Example("import torch\nname = 'cu' + torch.version.cuda\n", manual=True),
        Example("import torch\nuse = torch.backends.cuda.is_built() and flag\n", manual=True),
        Example("import torch\nprint('CUDA', torch.version.cuda)\n", manual=True),
        Example("import torch\nif torch.backends.cudnn.is_available():\n    pass\n", manual=True),
        Example.unchanged("import torch\nprint(torch.version.git_version, torch.__version__)\n"),
        Example.unchanged("import torch\nok = torch.backends.mps.is_built()\n"),
    )

    @on.name(*load_json("backend_flags")["build"])
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        value = outside_parentheses(ref.call or ref.node)
        key = "version" if ref.name in _VERSIONS else "built"
        is_kept = key == "built" and value.parent is not None and value.parent.type == "assignment"
        if ref.rest or is_kept or _decides(value):
            yield self.report(ref.node, key, Severity.ERROR, api=ref.name)
        else:
            yield self.report(ref.node, "shown", Severity.INFORMATION, api=ref.name)


def _decides(value: Node) -> bool:
    """Whether something depends on a value, as far as the expression around it tells."""
    parent = value.parent
    if parent is None:
        return False
    if parent.type in _TESTS or is_field(value, "condition"):
        return True
    if parent.type == "conditional_expression":
        parts = [child for child in parent.named_children if child.type != "comment"]
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


class Determinism(Rule):
    """The program asks for deterministic algorithms.

    What it does: Points at ``torch.use_deterministic_algorithms(True)`` and at the setting of cuBLAS.

    Why it matters on the NPU: The switch holds there for single devices; collective operations have one
    of their own, and CUBLAS_WORKSPACE_CONFIG means nothing. Uninitialised memory is not filled.

    Example: ``torch.use_deterministic_algorithms(True)``.

    Use instead: the same call, and ``HCCL_DETERMINISTIC=true`` in the environment of distributed jobs.
    """

    code = "NPU505"
    name = "determinism"
    family = Family.BACKEND
    examples = (
        Example("import torch\ntorch.use_deterministic_algorithms(True)\n", manual=True),
        Example("import torch\ntorch.use_deterministic_algorithms(args.det, warn_only=True)\n", manual=True),
        Example("import os\nos.environ['CUBLAS_WORKSPACE_CONFIG'] = ':4096:8'\n", manual=True),
        Example.unchanged("import torch\ntorch.use_deterministic_algorithms(False)\n"),
        Example.unchanged("print('set CUBLAS_WORKSPACE_CONFIG to be deterministic')\n"),
    )

    @on.name("torch.use_deterministic_algorithms", "torch.utils.deterministic.fill_uninitialized_memory")
    def asked(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        mode = ref.arguments.get("mode", 0)
        if mode is not None and mode.value.type == "false":
            return
        key = "fill" if ref.name.endswith("memory") else "algorithms"
        yield self.report(ref.node, key, Severity.HINT, api=ref.name)

    @on.string("CUBLAS_WORKSPACE_CONFIG")
    def configured(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text == "CUBLAS_WORKSPACE_CONFIG" and not _is_shown(ref.node):
            yield self.report(ref.node, "cublas", Severity.HINT)


def _is_shown(node: Node) -> bool:
    """Whether a text is an argument of ``print``."""
    return any(parent.type == "call" and text_of(parent).startswith("print") for parent in ancestors(node))
