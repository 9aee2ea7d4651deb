"""NPU406 and NPU408: which device a process of a distributed run takes."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import TORCH, Context
from ...engine.events import KeywordRef, NameRef
from ...engine.rule import Example, Rule, on, replace
from ...inference.kinds import Kind
from ...inference.walk.reading import ReadingOfAny, Walk, Way
from ...inference.walk.walker import Walker
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Fix, Requirement, Severity
from ...model.versions import Version
from ...renames.texts import NAMES_THE_NPU, ordinal_as_device
from ...text.scopes import BindingKind
from ...text.syntax import ancestors, arguments_of, field, last_name, text_of

_GROUPS = ("torch.distributed.init_process_group", "torch.distributed.distributed_c10d.init_process_group")
_SHARDED = (
    "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel",
)
_RANK_VARIABLE = re.compile(r"""(?:environ(?:\.get\(|\[)|getenv\()\s*['"](LOCAL_)?RANK['"]""")
_RANK_NAMES = frozenset({"rank", "global_rank"})
_LOCAL = "local_rank"
_ALL_PROCESSES = frozenset({"None", "WORLD"})
"""What names the group of all processes, by the last part."""


class DeviceIdOrdinal(Rule):
    """The device of a process group, or of a sharded model, is given as a number.

    What it does: Replaces the number with ``torch.device('npu', n)``: for ``init_process_group`` from torch
    2.3 to 2.7, where it accepts only a device, and for ``FullyShardedDataParallel`` up to 2.2, where a number
    means a CUDA device.

    Why it matters on the NPU: torch reads the device type of the number, which has none, or takes it for a
    CUDA device that does not exist. Later releases accept numbers.

    Example: ``init_process_group('hccl', device_id=local_rank)``.

    Use instead: ``device_id=torch.device('npu', local_rank)``.
    """

    code = "NPU406"
    last_version = Version(2, 7)
    only_with = "torch"
    examples = (
        Example(
            "import torch\ntorch.distributed.init_process_group('hccl', device_id=local_rank)\n",
            "import torch\nimport torch_npu\n"
            "torch.distributed.init_process_group('hccl', device_id=torch.device('npu', local_rank))\n",
            version="2.6.0",
        ),
        Example(
            "import torch\nfrom torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
            "m = FSDP(m, device_id=torch.cuda.current_device())\n",
            "import torch\nimport torch_npu\n"
            "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
            "m = FSDP(m, device_id=torch.device('npu', torch.cuda.current_device()))\n",
            version="2.1.0",
        ),
        Example.unchanged(
            "import torch\ntorch.distributed.init_process_group('hccl', device_id=local_rank)\n"
        ),
        Example.unchanged(
            "import torch.distributed as dist\ndist.init_process_group('hccl', device_id=device)\n"
            "dist.barrier(device_ids=[local_rank])\nrun(device_id=0)\n",
            version="2.6.0",
        ),
    )

    @on.keyword("device_id")
    def given(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        wanted = _SHARDED if ctx.version < Version(2, 3) else _GROUPS
        if ref.callee_name not in wanted or ctx.kind(ref.value) is not Kind.INTEGER:
            return
        edits = ordinal_as_device(ref.value, ctx)
        requires = ctx.names_the_npu | {TORCH}
        fix = self.fix(Applicability.SAFE, edits=edits, requires=requires, title=NAMES_THE_NPU)
        api = ref.callee_name
        yield self.report(
            ref.value, "ordinal", Severity.WARNING, fix=fix, api=api, ordinal=text_of(ref.value)
        )


class GlobalRankDevice(Rule):
    """A process uses the device with its global rank.

    What it does: If ``set_device`` is given the global rank of the process, offers the local rank; if it is
    given a variable that is only named like a rank, reports it. The process index that
    ``torch.multiprocessing.spawn`` passes, ``rank % device_count()``, and the rank in a group that
    ``get_rank`` is given, are not reported.

    Why it matters on the NPU: On a second host the ranks continue after those of the first, and devices with
    these numbers do not exist: the run fails as soon as it uses more than one host.

    Example: ``torch.cuda.set_device(dist.get_rank())``.

    Use instead: ``int(os.environ['LOCAL_RANK'])``, which launchers set.
    """

    code = "NPU408"
    examples = (
        Example(
            "import torch, os\nimport torch.distributed as dist\ntorch.npu.set_device(dist.get_rank())\n",
            unsafe="import torch, os\nimport torch.distributed as dist\n"
            "torch.npu.set_device(int(os.environ['LOCAL_RANK']))\n",
        ),
        Example(
            "import torch, os\nrank = int(os.environ['RANK'])\nlocal_rank = int(os.environ['LOCAL_RANK'])\n"
            "torch.npu.set_device(rank)\n",
            unsafe="import torch, os\nrank = int(os.environ['RANK'])\n"
            "local_rank = int(os.environ['LOCAL_RANK'])\ntorch.npu.set_device(local_rank)\n",
        ),
        Example(
            "import torch\ntorch.cuda.set_device(args.rank)\nprint(args.local_rank)\n",
            unsafe="import torch\ntorch.cuda.set_device(args.local_rank)\nprint(args.local_rank)\n",
        ),
        Example("import torch\ndef main(rank):\n    torch.npu.set_device(rank)\n"),
        Example.unchanged(
            "import torch\ndef main(rank):\n    torch.npu.set_device(rank)\n"
            "torch.multiprocessing.spawn(main)\n"
        ),
        Example.unchanged(
            "import torch\nimport torch.distributed as dist\n"
            "torch.npu.set_device(dist.get_rank() % torch.npu.device_count())\n"
            "torch.npu.set_device(args.gpu)\ntorch.npu.set_device(local_rank)\n"
        ),
    )

    @on.name("torch.cuda.set_device", "torch_npu.npu.set_device", "torch.npu.set_device")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        given = ref.arguments.get("device", 0)
        if given is None or _is_spawned(ref.node, ctx):
            return
        walker = ctx.once("ranks", lambda: Walker(ctx.source, _Ranks(), ctx.instances.classes))
        rank = walker.of(given.value)
        if rank not in (_Rank.GLOBAL, _Rank.CALLED):
            return
        certain = rank is _Rank.GLOBAL
        key, severity = ("rank", Severity.WARNING) if certain else ("called_rank", Severity.INFORMATION)
        fix = self._local_rank(given.value, certain, ctx)
        yield self.report(given.value, key, severity, fix=fix, rank=text_of(given.value))

    def _local_rank(self, value: Node, certain: bool, ctx: Context) -> Fix | None:
        """The fix that takes the rank on the process's own host, by the name that the file has for it."""
        local = _local_name(value, ctx)
        requires: frozenset[Requirement] = frozenset()
        if local is None:
            if not certain:
                return None
            local, requires = "int(os.environ['LOCAL_RANK'])", frozenset({Requirement("os")})
        return self.fix(Applicability.UNSAFE, edits=[replace(value, local)], requires=requires)


class _Rank(enum.Enum):
    """What a value is among the numbers of a process."""

    GLOBAL = "the rank among all processes, by what made it"
    LOCAL = "the rank on the process's own host, by what made it"
    CALLED = "something that is merely called so"
    OTHER = "anything else"
    PENDING = "being looked into"


class _Ranks(ReadingOfAny[_Rank]):
    """Whether a value may be the global rank."""

    sought = _Rank.GLOBAL
    unknown = _Rank.OTHER
    pending = _Rank.PENDING
    ways = frozenset({Way.OPERANDS})
    guesses = True

    def joined_in_name(self, name: str, values: Iterator[_Rank]) -> _Rank:
        found = set(values)
        made = self.joined(iter(found))
        is_called = made is _Rank.OTHER and found != {_Rank.LOCAL} and name in _RANK_NAMES
        return _Rank.CALLED if is_called else made

    def unbound(self, name: str) -> _Rank | None:
        return _Rank.CALLED if name in _RANK_NAMES else None

    def settled(self, node: Node, walk: Walk[_Rank], depth: int) -> _Rank | None:
        if node.type == "call":
            inner = arguments_of(node).at(0)
            if last_name(node) == "int" and inner is not None:
                return walk.of(inner.value, depth)
            if last_name(node) == "get_rank":
                return _Rank.GLOBAL if _is_among_all(node) else _Rank.OTHER
        read = _RANK_VARIABLE.search(text_of(node)) if node.type in ("call", "subscript") else None
        if read is None:
            return None
        return _Rank.LOCAL if read[1] else _Rank.GLOBAL

    def member(self, owner: Node, name: str, walk: Walk[_Rank], depth: int) -> _Rank | None:
        return _Rank.CALLED if name in _RANK_NAMES else None


def _is_among_all(get_rank: Node) -> bool:
    """Whether a call asks for the rank among all processes: the rank in another group is mostly not that."""
    arguments = arguments_of(get_rank)
    groups = [text_of(item.value).rpartition(".")[2] for item in arguments.items]
    return not arguments.unpacked and _ALL_PROCESSES.issuperset(groups)


def _local_name(value: Node, ctx: Context) -> str | None:
    """What the file calls the rank on the host: a variable, or an attribute of the same object."""
    if value.type == "attribute":
        owner = field(value, "object")
        wanted = f"{text_of(owner)}.{_LOCAL}" if owner is not None else ""
        attributes = (parent_of(use) for use in ctx.source.identifiers(_LOCAL))
        return wanted if any(use is not None and text_of(use) == wanted for use in attributes) else None
    visible = ctx.source.names.bindings_in_scope(_LOCAL, value)
    before = any(
        item.kind is BindingKind.PARAMETER or item.node.start_byte < value.start_byte for item in visible
    )
    return _LOCAL if before else None


def _is_spawned(node: Node, ctx: Context) -> bool:
    """Whether a place is in a function that the file hands to ``spawn``: its first parameter is local."""
    functions = [parent for parent in ancestors(node) if parent.type == "function_definition"]
    names = {text_of(name) for item in functions if (name := field(item, "name")) is not None}
    for identifier in ctx.source.identifiers("spawn"):
        call = parent_of(identifier)
        call = parent_of(call) if call is not None and call.type == "attribute" else call
        target = arguments_of(call).get("fn", 0) if call is not None and call.type == "call" else None
        if target is not None and text_of(target.value) in names:
            return True
    return False
