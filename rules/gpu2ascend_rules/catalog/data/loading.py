"""NPU801: data loaders that pin memory."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role, flow_of
from ...flow.subject import Subject
from ...inference.walk.reading import Answer, MayBe, Walk
from ...inference.walk.walker import Walker
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Severity
from ...model.versions import Version
from ...text.scopes import Binding
from ...text.syntax import arguments_of, field, is_field, last_name, text_of

_STATEFUL = frozenset({"torchdata.stateful_dataloader.StatefulDataLoader"})
"""Asks for CUDA's device where torch does not tell it the device: 2.7 and 2.8 detect one, and do not."""
_LOADERS = _STATEFUL | {
    "torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader", "monai.data.DataLoader",
    "torch_geometric.loader.DataLoader", "torch_geometric.loader.NeighborLoader",
    "torch_geometric.data.DataLoader",
}  # fmt: skip
_DETECTED = Version(2, 7)
"""The first torch whose own data loaders detect the device."""
_DEVICE = "pin_memory_device"
_PINS = Subject(
    name="whether memory is pinned",
    is_text=lambda text: bool(text),
    names=lambda name: name == "pin_memory",
    part_counts=True,
    sample="True",
    of_torch=False,
    named=Role.NAMED,
)
"""Where the value of ``pin_memory`` goes."""


class PinMemoryDevice(Rule):
    """A data loader pins memory without saying for which device.

    What it does: For torch 2.0 to 2.6, adds ``pin_memory_device='npu'`` to data loaders that pin memory, and
    to dictionaries of arguments that the file unpacks into one; for 2.7 and 2.8, to torchdata's
    StatefulDataLoader. Classes of the file that derive from DataLoader count as data loaders.

    Why it matters on the NPU: Up to 2.6 a data loader pins memory for CUDA devices unless another device is
    given, so on the NPU nothing is pinned, without a message. From 2.7 on the device is detected, and from
    2.9 on the argument is deprecated; with 2.7 and 2.8, StatefulDataLoader with workers asks for a CUDA
    device, and fails.

    Example: ``DataLoader(data, pin_memory=True)``.

    Use instead: ``DataLoader(data, pin_memory=True, pin_memory_device='npu')``.
    """

    code = "NPU801"
    only_with = "torch"
    first_version = Version(2, 0)
    last_version = Version(2, 8)
    examples = (
        Example(
            "from torch.utils.data import DataLoader\n"
            "l = DataLoader(d, 32, pin_memory=True, drop_last=True)\n"
            "v = DataLoader(d, pin_memory = use_cuda)\n",
            "from torch.utils.data import DataLoader\nimport torch_npu\n"
            "l = DataLoader(d, 32, pin_memory=True, pin_memory_device='npu', drop_last=True)\n"
            "v = DataLoader(d, pin_memory = use_cuda, pin_memory_device = 'npu')\n",
            version="2.6.0",
        ),
        Example(
            "from torch.utils.data import DataLoader\nl = DataLoader(\n    d,\n    pin_memory=True,\n)\n",
            "from torch.utils.data import DataLoader\nimport torch_npu\n"
            "l = DataLoader(\n    d,\n    pin_memory=True,\n    pin_memory_device='npu',\n)\n",
            version="2.3.1",
        ),
        Example(
            "import torch\nkw = {'num_workers': 1, 'pin_memory': True} if cuda else {}\n"
            "train_kw = {'batch': 2}\n"
            "train_kw.update(kw)\nl = torch.utils.data.DataLoader(d, **train_kw)\n",
            "import torch\nimport torch_npu\n"
            "kw = {'num_workers': 1, 'pin_memory': True, 'pin_memory_device': 'npu'} if cuda else {}\n"
            "train_kw = {'batch': 2}\ntrain_kw.update(kw)\nl = torch.utils.data.DataLoader(d, **train_kw)\n",
            version="2.1.0",
        ),
        Example(
            "import torch\nkw = dict(pin_memory=True)\nl = torch.utils.data.DataLoader(d, **kw)\n",
            "import torch\nimport torch_npu\nkw = dict(pin_memory=True, pin_memory_device='npu')\n"
            "l = torch.utils.data.DataLoader(d, **kw)\n",
            version="2.0.1",
        ),
        Example(
            "from torch.utils.data import DataLoader\nclass Endless(DataLoader):\n"
            "    def __init__(self, *args, **kwargs): ...\n"
            "loader = DataLoader if weighted else Endless\nl = loader(d, pin_memory=True)\n",
            "from torch.utils.data import DataLoader\nimport torch_npu\nclass Endless(DataLoader):\n"
            "    def __init__(self, *args, **kwargs): ...\n"
            "loader = DataLoader if weighted else Endless\n"
            "l = loader(d, pin_memory=True, pin_memory_device='npu')\n",
            version="2.4.0",
        ),
        Example(
            "from functools import partial\nfrom torch.utils.data import DataLoader\n"
            "make = partial(DataLoader, pin_memory=True)\n",
            "from functools import partial\nfrom torch.utils.data import DataLoader\nimport torch_npu\n"
            "make = partial(DataLoader, pin_memory=True, pin_memory_device='npu')\n",
            version="2.5.1",
        ),
        Example(
            "from torch.utils.data import DataLoader\nl = DataLoader(d, pin_memory=cfg.get('pin', False))\n",
            unsafe="from torch.utils.data import DataLoader\nimport torch_npu\n"
            "l = DataLoader(d, pin_memory=cfg.get('pin', False), pin_memory_device='npu')\n",
            version="2.6.0",
        ),
        Example(
            "from torchdata.stateful_dataloader import StatefulDataLoader\n"
            "l = StatefulDataLoader(d, num_workers=2, pin_memory=True)\n",
            "from torchdata.stateful_dataloader import StatefulDataLoader\n"
            "l = StatefulDataLoader(d, num_workers=2, pin_memory=True, pin_memory_device='npu')\n",
            version="2.8.0",
        ),
        Example.unchanged(
            "from torchdata.stateful_dataloader import StatefulDataLoader\n"
            "l = StatefulDataLoader(d, num_workers=2, pin_memory=True)\n",
            version="2.9.0",
        ),
        Example.unchanged(
            "from torch.utils.data import DataLoader\nl = DataLoader(d, pin_memory=True)\n", version="2.7.1"
        ),
        Example.unchanged(
            "from torch.utils.data import DataLoader\nl = DataLoader(d, pin_memory=True)\n", version="1.11.0"
        ),
        Example.unchanged(
            "from torch.utils.data import DataLoader\nl = DataLoader(d, pin_memory=False)\n"
            "v = DataLoader(d, pin_memory=True, pin_memory_device=dev)\n"
            "x = torch.empty(2, pin_memory=True)\ny = x.pin_memory()\n"
            "config = {'offload': {'pin_memory': True}}\nrun(pin_memory=True)\n",
            version="2.6.0",
        ),
    )

    @on.keyword("pin_memory")
    def keyword(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if text_of(ref.value) == "False" or arguments_of(ref.call).keyword(_DEVICE) is not None:
            return
        if _makes_loader(ref.call, ctx) or _is_entry_of_loader(ref, ctx):
            equals = ctx.source.slice(ref.node.start_byte + len(ref.name), ref.value.start_byte)
            yield self._finding(ref.node, ref.value, f"{_DEVICE}{equals}{ctx.quoted('npu', ref.value)}", ctx)

    @on.string("pin_memory")
    def key(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        pair = parent_of(ref.node)
        if ref.text != "pin_memory" or pair is None or pair.type != "pair" or not is_field(ref.node, "key"):
            return
        value, dictionary = field(pair, "value"), parent_of(pair)
        if value is None or dictionary is None or text_of(value) == "False":
            return
        if _DEVICE not in text_of(dictionary) and _comes_to_loader(value, ctx):
            quote = text_of(ref.node)[-1]
            yield self._finding(pair, value, f"{quote}{_DEVICE}{quote}: {quote}npu{quote}", ctx)

    def _finding(self, node: Node, value: Node, text: str, ctx: Context) -> Finding:
        # Where nothing is pinned after all, the device makes the data loader warn.
        applicability = Applicability.UNSAFE if "False" in text_of(value) else Applicability.SAFE
        edits = [Edit(node.end_byte, node.end_byte, f",{_gap(node, ctx)}{text}")]
        fix = self.fix(applicability, edits=edits, requires=ctx.names_the_npu)
        if ctx.version >= _DETECTED:
            return self.report(node, "stateful", Severity.WARNING, fix=fix)
        return self.report(node, "device", Severity.HINT, fix=fix, version=ctx.version)


def _is_entry_of_loader(ref: KeywordRef, ctx: Context) -> bool:
    """``dict(pin_memory=True)`` and ``options.update(pin_memory=True)``."""
    return last_name(ref.call) in ("dict", "update") and _comes_to_loader(ref.value, ctx)


def _gap(node: Node, ctx: Context) -> str:
    """The separator of two arguments: a new line where the old one is on a separate line."""
    start = ctx.source.lines.line_start(ctx.source.lines.line_of(node.start_byte))
    indent = ctx.source.slice(start, node.start_byte)
    return " " if indent.strip() else f"{ctx.source.newline}{indent}"


def _makes_loader(call: Node, ctx: Context) -> bool:
    """Whether a call makes a data loader, or a function that does by ``partial``."""
    function = call if last_name(call) == "partial" else field(call, "function")
    loaders = _LOADERS if ctx.version < _DETECTED else _STATEFUL
    walker = ctx.once("data loaders", lambda: Walker(ctx.source, _Loaders(loaders), ctx.instances.classes))
    return function is not None and walker.of(function) is Answer.YES


class _Loaders(MayBe):
    """Whether something may be a class of data loaders that takes the arguments of torch's."""

    def __init__(self, loaders: frozenset[str]) -> None:
        self._loaders = loaders

    def settled(self, node: Node, walk: Walk[Answer], depth: int) -> Answer | None:
        if walk.source.names.name_of(node) in self._loaders:
            return Answer.YES
        is_applied = node.type == "call" and last_name(node) == "partial"
        first = arguments_of(node).at(0) if is_applied else None
        return walk.of(first.value, depth) if first is not None else None

    def defined(self, binding: Binding, walk: Walk[Answer], depth: int) -> Answer | None:
        bases = field(binding.statement, "superclasses")
        derived = self.joined(walk.of(base, depth) for base in bases.named_children) if bases else None
        text = text_of(binding.statement)
        takes_all = "def __init__" not in text or "**" in text  # its own parameters need not be torch's
        return derived if takes_all else None


def _comes_to_loader(value: Node, ctx: Context) -> bool:
    """Whether the entry of a dictionary is unpacked into a data loader."""
    return any(_makes_loader(call, ctx) for call in flow_of(_PINS, ctx).calls_with(value))
