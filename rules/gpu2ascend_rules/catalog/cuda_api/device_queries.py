"""NPU103 to NPU105: names that torch_npu lacks, and what its device queries do not answer."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...model.versions import Version
from ...text.guards import is_expected_missing
from ...text.syntax import field, is_field, last_name, outside_parentheses, passed_to, text_of

_ABSENT = frozenset({"shared_memory_per_block", "max_threads_per_block"})
_EMPTY = frozenset(
    {
        "multi_processor_count", "warp_size", "max_threads_per_multi_processor", "gcnArchName",
        "major", "minor", "regs_per_multiprocessor", "is_integrated", "is_multi_gpu_board", "uuid",
    }
)  # fmt: skip
_EMPTY_FROM = Version(2, 7, 1)
"""From this release on, these are there and None (Module.cpp of Ascend/pytorch)."""
_FILLED_FROM = {"uuid": _EMPTY_FROM, "multi_processor_count": Version(2, 10)}
"""From these on, they have a value in every build of the release."""


_GO_THROUGH = frozenset({"list", "tuple", "map", "sum", "max", "min", "join", "zip", "sorted", "enumerate"})
_TARGETS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})


class MissingNpuName(Rule):
    """A name below torch_npu.npu is used that the chosen torch_npu does not have.

    What it does: Looks up every name below ``torch_npu.npu`` (or ``torch.npu``) in the table of names that
    the release has. Code that first tests for the name (by ``hasattr`` or a version), or that handles its
    absence, is not reported.

    Why it matters on the NPU: The name raises AttributeError, often on a path that rarely runs, such as
    inside ``except``.

    Example: ``torch_npu.npu.nccl.version()``.

    Use instead: what ``gpu2ascend explain`` shows for the CUDA name.
    """

    code = "NPU103"
    examples = (
        Example("import torch_npu\ntorch_npu.npu.nccl.version()\n"),
        Example("import torch\nimport torch_npu\ntorch.npu.get_arch_list()\n"),
        Example.unchanged("import torch_npu\ntorch_npu.npu.empty_cache()\ntorch_npu.npu.Event.record\n"),
        Example.unchanged("import torch, torch_npu\ntorch.npu.matmul.allow_hf32 = True\n"),
        Example.unchanged(
            "import torch_npu\nif hasattr(torch_npu.npu, 'get_arch_list'):\n"
            "    torch_npu.npu.get_arch_list()\n"
        ),
        Example("import torch_npu\nif hasattr(torch_npu.npu, 'nccl'):\n    torch_npu.npu.get_arch_list()\n"),
    )

    @on.name("torch_npu.npu.**", "torch.npu.**")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        parts = ref.name.split(".")
        if len(parts) < 3:
            return
        shortest = ".".join(parts[:3])
        if parts[2].startswith("_") or ctx.facts.npu_name_exists(shortest):
            return
        count = 3 - (ref.root_name.count(".") + 1)
        node = ref.chain.nodes[count] if count >= 0 else ref.node
        if is_expected_missing(node, ctx.source):
            return
        yield self.report(
            node, "missing", Severity.ERROR, api=shortest, kind="unsupported", version=ctx.version
        )


class DeviceCapability(Rule):
    """The compute capability of the device is used.

    What it does: Reports ``get_device_capability()`` if its result is unpacked, indexed, iterated over or
    compared.

    Why it matters on the NPU: An NPU has no compute capability; the function returns None, so unpacking,
    indexing and comparing its result raise TypeError.

    Example: ``major, minor = torch.cuda.get_device_capability()``.

    Use instead: the constant that the test should yield on the NPU; ``torch_npu.npu.is_bf16_supported()`` if
    it tests for bfloat16. Recent releases return the pair that the environment variable
    TORCH_NPU_DEVICE_CAPABILITY names.
    """

    code = "NPU104"
    examples = (
        Example("import torch\nmajor, minor = torch.cuda.get_device_capability()\n"),
        Example("import torch\nok = torch.cuda.get_device_capability(0)[0] >= 8\n"),
        Example("import torch\nif torch.cuda.get_device_capability() >= (8, 0):\n    pass\n"),
        Example("import torch\ncap = torch.cuda.get_device_capability()\nok = cap[0] > 7\n"),
        Example("import torch\narch = '.'.join(map(str, torch.cuda.get_device_capability()))\n"),
        Example("import torch\narch = 'sm_%d%d' % torch.cuda.get_device_capability()\n"),
        Example("import torch\ncap = torch.cuda.get_device_capability()\nmajor, minor = cap\nf(*cap)\n"),
        Example.unchanged("import torch\nprint(torch.cuda.get_device_capability())\n"),
        # 1.11.0 has no such name, which is NPU101's to say
        Example.unchanged("import torch\na, b = torch.cuda.get_device_capability()\n", version="1.11.0"),
    )

    @on.name(
        "torch.cuda.get_device_capability",
        "torch_npu.npu.get_device_capability",
        "torch.npu.get_device_capability",
    )
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if not ctx.facts.npu_name_exists("torch_npu.npu.get_device_capability"):
            return  # a rule of names says so
        if ref.call is not None and _is_unpacked(ref.call, ctx):
            yield self.report(ref.node, "none", Severity.ERROR, api=ref.name)


def _is_unpacked(value: Node, ctx: Context) -> bool:
    """Whether a value is unpacked, indexed or compared, directly or through one variable."""
    outer = outside_parentheses(value)
    parent = parent_of(outer)
    if parent is None or _fails_for_none(outer):
        return parent is not None
    target = field(parent, "left") if parent.type == "assignment" else None
    if target is None or target.type != "identifier":
        return False
    return any(_fails_for_none(use) for use in ctx.source.identifiers(text_of(target)))


def _fails_for_none(node: Node) -> bool:
    """Whether an expression is unpacked, compared, indexed, gone through or put into a text by ``%d%d``."""
    parent = parent_of(node)
    if parent is None:
        return False
    if parent.type in ("comparison_operator", "list_splat") or _is_subscripted(node):
        return True
    if parent.type == "assignment":
        target = field(parent, "left")
        return is_field(node, "right") and target is not None and target.type in _TARGETS
    if parent.type in ("for_in_clause", "for_statement"):
        return is_field(node, "right")
    passed = passed_to(node)
    if passed is not None:
        return last_name(passed.call) in _GO_THROUGH
    return parent.type == "binary_operator" and is_field(node, "right")


def _is_subscripted(node: Node) -> bool:
    parent = parent_of(node)
    return parent is not None and parent.type == "subscript" and is_field(node, "value")


class DeviceProperties(Rule):
    """A property is read that the device properties of an NPU do not have.

    What it does: Reports ``warp_size``, ``major``, ``minor`` and similar attributes of the result of
    ``get_device_properties()``, before 2.10 also ``multi_processor_count``.

    Why it matters on the NPU: The properties of an NPU are ``name``, ``total_memory``, ``L2_cache_size``,
    ``cube_core_num`` and ``vector_core_num``. Others are None from 2.7.1 on, which no number compares with,
    and before raise AttributeError.

    Example: ``torch.cuda.get_device_properties(0).warp_size``.

    Use instead: ``cube_core_num`` or ``vector_core_num`` for a number of cores; they do not count the same
    thing as multiprocessors.
    """

    code = "NPU105"
    examples = (
        Example("import torch\nn = torch.cuda.get_device_properties(0).shared_memory_per_block\n"),
        Example("import torch\np = torch.cuda.get_device_properties(0)\nprint(p.major)\n"),
        Example.unchanged("import torch\np = torch.cuda.get_device_properties(0)\nprint(p.total_memory)\n"),
        Example("import torch\nn = torch.cuda.get_device_properties(0).warp_size\n", version="2.6.0"),
        Example(
            "import torch\nn = torch.cuda.get_device_properties(0).multi_processor_count\n", version="2.9.0"
        ),
        Example.unchanged(
            "import torch\nn = torch.cuda.get_device_properties(0).multi_processor_count\n", version="2.10.0"
        ),
        Example.unchanged("import sys\nprint(sys.version_info.major)\nself.warp_size = 3\n"),
    )

    @on.name(
        "torch.cuda.get_device_properties",
        "torch_npu.npu.get_device_properties",
        "torch.npu.get_device_properties",
    )
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        for read in _attributes_read(ref.call, ctx):
            name = text_of(field(read, "attribute"))
            message = _lack(name, ctx.version)
            if message is not None:
                yield self.report(read, message, Severity.ERROR, property=name)


def _lack(name: str, version: Version) -> str | None:
    """The message about a property; None where the release has it with a value."""
    if name in _ABSENT:
        return "none"
    if name not in _EMPTY or (name in _FILLED_FROM and version >= _FILLED_FROM[name]):
        return None
    return "empty" if version >= _EMPTY_FROM else "none"


def _attributes_read(value: Node, ctx: Context) -> Iterator[Node]:
    """The attributes that are read of a value, directly or through one variable."""
    parent = parent_of(outside_parentheses(value))
    if parent is None:
        return
    if parent.type == "attribute":
        yield parent
        return
    target = field(parent, "left") if parent.type == "assignment" else None
    if target is None:
        return
    name = text_of(target).rpartition(".")[2]
    for use in ctx.source.identifiers(name):
        whole = use if target.type == "identifier" else parent_of(use)
        reader = parent_of(whole)
        if (
            whole is not None
            and reader is not None
            and reader.type == "attribute"
            and is_field(whole, "object")
            and text_of(whole) == text_of(target)
        ):
            yield reader
