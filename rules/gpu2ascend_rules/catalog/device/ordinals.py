"""NPU207: devices given as bare ordinals, which mean CUDA devices up to torch 2.2."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import TORCH, Context
from ...engine.events import KeywordRef, MemberRef, NameRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import device_flow
from ...flow.libraries import Origin, source_of_callee
from ...flow.subjects.device_ordinals import ordinal_arms
from ...flow.subjects.given_ordinals import (
    Shown,
    is_number_of_function,
    ordinals_given_back,
    shown_by_callers,
)
from ...flow.words import is_other_accelerator
from ...inference.kinds import Kind
from ...model.finding import Applicability, Edit, Finding, Requirement, Severity
from ...model.versions import Version
from ...receivers.evidence import is_foreign
from ...renames.texts import NAMES_THE_NPU, NPU, ordinal_as_device, ordinal_or_device
from ...text.syntax import chain_of, field, last_name, text_of

_MAKES_TENSORS = frozenset({"new_tensor", "new_zeros", "new_ones", "new_empty", "new_full", "to_empty"})


class BareOrdinal(Rule):
    """A device is given as a number.

    What it does: Up to torch 2.2, replaces a device number with ``torch.device('npu', n)``: in ``.to()``,
    ``torch.device()``, ``device=`` and ``map_location=``. An expression that is not a literal counts as a
    number if the file shows it, or if it has a name that distributed code uses for numbers. A parameter is
    judged by what its callers pass, in all files: if some pass a device, or nobody knows, the code asks
    ``isinstance(d, int)``. If a variable or the result of a function is a number only in some cases, these
    numbers become devices.

    Why it matters on the NPU: Up to torch 2.2 a bare number is the number of a CUDA device. From 2.3 on it
    refers to the current accelerator, and nothing needs to change.

    Example: ``x.to(local_rank)`` becomes ``x.to(torch.device('npu', local_rank))``.

    Use instead: ``torch.device('npu', n)``, or ``f'npu:{n}'``.
    """

    code = "NPU207"
    fails = frozenset({"ordinal"})
    last_version = Version(2, 2)
    only_with = "torch"
    examples = (
        Example(
            "import torch\nx = x.to(0)\ny = y.to(local_rank, non_blocking=True)\n",
            "import torch\nimport torch_npu\nx = x.to(torch.device('npu', 0))\n"
            "y = y.to(torch.device('npu', local_rank), non_blocking=True)\n",
            version="2.1.0",
        ),
        Example(
            "import torch\nd = torch.device(args.gpu)\nz = torch.zeros(2, device=rank)\n",
            "import torch\nimport torch_npu\nd = torch.device('npu', args.gpu)\n"
            "z = torch.zeros(2, device=torch.device('npu', rank))\n",
            version="2.2.0",
        ),
        Example(
            "import torch\nd = torch.cuda.current_device()\nmodel.to(d)\n",
            "import torch\nimport torch_npu\nd = torch.cuda.current_device()\n"
            "model.to(torch.device('npu', d))\n",
            version="1.11.0",
        ),
        Example(
            "import torch\nw = torch.load(f, map_location=rank)\n",
            "import torch\nimport torch_npu\nw = torch.load(f, map_location=torch.device('npu', rank))\n",
            version="2.0.1",
        ),
        Example(
            "import torch\ndef move(x, device=None):\n    device = device or torch.cuda.current_device()\n"
            "    return x.to(device=device)\n",
            "import torch\nimport torch_npu\ndef move(x, device=None):\n"
            "    device = device or torch.device('npu', torch.cuda.current_device())\n"
            "    return x.to(device=device)\n",
            version="2.1.0",
        ),
        Example(
            "import torch\nd = rank if ready() else 'cpu'\nx = x.to(d)\ny = torch.zeros(2, device=d)\n",
            "import torch\nimport torch_npu\nd = torch.device('npu', rank) if ready() else 'cpu'\n"
            "x = x.to(d)\ny = torch.zeros(2, device=d)\n",
            version="2.2.0",
        ),
        Example(
            "import torch\nd = rank if ready() else 'cpu'\nx = x.to(d)\nlog(d == 0)\n",
            unsafe="import torch\nimport torch_npu\nd = torch.device('npu', rank) if ready() else 'cpu'\n"
            "x = x.to(d)\nlog(d == 0)\n",
            version="2.2.0",
        ),
        Example(
            "import torch\nclass A:\n    def f(self, x):\n        self.d = x.device if x else rank\n"
            "        return x.to(self.d)\n",
            unsafe="import torch\nimport torch_npu\nclass A:\n    def f(self, x):\n"
            "        self.d = x.device if x else torch.device('npu', rank)\n        return x.to(self.d)\n",
            version="2.1.0",
        ),
        Example(
            "import torch\ndef move(x, device=0):\n    return x.to(device), torch.device(device)\n",
            "import torch\nimport torch_npu\ndef move(x, device=0):\n"
            "    return x.to(torch.device('npu', device) if isinstance(device, int) else device), "
            "(torch.device('npu', device) if isinstance(device, int) else torch.device(device))\n",
            version="2.1.0",
        ),
        Example(
            "import torch\nm = AutoModel.from_pretrained(p, device_map={'': 0, 'head': 'cpu'})\n",
            "import torch\nimport torch_npu\nm = AutoModel.from_pretrained("
            "p, device_map={'': torch.device('npu', 0), 'head': 'cpu'})\n",
            version="2.1.0",
        ),
        Example.unchanged("import torch\nx = x.to(0)\nd = torch.device(1)\n"),
        Example.unchanged(
            "import torch\ndef f(x, device: int | str | torch.device | None = None):\n    x.to(device)\n",
            version="2.1.0",
        ),
        Example.unchanged("import torch\nd = rank if ready() else 'cpu'\nx = x.to(d)\n"),
        Example.unchanged("import torch\nn = size or 0\nlog(n)\nd = d or 'cpu'\nx.to(d)\n", version="2.1.0"),
        Example.unchanged(
            "import torch\nx = x.to(device)\ny = y.to(torch.float16)\nq = q.to(unit)\nrun(device=0)\n",
            version="2.1.0",
        ),
        Example.unchanged(
            "import torch\ns = torch.cuda.memory_summary(device=rank)\nengine.allocate(device=0)\n"
            "x = x.to(torch.xpu.current_device())\n",
            version="2.1.0",
        ),
        Example.unchanged("import xgboost\nxgboost.DMatrix(x, device=0)\n", version="2.1.0"),
    )

    @on.member("to")
    def moved(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        given = ref.arguments.get("device", 0)
        if given is None or is_foreign(ref, ctx) or ctx.kind(ref.receiver) is Kind.OTHER:
            return
        yield from self._given(given.value, ctx)

    @on.name("torch.device")
    def made(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        arguments = ref.arguments
        given = arguments.at(0)
        if given is None or len(arguments.items) != 1 or arguments.unpacked:
            return
        if not _may_be_ordinal(given.value, ctx):
            return
        at = given.value.start_byte
        edits = [Edit(at, at, f"{ctx.quoted(NPU, given.value)}, ")]
        if shown_by_callers(given.value, ctx) is Shown.ALWAYS:
            yield self._finding(given.value, edits, ctx.names_the_npu)
        elif ref.call is not None and chain_of(given.value) is not None:
            name, call = text_of(given.value), text_of(ref.call)
            start, end = ref.call.start_byte, ref.call.end_byte
            edits = [
                Edit(start, start, "("),
                *edits,
                Edit(end, end, f" if isinstance({name}, int) else {call})"),
            ]
            yield self._finding(given.value, edits, ctx.names_the_npu)

    @on.keyword("device", "map_location")
    def keyword(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        function = field(ref.call, "function")
        if function is None or ref.callee_name == "torch.device" or text_of(function).endswith(".to"):
            return
        if device_flow(ctx).parameter_of(function, ref.name) is not None:
            return
        name = ref.callee_name or ""
        # The functions of torch.cuda take ordinals of CUDA devices.
        is_torch = name.startswith("torch.") and not name.startswith("torch.cuda.")
        is_method = last_name(ref.call) in _MAKES_TENSORS and (
            source_of_callee(ref.call, ctx).origin is Origin.UNKNOWN
        )
        if is_torch or is_method:
            yield from self._given(ref.value, ctx)

    @on.keyword("device_map")
    def placed(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        """``device_map={"": 0}`` of transformers and accelerate: numbers by the names of modules."""
        if ref.value.type != "dictionary":
            return
        for pair in ref.value.named_children:
            value = field(pair, "value") if pair.type == "pair" else None
            if value is not None and _is_ordinal(value, ctx):
                yield self._device_of(value, ctx)

    def _given(self, value: Node, ctx: Context) -> Iterator[Finding]:
        """What is given as a device: an ordinal, or a variable that holds one in some cases."""
        if is_number_of_function(value, ctx):
            yield self._device_of(value, ctx)
        elif not _may_be_ordinal(value, ctx):
            if ctx.kind(value) is not Kind.INTEGER:
                yield from self._assigned(value, ctx)
        elif shown_by_callers(value, ctx) is Shown.ALWAYS:
            yield self._device_of(value, ctx)
        elif chain_of(value) is not None:
            edits = ordinal_or_device(value, ctx)
            yield self._finding(value, edits, ctx.names_the_npu | {TORCH})

    @on.string("cpu")
    def given_back(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``return rank if ready() else 'cpu'``, where callers use what is returned as a device."""
        arms, only_devices = ordinals_given_back(ref.node, ctx) if ref.text == "cpu" else ((), False)
        reported: set[int] = ctx.once("ordinal arms reported", set)
        for arm in arms:
            if arm.id not in reported and _is_ordinal(arm, ctx):
                reported.add(arm.id)
                safe = Applicability.SAFE if only_devices else Applicability.UNSAFE
                yield self._device_of(arm, ctx, safe)

    def _assigned(self, variable: Node, ctx: Context) -> Iterator[Finding]:
        found = ordinal_arms(variable, ctx)
        reported: set[int] = ctx.once("ordinal arms reported", set)
        for arm in found.arms:
            if arm.id not in reported and _is_ordinal(arm, ctx):
                reported.add(arm.id)
                safe = Applicability.SAFE if found.only_devices else Applicability.UNSAFE
                yield self._device_of(arm, ctx, safe)

    def _device_of(
        self, value: Node, ctx: Context, applicability: Applicability = Applicability.SAFE
    ) -> Finding:
        edits = ordinal_as_device(value, ctx)
        return self._finding(value, edits, ctx.names_the_npu | {TORCH}, applicability)

    def _finding(
        self,
        value: Node,
        edits: list[Edit],
        requires: frozenset[Requirement],
        applicability: Applicability = Applicability.SAFE,
    ) -> Finding:
        fix = self.fix(applicability, edits=edits, requires=requires, title=NAMES_THE_NPU)
        return self.report(value, "ordinal", Severity.WARNING, fix=fix, ordinal=text_of(value))


def _may_be_ordinal(value: Node, ctx: Context) -> bool:
    """Whether a value is a number by the file itself, or by what calls give for the parameter that it is."""
    if ctx.kind(value) is Kind.INTEGER:
        return _is_ordinal(value, ctx) and shown_by_callers(value, ctx) is not Shown.NEVER
    return shown_by_callers(value, ctx) is not Shown.NEVER


def _is_ordinal(value: Node, ctx: Context) -> bool:
    """Whether a value is a number that counts CUDA devices, and not those of another accelerator."""
    if ctx.kind(value) is not Kind.INTEGER:
        return False
    return not any(is_other_accelerator(word) for word in text_of(value).split(".")[:-1] if word != "npu")
