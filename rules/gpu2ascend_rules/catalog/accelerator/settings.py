"""ACC108 and ACC109: what a profiler watches, and the variable of the allocator."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef, StringRef
from ...engine.rule import Example, on, replace
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...model.versions import Version
from ...text.syntax import text_of
from .neutral_rule import NeutralRule, is_test_file

_ACTIVITY = "torch.profiler.ProfilerActivity"
_ALL = "torch.profiler.supported_activities"
_LISTS = frozenset({"list", "tuple", "set"})
_VARIABLE, _NEUTRAL_VARIABLE = "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"
_SINCE = Version(2, 10)
"""The first release that reads the neutral variable."""


class NeutralProfiler(NeutralRule):
    """A profiler records CUDA.

    What it does: Replaces a list of the activities CUDA and CPU with the activities that the machine
    supports. Other uses of the CUDA activity are reported.

    Why it matters on the NPU: Without CUDA the activity is dropped with a warning, and the profile only
    contains what ran on the CPU.

    Example: ``activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`` becomes
    ``activities=torch.profiler.supported_activities()``.

    Use instead: ``torch.profiler.supported_activities()``, which is the default.
    """

    code = "ACC108"
    name = "neutral-profiler"
    examples = (
        Example(
            "import torch\nfrom torch.profiler import profile, ProfilerActivity\n"
            "with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:\n    pass\n",
            "import torch\nfrom torch.profiler import profile, ProfilerActivity\n"
            "with profile(activities=torch.profiler.supported_activities()) as p:\n    pass\n",
        ),
        Example(
            "from torch.profiler import ProfilerActivity\nif gpu:\n    a.append(ProfilerActivity.CUDA)\n"
        ),
        Example.unchanged("from torch.profiler import ProfilerActivity\na = [ProfilerActivity.CPU]\n"),
    )

    @on.name(f"{_ACTIVITY}.CUDA")
    def watched(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if is_test_file(ctx):
            return
        holder = parent_of(ref.node)
        if holder is None or holder.type not in _LISTS or not _is_everything(holder, ctx):
            yield self.report(ref.node, "by_hand", Severity.WARNING)
            return
        fix = self.neutral([replace(holder, f"{ctx.spell(_ALL)}()")])
        yield self.report(ref.node, "watched", Severity.WARNING, fix=fix)


def _is_everything(holder: Node, ctx: Context) -> bool:
    """Whether a list has the CPU and CUDA, and nothing else: what is supported on a machine with CUDA."""
    items = [ctx.source.names.qualified_name(item) for item in holder.named_children]
    names = sorted(item.qualified_name for item in items if item is not None)
    return len(items) == len(names) and names == [f"{_ACTIVITY}.CPU", f"{_ACTIVITY}.CUDA"]


class NeutralAllocator(NeutralRule):
    """The allocator is configured by an environment variable of CUDA.

    What it does: Replaces the variable with the one that torch 2.10 and later read for every accelerator.

    Why it matters on the NPU: The variable of CUDA only affects CUDA.

    Example: ``os.environ['PYTORCH_CUDA_ALLOC_CONF']`` becomes ``os.environ['PYTORCH_ALLOC_CONF']``.

    Use instead: ``PYTORCH_ALLOC_CONF``; before 2.10, the variable of each accelerator.
    """

    code = "ACC109"
    name = "neutral-allocator"
    examples = (
        Example(
            "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n",
            "import os\nos.environ['PYTORCH_ALLOC_CONF'] = 'expandable_segments:True'\n",
        ),
        Example(
            "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n", version="2.8.0"
        ),
        Example.unchanged("print('set PYTORCH_CUDA_ALLOC_CONF')\n"),
    )

    @on.string(_VARIABLE)
    def named(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if is_test_file(ctx) or ref.text != _VARIABLE or not _is_of_environment(ref.node):
            return
        if ctx.version < _SINCE:
            yield self.report(ref.node, "later", Severity.INFORMATION, since=_SINCE)
            return
        fix = self.neutral([replace(ref.node, ctx.quoted(_NEUTRAL_VARIABLE, ref.node))], _SINCE, requires=())
        yield self.report(ref.node, "variable", Severity.INFORMATION, fix=fix)


def _is_of_environment(node: Node) -> bool:
    """``os.environ[...]``, ``environ.get(...)``, ``os.getenv(...)``, and what else takes its name."""
    holder = parent_of(node)
    if holder is not None and holder.type == "argument_list":
        holder = parent_of(holder)
    return (
        holder is not None and holder.type in ("subscript", "call") and "env" in text_of(holder).split("[")[0]
    )
