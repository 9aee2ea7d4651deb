"""NPU218: random samplers, whose generator stays on the CPU where the default device is the NPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....engine.context import TORCH, Context
from ....engine.events import NameRef
from ....engine.rule import Example, Rule, on
from ....flow.programs import ModuleReader, executed_imports, program_of
from ....limits.parents import parent_of
from ....model.finding import Applicability, Edit, Finding, Rewrite, Severity
from ....model.versions import Version
from ....text.source_file import SourceFile
from ....text.syntax import Arguments, field, is_field, start_of, text_of
from .defaults import moves_default_type, sets_device_type

ASKED_FROM = Version(2, 3)
"""The first version whose torch tells its default device."""
_MOVES = frozenset({"to", "type", "cuda", "npu", "cpu", "type_as"})
_LOADER = "torch.utils.data.DataLoader"
_GENERATOR = {
    _LOADER: 12,
    "torch.utils.data.dataloader.DataLoader": 12,
    "torch.utils.data.RandomSampler": 3,
    "torch.utils.data.sampler.RandomSampler": 3,
    "torch.utils.data.random_split": 2,
    "torch.utils.data.dataset.random_split": 2,
}
"""The place of the generator among the arguments of what draws."""
_SETTERS = ("set_default_tensor_type", "set_default_device")
"""The second is what NPU211 makes of the first."""
_OF_CPU = re.compile(r"\(\s*(?:['\"]cpu['\"]|['\"]?(?:torch\.)?\w+Tensor['\"]?)\s*\)$")
_OWN_ORDER = ("sampler", "batch_sampler")
"""Arguments beside which a loader draws no order itself."""


class TensorConstructor(Rule):
    """``torch.Tensor`` makes a tensor where the default tensor type was a CUDA type.

    What it does: Moves what ``torch.Tensor(...)`` makes to the default device, in projects whose default
    tensor type becomes a default device (NPU211), unless the code moves it. Before torch 2.3, which cannot be
    asked for its default device, it is reported.

    Why it matters on the NPU: The constructor follows the default tensor type, but not the default device:
    its tensor is on the CPU, and an operation of it and one on the NPU raises.

    Example: ``torch.cat([x, torch.Tensor([1e10])])``.

    Use instead: ``torch.tensor(values, dtype=torch.float32)``, which follows the default device.
    """

    code = "NPU217"
    is_specific = False
    examples = (
        Example(
            "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
            "far = torch.Tensor([1e10]).expand(8)\nw = torch.Tensor(2, 3).to(device)\n",
            "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
            "far = torch.Tensor([1e10]).to(torch.get_default_device()).expand(8)\n"
            "w = torch.Tensor(2, 3).to(device)\n",
        ),
        Example(
            "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\nx = torch.Tensor(2)\n",
            version="2.1.0",
        ),
        Example.unchanged("import torch\ntorch.set_default_device(device)\nx = torch.Tensor([1.0])\n"),
        Example.unchanged(
            "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
            "ok = isinstance(x, torch.Tensor)\ny = torch.Tensor([1.0], device=d)\n"
        ),
    )

    @on.name("torch.Tensor")
    def constructor(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        call = ref.call
        if call is None or not (sets_device_type(ctx) and moves_default_type(ctx)):
            return
        if ref.arguments.keyword("device") is not None or _is_moved(call):
            return
        if ctx.version < ASKED_FROM:
            yield self.report(call, "on_cpu", Severity.ERROR, api=ref.name)
            return
        text = f".to({ctx.spell('torch.get_default_device')}())"
        edits = [Edit(call.end_byte, call.end_byte, text)]
        fix = self.fix(Applicability.SAFE, edits=edits, requires={TORCH})
        yield self.report(call, "on_cpu", Severity.WARNING, fix=fix, api=ref.name)


def _is_moved(call: Node) -> bool:
    """Whether a method that chooses the device is called on what a call makes."""
    name = field(parent_of(call), "attribute") if is_field(call, "object") else None
    return text_of(name) in _MOVES


class _Module(NamedTuple):
    """A module of a program, as far as the default tensor type is concerned."""

    imports: tuple[str, ...]
    sets: bool


def _read(source: SourceFile) -> _Module:
    return _Module(executed_imports(source), _leaves_it_set(source))


def _leaves_it_set(source: SourceFile) -> bool:
    """Whether a block sets the type, and does not end with the CPU's: a model may be built in between."""
    words = sorted((word for name in _SETTERS for word in source.identifiers(name)), key=start_of)
    calls = (source.enclosing(word, "expression_statement") or word for word in words)
    last = {block.id: call for call in calls if (block := parent_of(call)) is not None}
    return not all(_OF_CPU.search(text_of(call)) for call in last.values())


_READER = ModuleReader(_read)


def _may_be_set(ctx: Context) -> bool:
    """Whether a program that the file is part of may set the type: one that starts here imports what does."""
    if b"__main__" not in ctx.source.data:
        return True
    return ctx.once(_read, lambda: any(module.sets for _, module in program_of(ctx, _READER)))


class SamplerGenerator(Rule):
    """A random order is drawn without a generator where the default tensor type was a CUDA type.

    What it does: Reports ``DataLoader(shuffle=True)``, ``RandomSampler`` and ``random_split`` without a
    generator, in programs whose default tensor type becomes a default device (NPU211). It offers a generator
    of the default device, which must be seeded where the order is to differ from one loader to the next.

    Why it matters on the NPU: They draw with a generator on the CPU, while ``torch.randperm`` makes its
    result on the default device: the first batch raises.

    Example: ``DataLoader(dataset, shuffle=True)``.

    Use instead: ``DataLoader(dataset, shuffle=True, generator=torch.Generator(device='npu'))``.
    """

    code = "NPU218"
    examples = (
        Example(
            "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
            "loader = torch.utils.data.DataLoader(d, 8, shuffle=True)\n",
            unsafe="import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
            "loader = torch.utils.data.DataLoader(d, 8, shuffle=True, "
            "generator=torch.Generator(device=torch.get_default_device()))\n",
        ),
        Example(
            "import torch\nfrom torch.utils.data import random_split, RandomSampler\n"
            "torch.set_default_tensor_type(torch.cuda.FloatTensor)\na, b = random_split(d, [8, 2])\n"
            "order = RandomSampler(a)\n",
            version="2.1.0",
        ),
        Example.unchanged(
            "import torch\nfrom torch.utils.data import DataLoader, RandomSampler\n"
            "torch.set_default_tensor_type(torch.cuda.FloatTensor)\nDataLoader(d, 8, False)\n"
            "DataLoader(d, shuffle=True, generator=g)\nDataLoader(d, shuffle=s is None, sampler=s)\n"
            "RandomSampler(d, generator=g)\nDataLoader(d)\nRandomSampler(d, True, 8, g)\n"
            "torch.utils.data.random_split(d, [8, 2], g)\n"
        ),
        Example(
            "import torch\nfrom torch.utils.data.dataloader import DataLoader\n"
            "torch.set_default_tensor_type('torch.cuda.FloatTensor')\nDataLoader(d, shuffle=True)\n",
            version="2.1.0",
        ),
        Example.unchanged("import torch\ntorch.utils.data.DataLoader(d, shuffle=True)\n"),
    )

    @on.name(*_GENERATOR)
    def drawn(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        given = ref.arguments
        if ref.call is None or given.unpacked or given.get("generator", _GENERATOR[ref.name]) is not None:
            return
        if not (sets_device_type(ctx) and moves_default_type(ctx) and _may_be_set(ctx)):
            return
        if ref.name.endswith(".DataLoader") and not _draws_order(given):
            return
        fix = None
        if ctx.version >= ASKED_FROM:
            device = ctx.spell("torch.get_default_device")
            generator = f"generator={ctx.spell('torch.Generator')}(device={device}())"
            rewrite = Rewrite(ref.call.start_byte, ref.call.end_byte, (("set", generator),))
            fix = self.fix(Applicability.UNSAFE, rewrites=[rewrite], requires={TORCH})
        is_set_here = any(True for setter in _SETTERS for _ in ctx.source.identifiers(setter))
        severity = Severity.ERROR if is_set_here else Severity.WARNING
        yield self.report(ref.node, "on_cpu", severity, fix=fix, api=ref.name)


def _draws_order(given: Arguments) -> bool:
    """Whether a loader draws the order itself."""
    shuffle = given.get("shuffle", 2)
    is_off = shuffle is None or shuffle.value.type in ("false", "none")
    return not is_off and all(given.keyword(name) is None for name in _OWN_ORDER)
