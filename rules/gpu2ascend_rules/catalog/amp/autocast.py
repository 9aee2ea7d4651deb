"""NPU302, NPU303, NPU305, NPU308: autocast and its companions in torch.amp, by version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...edits.removal import argument_removals, holds_comment, imported_name_removal, is_imported_name_used
from ...engine.context import Context
from ...engine.events import ImportRef, NameRef
from ...engine.rule import Example, Rule, on, replace
from ...inference.kinds import Kind
from ...model.finding import Applicability, Edit, Finding, Fix, Message, Rewrite, Severity
from ...model.versions import Version
from ...renames.qualified_names import name_becomes
from ...text.guards import is_guarded, is_version_dependent, other_imports
from ...text.syntax import Argument, Arguments, enclosing, text_of

_AUTOCAST = ("torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast")
_NPU_AUTOCAST = "torch_npu.npu.amp.autocast"
_AFTER_DEVICE = ("dtype", "enabled", "cache_enabled")
_WITH_DTYPE = Version(1, 10)
"""The first torch whose autocast takes more than ``enabled``."""


def device_word(argument: Argument | None) -> str | None:
    """The device type that an argument names literally: ``cuda``, ``npu``, ``cpu`` ..."""
    if argument is None or argument.value.type != "string":
        return None
    return text_of(argument.value).strip("rRuU").strip("'\"").partition(":")[0]


class AutocastOfTorch(Rule):
    """torch.autocast is used where torch does not know the NPU yet.

    What it does: For releases before 2.1, rewrites ``torch.autocast('cuda', ...)`` to
    ``torch_npu.npu.amp.autocast(...)``, which takes no device.

    Why it matters on the NPU: Before torch 2.1, ``torch.autocast`` accepts only 'cuda' and 'cpu'. With 'cuda'
    it disables itself on the CPU build of torch, and training runs in float32; with 'npu' it raises.

    Example: ``torch.autocast('cuda', enabled=amp)`` becomes ``torch_npu.npu.amp.autocast(enabled=amp)``.

    Use instead: ``torch_npu.npu.amp.autocast``.
    """

    code = "NPU302"
    name = "autocast-before-2-1"
    last_version = Version(2, 0)
    examples = (
        Example(
            "import torch\nwith torch.autocast('cuda'):\n    pass\n",
            "import torch\nimport torch_npu\nwith torch_npu.npu.amp.autocast():\n    pass\n",
            version="1.11.0",
        ),
        Example(
            "import torch\nwith torch.autocast(device_type='cuda', dtype=torch.float16, enabled=amp):\n"
            "    pass\n",
            "import torch\nimport torch_npu\n"
            "with torch_npu.npu.amp.autocast(dtype=torch.float16, enabled=amp):\n    pass\n",
            version="2.0.1",
        ),
        Example(
            "import torch\nwith torch.amp.autocast('cuda', torch.bfloat16, amp):\n    pass\n",
            "import torch\nimport torch_npu\n"
            "with torch_npu.npu.amp.autocast(dtype=torch.bfloat16, enabled=amp):\n    pass\n",
            version="2.0.1",
        ),
        Example(
            "import torch\nwith torch.autocast('cuda', dtype=torch.float16):\n    pass\n",
            "import torch\nimport torch_npu\nwith torch_npu.npu.amp.autocast():\n    pass\n",
            version="1.8.1",
        ),
        Example("import torch\nwith torch.autocast('cuda', dtype=dtype):\n    pass\n", version="1.8.1"),
        Example("import torch\nwith torch.autocast(device_type=device.type):\n    pass\n", version="2.0.1"),
        Example(
            "from torch import autocast, nn\n@autocast('cuda', enabled=False)\ndef f(x):\n    return x\n",
            "from torch import nn\nimport torch_npu\n@torch_npu.npu.amp.autocast(enabled=False)\n"
            "def f(x):\n    return x\n",
            version="2.0.1",
        ),
        Example("from torch import autocast, nn\n", "from torch import nn\n", version="2.0.1"),
        Example("import torch\nwith torch.autocast('cuda'):\n    pass\n", version="1.5.0"),
        Example.unchanged("import torch\nwith torch.autocast('cpu'):\n    pass\n", version="2.0.1"),
        Example.unchanged("import torch\nwith torch.autocast('cuda'):\n    pass\n", version="2.1.0"),
    )

    @on.name(*_AUTOCAST)
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        device = ref.arguments.get("device_type", 0)
        word = device_word(device)
        if word not in (None, "cuda", "npu") or enclosing(ref.node, "type") is not None:
            return
        edits = self._edits(ref, device, ctx) if word is not None else []
        if not ctx.facts.npu_name_exists(_NPU_AUTOCAST):
            yield self.report(ref.node, "none", Severity.ERROR, api=ref.name, version=ctx.version)
        elif not edits:
            yield self.report(ref.node, "device", Severity.ERROR, api=ref.name, version=ctx.version)
        else:
            fix = self.fix(
                Applicability.SAFE,
                edits=edits,
                requires=ctx.requires(_NPU_AUTOCAST),
                title=Message.of("fix.replace", text=ctx.spell(_NPU_AUTOCAST)),
            )
            yield self.report(ref.node, "moved", Severity.WARNING, fix=fix, api=ref.name, version=ctx.version)

    @on.imports(*_AUTOCAST)
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        if is_guarded(ref.statement) or is_imported_name_used(ctx.source, ref.binding, ctx.project):
            return
        is_alone = len(ctx.source.names.imported_by(ref.statement)) == 1
        fix: Fix | None = None
        if not is_alone or not holds_comment(ref.statement):
            fix = self.fix(Applicability.SAFE, edits=[imported_name_removal(ctx.source, ref.binding)])
        yield self.report(ref.node, "unused", Severity.HINT, fix=fix, api=ref.name)

    def _edits(self, ref: NameRef, device: Argument | None, ctx: Context) -> list[Edit]:
        """The changes to the call; none when a positional argument could be a dtype or a flag."""
        arguments = ref.arguments
        if ref.call is None or arguments.unpacked or device is None:
            return []
        names = _names_after_device(arguments, ctx)
        if names is None:
            return []
        gone = [device]
        if ctx.version < _WITH_DTYPE:
            dtype = arguments.get("dtype", 1)
            given = {name for _, name in names} | {item.keyword for item in arguments.items}
            if "cache_enabled" in given or not _is_half(dtype):
                return []
            names, gone = [], [device, *([dtype] if dtype is not None else [])]
        edits = [*name_becomes(ref, _NPU_AUTOCAST, ctx).edits, *argument_removals(ref.call, gone)]
        edits += [Edit(item.node.start_byte, item.node.start_byte, f"{name}=") for item, name in names]
        return edits


def _is_half(dtype: Argument | None) -> bool:
    """Whether a dtype is autocast's default."""
    return dtype is None or text_of(dtype.value) in ("torch.float16", "torch.half")


def _names_after_device(arguments: Arguments, ctx: Context) -> list[tuple[Argument, str]] | None:
    """Names for what is given by position behind the device.

    The second parameter of ``torch.autocast`` is ``enabled`` in torch 1.10 and 1.11 and ``dtype`` later.
    """
    second = arguments.at(1)
    if second is None:
        return []
    text = text_of(second.value)
    if "float16" in text or "half" in text or "dtype" in text:
        named = ((arguments.at(index), name) for index, name in enumerate(_AFTER_DEVICE, 1))
        return [(item, name) for item, name in named if item is not None]
    if ctx.kind(second.value) is Kind.BOOLEAN and arguments.at(2) is None:
        return [(second, "enabled")]
    return None


_ADDED = {
    "torch.amp.autocast": Version(1, 12),
    "torch.amp.GradScaler": Version(2, 3),
    "torch.amp.custom_fwd": Version(2, 4),
    "torch.amp.custom_bwd": Version(2, 4),
}
"""Names of torch.amp by the release that brought them."""


class TorchAmpName(Rule):
    """A name of torch.amp is used that the chosen torch does not have yet.

    What it does: Reports ``torch.amp.GradScaler`` before 2.3, and ``torch.amp.custom_fwd`` and ``custom_bwd``
    before 2.4, and offers the name below ``torch_npu.npu.amp``.

    Why it matters on the NPU: The name raises AttributeError with that release of torch.

    Example: ``torch.amp.GradScaler('cuda')`` is ``torch_npu.npu.amp.GradScaler()``.

    Use instead: the same name below ``torch_npu.npu.amp``, which takes no device.
    """

    code = "NPU303"
    fails = frozenset({"newer"})
    last_version = Version(2, 3)
    examples = (
        Example(
            "import torch\ns = torch.amp.GradScaler('cuda', enabled=amp)\n",
            unsafe="import torch\nimport torch_npu\ns = torch_npu.npu.amp.GradScaler(enabled=amp)\n",
            version="2.1.0",
        ),
        Example(
            "import torch\ns = torch.amp.GradScaler('cuda', 1., 2., .5, 2000, amp)\n",
            unsafe="import torch\nimport torch_npu\n"
            "s = torch_npu.npu.amp.GradScaler(1., 2., .5, 2000, enabled=amp)\n",
            version="2.2.0",
        ),
        Example(
            "import torch\n@torch.amp.custom_bwd(device_type='cuda')\ndef backward(ctx, g):\n    pass\n",
            unsafe="import torch\nimport torch_npu\n@torch_npu.npu.amp.custom_bwd\n"
            "def backward(ctx, g):\n    pass\n",
            version="2.3.1",
        ),
        Example(
            "from torch.amp import GradScaler, autocast\ns = GradScaler('cuda')\n",
            unsafe="from torch.amp import autocast\nimport torch_npu\ns = torch_npu.npu.amp.GradScaler()\n",
            version="2.1.0",
        ),
        Example("import torch\ns = torch.amp.GradScaler(device)\n", version="2.1.0"),
        Example("import torch\ns = torch.amp.GradScaler('cuda')\n", version="1.5.0"),
        Example.unchanged("import torch\ns = torch.amp.GradScaler('cuda')\n", version="2.3.1"),
        Example.unchanged(
            "import torch\ns = torch.amp.GradScaler(d) if TORCH_GE_2_3 else torch.cuda.amp.GradScaler()\n",
            version="2.1.0",
        ),
        Example.unchanged("import torch\nf = torch.amp.custom_fwd(device_type='cuda')\n"),
        Example.unchanged(
            "try:\n    from torch.amp import GradScaler\nexcept ImportError:\n"
            "    from own import GradScaler\ns = GradScaler()\n",
            version="2.1.0",
        ),
    )

    @on.name("torch.amp.GradScaler", "torch.amp.custom_fwd", "torch.amp.custom_bwd")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ctx.version >= _ADDED[ref.name] or is_version_dependent(ref.node):
            return
        if other_imports(ref.chain.nodes[0], ref.root_name, ctx.source):
            return  # that one is in use where this one is missing
        target = f"torch_npu.npu.amp.{ref.name.rpartition('.')[2]}"
        shown: dict[str, Any] = {"target": target, "version": ctx.version, "since": _ADDED[ref.name]}
        if not ctx.facts.npu_name_exists(target):
            yield self.report(ref.node, "none", Severity.ERROR, api=ref.name, kind="unsupported", **shown)
            return
        edits, rewrites = self._changes(ref, target, ctx)
        if not edits and not rewrites:
            yield self.report(ref.node, "newer", Severity.ERROR, api=ref.name, **shown)
            return
        fix = self.fix(
            Applicability.UNSAFE,
            edits=edits,
            rewrites=rewrites,
            requires=ctx.requires(target),
            title=Message.of("fix.replace", text=ctx.spell(target)),
        )
        yield self.report(ref.node, "newer", Severity.WARNING, fix=fix, api=ref.name, **shown)

    @on.imports(*_ADDED)
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        if ctx.version >= _ADDED[ref.name] or is_guarded(ref.statement):
            return
        fix: Fix | None = None
        if not is_imported_name_used(ctx.source, ref.binding, ctx.project):
            fix = self.fix(Applicability.UNSAFE, edits=[imported_name_removal(ctx.source, ref.binding)])
        severity = Severity.ERROR if fix is None else Severity.WARNING
        shown: dict[str, Any] = {"version": ctx.version, "since": _ADDED[ref.name]}
        yield self.report(ref.node, "imported", severity, fix=fix, api=ref.name, **shown)

    def _changes(self, ref: NameRef, target: str, ctx: Context) -> tuple[list[Edit], list[Rewrite]]:
        call, arguments = ref.call, ref.arguments
        is_scaler = ref.name == "torch.amp.GradScaler"
        device = arguments.get("device" if is_scaler else "device_type", 0)
        if call is None or arguments.unpacked or (device is None and not is_scaler):
            return [], []
        if device is not None and device_word(device) not in ("cuda", "npu"):
            return [], []
        if not is_scaler and len(arguments.items) == 1:
            return [replace(call, ctx.spell(target))], []
        steps = [("callee", ctx.spell(target))]
        if arguments.at(5) is not None:
            steps.append(("name", "5=enabled"))
        if device is not None:
            steps.append(("remove", "0") if device.position == 0 else ("drop", device.keyword or ""))
        return [], [Rewrite(call.start_byte, call.end_byte, tuple(steps))]


_STATE = {
    "torch.is_autocast_enabled": ("torch_npu.npu.is_autocast_enabled", 0),
    "torch.get_autocast_gpu_dtype": ("torch_npu.npu.get_autocast_dtype", 0),
    "torch.set_autocast_enabled": ("torch_npu.npu.set_autocast_enabled", 1),
    "torch.set_autocast_gpu_dtype": ("torch_npu.npu.set_autocast_dtype", 1),
}
"""The functions on the CUDA device's autocast state: their counterpart and how many arguments it takes.

Source: torch_npu, torch_npu/npu/autocast_utils.py.
"""


class AutocastState(Rule):
    """The autocast state of CUDA is read or set.

    What it does: Replaces ``torch.is_autocast_enabled()``, ``torch.get_autocast_gpu_dtype()`` and the
    corresponding setters with their counterparts below ``torch_npu.npu``.

    Why it matters on the NPU: Without a device argument these functions refer to CUDA. Inside autocast on the
    NPU they return False and float16, and the calling code silently takes the wrong branch.

    Example: ``torch.is_autocast_enabled()`` becomes ``torch_npu.npu.is_autocast_enabled()``.

    Use instead: the counterpart, or from 2.4 on ``torch.is_autocast_enabled('npu')``.
    """

    code = "NPU305"
    examples = (
        Example(
            "import torch\nif torch.is_autocast_enabled():\n    x = x.to(torch.get_autocast_gpu_dtype())\n",
            "import torch\nimport torch_npu\nif torch_npu.npu.is_autocast_enabled():\n"
            "    x = x.to(torch_npu.npu.get_autocast_dtype())\n",
        ),
        Example(
            "import torch\ntorch.set_autocast_enabled(False)\n",
            "import torch\nimport torch_npu\ntorch_npu.npu.set_autocast_enabled(False)\n",
        ),
        Example("import torch\nask = torch.is_autocast_enabled\n"),
        Example("import torch\nx = torch.is_autocast_enabled()\n", version="1.5.0"),
        Example.unchanged("import torch\nx = torch.is_autocast_enabled(device.type)\n"),
        Example.unchanged("import torch\nx = torch.is_autocast_enabled('cpu')\n"),
        Example.unchanged("import torch\ntorch.set_autocast_enabled('cuda', True)\n"),
        Example.unchanged("import torch\nx = torch.is_autocast_cpu_enabled()\n"),
    )

    @on.name(*_STATE)
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        target, count = _STATE[ref.name]
        arguments = ref.arguments
        if ref.call is not None and (arguments.unpacked or len(arguments.items) != count):
            return
        if ref.call is None or not ctx.facts.npu_name_exists(target):
            yield self.report(ref.node, "state", Severity.ERROR, api=ref.name)
            return
        renaming = name_becomes(ref, target, ctx)
        fix = self.fix(Applicability.SAFE, edits=renaming.edits, requires=renaming.requires)
        yield self.report(ref.node, "state", Severity.WARNING, fix=fix, api=ref.name)


class AutocastBfloat16(Rule):
    """bfloat16 is chosen for autocast where the NPU may not have it.

    What it does: For releases before 2.1, reports an autocast with ``dtype=torch.bfloat16``.

    Why it matters on the NPU: The Atlas training series, for which these releases were made, has no bfloat16;
    Atlas A2 and later have it.

    Example: ``torch.cuda.amp.autocast(dtype=torch.bfloat16)``.

    Use instead: ``torch.float16`` with a gradient scaler, or choose by ``torch_npu.npu.is_bf16_supported()``.
    """

    code = "NPU308"
    last_version = Version(2, 0)
    examples = (
        Example(
            "import torch\nwith torch.cuda.amp.autocast(dtype=torch.bfloat16):\n    pass\n", version="1.11.0"
        ),
        Example.unchanged(
            "import torch\nwith torch.cuda.amp.autocast(dtype=torch.float16):\n    pass\n", version="1.11.0"
        ),
        Example.unchanged(
            "import torch\nwith torch.cuda.amp.autocast(dtype=torch.bfloat16):\n    pass\n", version="2.1.0"
        ),
    )

    @on.name("torch.cuda.amp.autocast", _NPU_AUTOCAST, "torch.npu.amp.autocast", *_AUTOCAST)
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        dtype = ref.arguments.get("dtype", 1)
        if ref.name in _AUTOCAST and device_word(ref.arguments.get("device_type", 0)) == "cpu":
            return
        if dtype is not None and text_of(dtype.value).endswith("bfloat16"):
            yield self.report(dtype.value, "bfloat16", Severity.INFORMATION, version=ctx.version)
