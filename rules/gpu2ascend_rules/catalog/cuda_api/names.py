"""NPU101: names below ``torch.cuda``, where they are used."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import TORCH, Context
from ...engine.events import ImportRef, NameRef
from ...engine.registry import has_exclusive_rule
from ...engine.rule import Event, Example, Rule, on
from ...flow.guards.cuda_guards import Guard, guard_of_name
from ...flow.library_flags import flag_of_library
from ...flow.subjects.device_choices import Choice, choice_by
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...model.versions import Version
from ...renames.cuda_names import (
    CUDA,
    PRIVATE_OF_CUDA,
    Move,
    advice_for,
    is_carried,
    is_default_tensor_type,
    is_taken_by_equivalent,
    length_of_api,
    move_of,
    moves_from,
)
from ...renames.existence_tests import Asked, Fate, asked_of, fate_of, is_own, is_set, replaced_by
from ...renames.moved_arguments import naming_edits
from ...renames.qualified_names import name_becomes
from ...renames.texts import literal_becomes
from ...similar.replacements import replacement_fix
from ...text.guards import is_asked_for
from ...text.names import Certainty
from ...text.syntax import call_of

_ANSWERS = frozenset({"torch.cuda.is_available", "torch.cuda.device_count"})
_LIGHTNING = frozenset({"lightning", "lightning_fabric", "pytorch_lightning"})
"""What its trainers get is for :mod:`..third_party.lightning`."""

_PUBLIC = {
    "_CudaEventBase": "Event",
    "_CudaStreamBase": "Stream",
    "_cuda_emptyCache": "empty_cache",
    "_cuda_getCurrentRawStream": "current_stream(device).npu_stream",
    "_cuda_getCurrentStream": "current_stream",
    "_cuda_getDefaultStream": "default_stream",
    "_cuda_getDevice": "current_device",
    "_cuda_getDeviceCount": "device_count",
    "_cuda_init": "init",
    "_cuda_ipc_collect": "ipc_collect",
    "_cuda_memoryStats": "memory_stats",
    "_cuda_setDevice": "set_device",
    "_cuda_synchronize": "synchronize",
}
"""The public functions below ``torch_npu.npu`` that do the same, or give what has it."""


class CudaNamespace(Rule):
    """A name below torch.cuda is used.

    What it does: Finds every use of a name below ``torch.cuda``, however the file spells it, and renames it
    to its counterpart below ``torch_npu.npu`` if the torch_npu of the chosen version has one. Names without a
    counterpart are reported, and so are the private ones of torch's extension module, ``torch._C._cuda_*``.

    Why it matters on the NPU: torch_npu runs on the CPU build of torch, which has ``torch.cuda`` but no
    device behind it: most calls raise, and ``is_available()`` silently returns False, so the program trains
    on the CPU.

    Example: ``torch.cuda.empty_cache()`` becomes ``torch_npu.npu.empty_cache()``.

    Use instead: the same name below ``torch_npu.npu`` (``torch.npu`` is the same object).
    """

    code = "NPU101"
    fails = frozenset({"renamed_less", "replaced"})
    examples = (
        Example(
            "import torch as th\nth.cuda.empty_cache()\n",
            "import torch as th\nimport torch_npu\ntorch_npu.npu.empty_cache()\n",
        ),
        Example(
            "import torch\nsync = torch.cuda.synchronize\nsync()\n",
            "import torch\nimport torch_npu\nsync = torch_npu.npu.synchronize\nsync()\n",
        ),
        Example(
            "import torch\ntc = torch.cuda\ntc.empty_cache()\ntc.nccl.version()\n",
            "import torch\nimport torch_npu\ntc = torch_npu.npu\ntorch_npu.npu.empty_cache()\n"
            "tc.nccl.version()\n",
        ),
        Example(
            "import torch\ntorch.cuda.synchronize()\n",
            "import torch\ntorch.npu.synchronize()\n",
            version="1.5.0",
        ),
        Example(
            "import torch\nwith torch.cuda.device(1), torch.cuda.stream(s):\n    pass\n",
            "import torch\nimport torch_npu\n"
            "with torch_npu.npu.device(1), torch_npu.npu.stream(s):\n    pass\n",
        ),
        Example(
            "import torch\ns = torch.cuda.amp.GradScaler(1., 2., .5, 2000, amp)\n",
            "import torch\nimport torch_npu\n"
            "s = torch_npu.npu.amp.GradScaler(1., 2., .5, 2000, enabled=amp)\n",
        ),
        Example(
            "import torch\ng = torch.cuda.CUDAGraph()\n",
            unsafe="import torch\nimport torch_npu\ng = torch_npu.npu.NPUGraph()\n",
        ),
        Example("import torch\ntorch.cuda.comm.broadcast(x, [0, 1])\n"),
        Example("import torch\ntorch.cuda.get_arch_list()\n"),
        Example("import torch\ntorch.cuda.amp.autocast_mode.no_such(x)\n"),
        Example("import torch\ns = torch._C._cuda_getCurrentRawStream(0)\n"),
        Example("from torch._C import _cuda_clearCublasWorkspaces as clear\nclear()\n"),
        Example.unchanged(
            "import torch\nif hasattr(torch._C, '_cuda_getDevice'):\n    torch._C._get_tracing_state()\n"
        ),
        Example(
            "import torch\np = torch.cuda.get_device_properties(0)\n",
            "import torch\nfrom ascend_function import similar_api\n"
            "p = similar_api.get_device_properties(0)\n",
            version="1.8.1",
            settings=(("replace_unsupported", True),),
        ),
        Example(
            "try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.cuda.init()\n",
            "try:\n    import torch\n    import torch_npu\nexcept ImportError:\n    torch = None\n"
            "torch_npu.npu.init()\n",
        ),
        Example("import torch\nif torch.cuda.is_available():\n    import nms_cuda\n    model.cuda()\n"),
        Example.unchanged(
            "import torch\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension, CUDA_HOME\n"
            "ext = []\nif torch.cuda.is_available() and CUDA_HOME is not None:\n"
            "    ext.append(CUDAExtension('ops', ['ops.cu']))\n"
        ),
        Example.unchanged("import torch\nif torch.cuda.is_available():\n    from .ops import nms_cuda\n"),
        Example.unchanged(
            "import torch\nw = torch.load(f, map_location='cpu' if not torch.cuda.is_available() else None)\n"
        ),
        Example.unchanged(
            "import torch\nplace = None if torch.cuda.is_available() else torch.device('cpu')\n"
            "w = torch.load(f, place)\n"
        ),
        Example("import torch\nimport easyocr\nr = easyocr.Reader(['en'], gpu=torch.cuda.is_available())\n"),
        Example(
            "import torch\nE = getattr(torch.cuda, 'OutOfMemoryError', RuntimeError)\n",
            "import torch\nE = getattr(torch, 'OutOfMemoryError', RuntimeError)\n",
        ),
        Example(
            "import torch\nif hasattr(torch.cuda, 'get_arch_list'):\n    a = torch.cuda.get_arch_list()\n",
            "import torch\nimport torch_npu\nif hasattr(torch_npu.npu, 'get_arch_list'):\n"
            "    a = torch.cuda.get_arch_list()\n",
        ),
        Example.unchanged("import torch\ntorch.cuda.empty_cache = lambda: None\n"),
        Example.unchanged("import torch\ntorch.cuda.is_patched = True\nif torch.cuda.is_patched:\n    f()\n"),
        Example.unchanged("import torch\nargs.cuda = True\nargs.cuda.empty_cache()\n"),
        Example.unchanged("def f(torch):\n    torch.cuda.empty_cache()\n"),
        Example.unchanged("import torch\n# torch.cuda.empty_cache()\nx = 'torch.cuda'\n"),
    )

    @on.name("torch.cuda.**")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        api = self._api(ref, ctx)
        if has_exclusive_rule(api.name, Event.NAME) or is_default_tensor_type(ref.node, ctx):
            return
        if ctx.options.replace_unsupported:
            fix = replacement_fix(api.name, api.node, ctx)
            if fix is not None:
                yield self._replaced(api, fix, ctx)
                return
        if is_set(ref.node):
            yield from self._replacement(ref.node, ctx)
            return
        if is_carried(ref.binding, ref.root_name, ctx) or is_own(ref.name, ctx):
            return
        asked = asked_of(ref.node)
        if asked is not None:
            yield from self._test(ref, asked, ctx)
            return
        choice = choice_by(ref.node, ctx)
        if choice is Choice.FOREIGN:
            return
        flag = flag_of_library(api.node, ctx) if api.name in _ANSWERS else None
        if flag is not None:
            if flag.library not in _LIGHTNING:
                yield self.report(api.node, "flag", Severity.WARNING, api=api.name, **flag._asdict())
            return
        yield from self._used(ref, api, choice, ctx)

    def _used(self, ref: NameRef, api: NameRef, choice: Choice, ctx: Context) -> Iterator[Finding]:
        """A use whose branch decides: code for CUDA alone stays as it is."""
        guard = guard_of_name(api, ctx)
        if guard is Guard.CUDA_ONLY:
            return
        if guard is Guard.BOTH:
            yield self.report(api.node, "guards_both", Severity.ERROR, api=api.name)
            return
        move = move_of(api.name, ctx)
        if move is None:
            if not is_taken_by_equivalent(ref.node, ctx):
                yield self._without_counterpart(api, ctx)
        else:
            yield self._moved(api, move, choice, ctx)

    def _replacement(self, node: Node, ctx: Context) -> Iterator[Finding]:
        """``torch.cuda.X = f`` changes nothing for code that calls the NPU's X once it is migrated."""
        name = replaced_by(node, ctx)
        move = move_of(name, ctx) if name is not None else None
        if move is not None and move.target.startswith("torch_npu"):
            yield self.report(node, "overridden", Severity.WARNING, api=name, target=move.target)

    def _test(self, ref: NameRef, asked: Asked, ctx: Context) -> Iterator[Finding]:
        """``hasattr(torch.cuda, 'X')`` asks the module that has X on the NPU."""
        name = f"{ref.name}.{asked.name}"
        move = move_of(name, ctx)
        if fate_of(name, ctx) is Fate.STAYS:
            return
        later = moves_from(name)
        if move is None and later is not None:
            if asked.has_default:  # else the rule on the name speaks where it is used
                yield self._later(ref.node, name, later, ctx)
            return
        target = "torch_npu.npu" + ref.name.removeprefix(CUDA)
        edits: list[Edit] = []
        if move is not None and move.is_safe and not move.target.startswith(f"{target}."):
            target, _, last = move.target.rpartition(".")
            edits = literal_becomes(asked.literal, last) or []
        renaming = name_becomes(ref, target, ctx)
        requires = renaming.requires if target.startswith("torch_npu") else [TORCH]
        fix = self.fix(Applicability.SAFE, edits=[*renaming.edits, *edits], requires=requires)
        yield self.report(ref.node, "renamed", Severity.WARNING, fix=fix, api=ref.name, target=target)

    @on.name("torch._C.**")
    def private(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.root_name.count(".") < 2:  # else the import statement carries it
            yield from self._private(ref.name, ref.node, ctx)

    @on.imports("torch._C.**")
    def private_imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        yield from self._private(ref.name, ref.node, ctx)

    def _private(self, name: str, node: Node, ctx: Context) -> Iterator[Finding]:
        """A name of torch's extension module that only a build for CUDA has; the NPU's are in no table."""
        own = ".".join(name.split(".")[:3])
        last = own.rpartition(".")[2]
        if not last.startswith(PRIVATE_OF_CUDA) or is_set(node):
            return
        instead = f"torch_npu.npu.{_PUBLIC.get(last, '')}"
        if ctx.facts.npu_name_exists(instead.partition("(")[0]):
            yield self.report(node, "private_public", Severity.ERROR, api=own, instead=instead)
        else:
            yield self.report(node, "private", Severity.ERROR, api=own)

    def _api(self, ref: NameRef, ctx: Context) -> NameRef:
        """The reference cut to what is an API, so that ``Stream.x.y`` is Stream."""
        count = length_of_api(ref.name.split("."), max(ref.root_length, 3), ctx)
        return ref.cut(count) if count is not None else ref

    def _moved(self, ref: NameRef, move: Move, choice: Choice, ctx: Context) -> Finding:
        # The root of a chain names the NPU already when it is a re-binding that has moved itself.
        is_decided = choice is Choice.EDITED
        renaming = name_becomes(ref, move.target, ctx)
        fix = self.fix(
            Applicability.SAFE if move.is_safe and is_decided else Applicability.UNSAFE,
            edits=[*renaming.edits, *naming_edits(ref.name, call_of(ref.node))],
            requires=renaming.requires,
        )
        if not move.is_safe and is_asked_for(ref.node, ctx.source):
            return self._tested(ref)
        key = "renamed" if move.is_safe else "renamed_less"
        if move.is_safe and not is_decided:
            key = "chooses"
        return self.report(ref.node, key, Severity.WARNING, fix=fix, api=ref.name, target=move.target)

    def _replaced(self, ref: NameRef, fix: Fix, ctx: Context) -> Finding:
        return self.report(
            ref.node,
            "replaced",
            Severity.WARNING,
            fix=fix,
            api=ref.name,
            kind="unsupported",
            version=ctx.version,
        )

    def _later(self, node: Node, name: str, later: Version, ctx: Context) -> Finding:
        return self.report(
            node, "later", Severity.ERROR, api=name, kind="unsupported", version=ctx.version, later=later
        )

    def _tested(self, ref: NameRef) -> Finding:
        """A name that is used only where ``hasattr`` finds it, which it does not on the NPU."""
        return self.report(ref.node, "tested", Severity.INFORMATION, api=ref.name, kind="unsupported")

    def _without_counterpart(self, ref: NameRef, ctx: Context) -> Finding:
        if is_asked_for(ref.node, ctx.source):
            return self._tested(ref)
        fix = replacement_fix(ref.name, ref.node, ctx)
        if fix is not None:
            return self._replaced(ref, fix, ctx)
        advice = advice_for(ref.name)
        if ref.certainty is Certainty.AMBIGUOUS:
            advice = "ambiguous"
        later = ctx.facts.first_version_with("torch_npu.npu" + ref.name.removeprefix(CUDA))
        if advice is None and later is not None and later > ctx.version:
            return self._later(ref.node, ref.name, later, ctx)
        return self.report(
            ref.node,
            f"none_{advice}" if advice else "none",
            Severity.ERROR,
            api=ref.name,
            kind="unsupported",
            version=ctx.version,
        )
