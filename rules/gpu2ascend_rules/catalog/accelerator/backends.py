"""ACC107: the communication back end of one accelerator."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef, StringRef
from ...engine.rule import Example, on, replace
from ...facts.releases.neutral import first_release
from ...flow import Role
from ...flow.subjects.backends import backend_role
from ...limits.parents import parent_type
from ...model.finding import Finding, Severity
from ...model.project.decisions import Decision, Outcome
from ...program.word_places import WordPlace, place_of
from ...text.syntax import enclosing, passed_to
from .neutral_rule import TORCH, NeutralRule, device_text

_DEFAULT = "torch.distributed.get_default_backend_for_device"
_MAKERS = frozenset({"torch.distributed.init_process_group", "torch.distributed.new_group"})


class NeutralBackend(NeutralRule):
    """A process group is created with NCCL.

    What it does: Replaces ``'nccl'`` with the back end of the machine's device where a process group is
    created. Other places that name NCCL are reported, and so is a name that the file also tests.

    Why it matters on the NPU: NCCL works with CUDA only. NPUs use HCCL, the CPU uses gloo.

    Example: ``dist.init_process_group('nccl')`` becomes
    ``dist.init_process_group(torch.distributed.get_default_backend_for_device(device))``.

    Use instead: no back end at all, or the default back end of the device.
    """

    code = "ACC107"
    examples = (
        Example(
            "import torch\nimport torch.distributed as dist\n\ndef start(device: torch.device):\n"
            "    dist.init_process_group('nccl', init_method='env://')\n",
            "import torch\nimport torch.distributed as dist\n\ndef start(device: torch.device):\n"
            "    dist.init_process_group(torch.distributed.get_default_backend_for_device(device), "
            "init_method='env://')\n",
        ),
        Example(
            "import torch\nimport torch.distributed as dist\n\ndef start(device: torch.device):\n"
            "    dist.init_process_group(backend='NCCL')\n",
            "import torch\nimport torch.distributed as dist\n\ndef start(device: torch.device):\n"
            "    dist.init_process_group(backend="
            "torch.distributed.get_default_backend_for_device(device))\n",
        ),
        Example("import torch\nif backend == 'nccl':\n    torch.distributed.barrier()\n"),
        Example("import torch.distributed as dist\ndist.is_nccl_available()\n"),
        Example("import torch.distributed as dist\nassert dist.get_backend() in ['gloo', 'nccl']\n"),
        Example("class Config:\n    dist_backend: str = field(default='nccl')\n"),
        Example(
            "import torch\nimport torch.distributed as dist\n\ndef start(on_cpu, device: torch.device):\n"
            "    b = 'gloo' if on_cpu else 'nccl'\n    if b == 'nccl':\n        dist.barrier()\n"
            "    dist.init_process_group(b)\n"
        ),
        Example.unchanged("import torch\nprint('without nccl')\n"),
    )

    @on.string("nccl", "NCCL")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text not in ("nccl", "NCCL"):
            return
        passed = passed_to(ref.node)
        is_made = passed is not None and ctx.source.names.called_in(passed.call) in _MAKERS
        is_used = _is_used(ref.node, ctx)
        is_tested = is_used and _is_tested(ctx.decision(ref.node), ctx)
        if is_made or (is_used and not is_tested and parent_type(ref.node) in _ALONE):
            device, helper = device_text(ctx).device(ref.node)
            call = f"{ctx.spell(_DEFAULT)}({device})"
            fix = self.neutral([replace(ref.node, call), *helper], first_release(_DEFAULT), requires=(TORCH,))
            yield self.report(ref.node, "made", Severity.WARNING, fix=fix)
        elif _names_backend(ref.node, ctx):
            yield self.report(ref.node, "by_hand", Severity.ERROR if is_used else Severity.WARNING)

    @on.name("torch.distributed.is_nccl_available")
    def asked(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        yield self.report(ref.node, "by_hand", Severity.WARNING)


def _is_used(word: Node, ctx: Context) -> bool:
    """Whether a process group is made with a word, as the program decides or, without one, the file shows."""
    decision = ctx.decision(word)
    if decision is None:
        return backend_role(word, ctx).role is Role.CONSUMED
    return decision.outcome is Outcome.MOVES and place_of(word, decision) is WordPlace.VALUE


def _is_tested(decision: Decision | None, ctx: Context) -> bool:
    """Whether the file compares a back end with a word of the same unit, or with any where no unit is known:
    such a test stays as it is."""
    for offset in ctx.source.find_all(b"nccl"):
        node = ctx.source.node_at(offset, offset + len("nccl"))
        string = enclosing(node, "string") if node is not None else None
        other = ctx.decision(string) if string is not None else None
        if string is None or (decision is not None and (other is None or other.unit != decision.unit)):
            continue
        is_test = parent_type(string) == "comparison_operator"
        if is_test if other is None else place_of(string, other) is WordPlace.TEST:
            return True
    return False


def _names_backend(string: Node, ctx: Context) -> bool:
    """Whether a text is a back end of torch: by its place in code of torch, or by what becomes of it."""
    if ctx.imports_module("torch") and parent_type(string) in _PLACES:
        return True
    decision = ctx.decision(string)
    if decision is not None:
        return decision.outcome is Outcome.MOVES
    return backend_role(string, ctx).role in _ROLES


_ROLES = frozenset({Role.CONSUMED, Role.TEST, Role.OPTION, Role.MEMBER})
_ALONE = frozenset({"assignment", "return_statement", "conditional_expression"})
"""Where a back end is that goes on to where a process group is created."""
_PLACES = frozenset(
    {"comparison_operator", "assignment", "keyword_argument", "default_parameter", "argument_list"}
)
