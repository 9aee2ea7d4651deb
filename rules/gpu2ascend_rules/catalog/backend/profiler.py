"""NPU510, NPU511: torch.profiler, and what is asked of its results."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...data import load_json
from ...engine.context import Context
from ...engine.events import ImportRef, MemberRef, NameRef, StringRef
from ...engine.rule import Example, Rule, on
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Message, Severity
from ...text.syntax import enclosing, field, same, text_of
from .profiler_names import MODULE, NPU_MODULE, ProfilerMove, profiler_move

_TABLE = load_json("profiler")


class ProfilerName(Rule):
    """torch.profiler is used to profile CUDA.

    What it does: Moves ``profile``, ``ProfilerActivity``, ``schedule``, ``tensorboard_trace_handler`` and
    ``ProfilerAction`` to ``torch_npu.profiler``, all names of a file at once together with their imports, and
    removes arguments that torch_npu's profiler does not accept. ``record_function`` is not changed, because
    it works with both profilers. The change is only offered if activities, schedules or handlers also go to
    other code, which may take only torch's. Files that only profile the CPU are left unchanged.

    Why it matters on the NPU: torch's profiler records nothing of the NPU, and ``ProfilerActivity.CUDA`` is
    silently dropped. torch_npu's profiler accepts only its own activities and schedules: a mixture raises
    AttributeError or TypeError.

    Example: ``profile(activities=[ProfilerActivity.CUDA])`` with names imported from ``torch.profiler``.

    Use instead: the same names from ``torch_npu.profiler``, with ``ProfilerActivity.NPU``.
    """

    code = "NPU510"
    examples = (
        Example(
            "import torch\nfrom torch.profiler import profile, record_function, ProfilerActivity\n"
            "with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:\n"
            "    with record_function('step'):\n        f()\n",
            "import torch\nfrom torch.profiler import record_function\n"
            "from torch_npu.profiler import profile, ProfilerActivity\n"
            "with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]) as p:\n"
            "    with record_function('step'):\n        f()\n",
        ),
        Example(
            "import torch\np = torch.profiler.profile(\n"
            "    activities=[torch.profiler.ProfilerActivity.CUDA],\n"
            "    schedule=torch.profiler.schedule(wait=1, warmup=1, active=3),\n"
            "    on_trace_ready=torch.profiler.tensorboard_trace_handler('log'),\n)\n",
            "import torch\nimport torch_npu\np = torch_npu.profiler.profile(\n"
            "    activities=[torch_npu.profiler.ProfilerActivity.NPU],\n"
            "    schedule=torch_npu.profiler.schedule(wait=1, warmup=1, active=3),\n"
            "    on_trace_ready=torch_npu.profiler.tensorboard_trace_handler('log'),\n)\n",
        ),
        Example(
            "import torch.profiler as tp\np = tp.profile(activities=[tp.ProfilerActivity.CUDA])\n",
            "import torch_npu.profiler as tp\np = tp.profile(activities=[tp.ProfilerActivity.NPU])\n",
        ),
        Example(
            "import torch\nfrom torch import profiler\nwith profiler.profile():\n"
            "    with profiler.record_function('a'):\n        pass\n",
            "import torch\nimport torch_npu\nfrom torch import profiler\nwith torch_npu.profiler.profile():\n"
            "    with profiler.record_function('a'):\n        pass\n",
        ),
        Example(
            "import torch\nPA = torch.profiler.ProfilerActivity\n"
            "p = torch.profiler.profile(activities=[PA.CUDA])\n",
            "import torch\nimport torch_npu\nPA = torch_npu.profiler.ProfilerActivity\n"
            "p = torch_npu.profiler.profile(activities=[PA.NPU])\n",
        ),
        Example(
            "from torch.profiler import profile, tensorboard_trace_handler as handler\n"
            "p = profile(acc_events=True, on_trace_ready=handler('log', use_gzip=True), with_stack=True)\n",
            "from torch_npu.profiler import profile, tensorboard_trace_handler as handler\n"
            "p = profile(on_trace_ready=handler('log'), with_stack=True)\n",
        ),
        Example(
            "import torch\nfrom torch._C._profiler import _ExperimentalConfig as C\n"
            "p = torch.profiler.profile(with_stack=True, experimental_config=C(verbose=True))\n",
            unsafe="import torch\nimport torch_npu\nfrom torch._C._profiler import _ExperimentalConfig as C\n"
            "p = torch_npu.profiler.profile(with_stack=True)\n",
        ),
        Example(
            "from torch.profiler import ProfilerActivity\nMyProfiler(activities=[ProfilerActivity.CUDA])\n",
            unsafe="from torch_npu.profiler import ProfilerActivity\n"
            "MyProfiler(activities=[ProfilerActivity.NPU])\n",
        ),
        Example(
            "from torch.profiler import ProfilerActivity, profile\nkinds = [ProfilerActivity.CPU]\n"
            "kinds.append(ProfilerActivity.CUDA)\np = profile(activities=kinds)\n",
            "from torch_npu.profiler import ProfilerActivity, profile\nkinds = [ProfilerActivity.CPU]\n"
            "kinds.append(ProfilerActivity.NPU)\np = profile(activities=kinds)\n",
        ),
        Example("import torch\np = torch.profiler.profile()\n", version="1.5.0"),
        Example.unchanged(
            "from torch.profiler import profile, ProfilerActivity\n"
            "with profile(activities=[ProfilerActivity.CPU]) as p:\n    f()\n"
        ),
        Example.unchanged(
            "from torch.profiler import record_function\nwith record_function('a'):\n    f()\n"
        ),
        Example.unchanged("from utils import profiler\nprofiler.profile()\nACTIVITY.CUDA = 1\n"),
    )

    @on.imports(f"{MODULE}.**")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        move = profiler_move(ctx)
        if not any(same(ref.statement, statement) for statement in move.statements):
            return
        imported = ctx.source.names.imported_by(ref.statement)
        first = next(item for item in imported if item.target.startswith(MODULE))
        if same(first.node, ref.node):
            yield from self._finding(ref.node, ref.name, move, ctx)

    @on.name(f"{MODULE}.**")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        move = profiler_move(ctx)
        places = ctx.once("profiler places", lambda: {item.ref.node.id: item for item in move.places})
        place = places.get(ref.node.id)
        if place is None:
            return
        is_carried = ref.binding is not None and ref.binding.node.id in move.carried
        if place.cuda is not None or (place.node is not None and not is_carried):
            yield from self._finding(ref.node, f"{MODULE}.{place.member}", move, ctx)

    def _finding(self, node: Node, api: str, move: ProfilerMove, ctx: Context) -> Iterator[Finding]:
        if not move.concerns_cuda:
            return
        if not move.is_certain:
            yield self.report(node, "none", Severity.ERROR, api=api, kind="unsupported", version=ctx.version)
            return
        fix = self.fix(
            Applicability.SAFE if move.is_safe else Applicability.UNSAFE,
            edits=move.edits,
            requires=ctx.requires(NPU_MODULE) if self._spells_module(move) else (),
            title=Message.of("NPU510.fix"),
        )
        if move.taker:
            yield self.report(node, "moves_with_taker", Severity.WARNING, fix=fix, api=api, taker=move.taker)
            return
        key = "moves" if move.is_safe else "moves_less"
        yield self.report(node, key, Severity.WARNING, fix=fix, api=api)

    def _spells_module(self, move: ProfilerMove) -> bool:
        """Whether the new text spells ``torch_npu`` elsewhere than in an import."""
        spans = [(statement.start_byte, statement.end_byte) for statement in move.statements]
        return any(
            NPU_MODULE in edit.text and not any(start <= edit.start < end for start, end in spans)
            for edit in move.edits
        )


class ProfilerResult(Rule):
    """A profiler is asked for results that torch_npu's does not provide.

    What it does: Reports ``key_averages()``, ``events()`` and similar methods of a profiler in files that
    profile the device, and the columns of CUDA times.

    Why it matters on the NPU: The profiler of torch_npu has no such methods: AttributeError.

    Example: ``prof.key_averages().table(sort_by='cuda_time_total')``.

    Use instead: the files that ``tensorboard_trace_handler`` writes (``op_statistic.csv``,
    ``kernel_details.csv``), or ``torch.autograd.profiler.profile(use_device='npu')``, whose results have
    ``key_averages()`` with columns that name no particular device: ``device_time_total``.
    """

    code = "NPU511"
    only_with = "torch"
    examples = (
        Example(
            "from torch.profiler import profile\nwith profile() as prof:\n    f()\n"
            "print(prof.key_averages().table(sort_by='cuda_time_total'))\n"
        ),
        Example(
            "import torch_npu\nwith torch_npu.profiler.profile() as prof:\n    f()\n"
            "for e in prof.events():\n    pass\n"
        ),
        Example(
            "import torch\nwith torch.autograd.profiler.profile(use_device='npu') as p:\n    f()\n"
            "print(p.key_averages().table(sort_by='self_cuda_time_total'))\n"
        ),
        Example.unchanged(
            "import torch\nwith torch.autograd.profiler.profile() as p:\n    f()\nprint(p.key_averages())\n"
        ),
        Example.unchanged(
            "from torch.profiler import profile, ProfilerActivity as A\n"
            "with profile(activities=[A.CPU]) as p:\n    f()\nprint(p.key_averages().table())\n"
        ),
        Example.unchanged("import profiler\nlog.events()\nprofiler.key_averages()\n"),
    )

    @on.member(*_TABLE["missing_methods"])
    def method(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and self._is_profiler(ref.receiver, ctx):
            api = f"{MODULE}.profile.{ref.name}"
            yield self.report(
                ref.node, "method", Severity.ERROR, api=api, kind="unsupported", method=ref.name
            )

    @on.string("cuda_time_total", "cuda_memory_usage")
    def column(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text in _TABLE["cuda_columns"] and not self._is_asked_of_profiler(ref.node, ctx):
            yield self.report(ref.node, "column", Severity.INFORMATION, column=ref.text)

    def _is_asked_of_profiler(self, text: Node, ctx: Context) -> bool:
        """Whether a text is given to what ``key_averages()`` gives, which is reported itself."""
        node = enclosing(text, "call")
        while node is not None and node.type in ("call", "attribute"):
            name = field(node, "attribute")
            receiver = field(node, "object")
            if name is not None and receiver is not None and text_of(name) == "key_averages":
                return self._is_profiler(receiver, ctx)
            node = field(node, "function") or receiver
        return False

    def _is_profiler(self, receiver: Node, ctx: Context) -> bool:
        """Whether a receiver is a profiler of torch or torch_npu that records the device.

        One that is made in the file is known; a parameter is taken for one where the file makes no other.
        """
        made = _made_by(receiver, ctx)
        if made is not None:
            if made.startswith(f"{NPU_MODULE}."):
                return True
            return made.startswith(f"{MODULE}.") and profiler_move(ctx).concerns_cuda
        return receiver.type == "identifier" and _profiles_device(ctx)


def _made_by(receiver: Node, ctx: Context) -> str | None:
    """The qualified name of what makes a receiver: of ``f`` in ``x = f()`` or ``with f() as x``."""
    name = text_of(receiver)
    for identifier in ctx.source.identifiers(name.rpartition(".")[2]):
        target = identifier if receiver.type == "identifier" else parent_of(identifier)
        holder = parent_of(target)
        if target is None or text_of(target) != name or holder is None:
            continue
        call = field(holder, "right") if holder.type == "assignment" else None
        if holder.type == "as_pattern_target" and (outer := parent_of(holder)) is not None:
            call = outer.named_children[0]
        name = ctx.source.names.called_in(call)
        if "profile" in name:
            return name
    return None


def _profiles_device(ctx: Context) -> bool:
    """Whether the file profiles the device with torch's, or torch_npu's, profiler."""
    if ctx.imports_module(NPU_MODULE) or any(
        parent is not None and text_of(parent) == NPU_MODULE
        for parent in (parent_of(node) for node in ctx.source.identifiers("profiler"))
    ):
        return True
    move = profiler_move(ctx)
    return bool(move.places) and move.concerns_cuda
