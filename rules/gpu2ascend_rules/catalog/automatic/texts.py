"""AUTO104 to AUTO106: texts that transfer_to_npu does not reach, and those that it changes too much."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, StringRef
from ...engine.rule import Example, on
from ...facts.releases.transfer import is_in, patched_functions
from ...flow import Role, device_flow
from ...flow.guards.cuda_guards import Guard, guard_of
from ...inference.kinds import Kind
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Severity
from ...text.syntax import Passed, called_on, field, first_of, passed_to, text_of
from .automatic_rule import AutomaticRule

_DEVICE = re.compile(r"cuda(:(\d+|\{\}|%d)?)?")
_BY_KEYWORD = {"torch.load": "f"}
"""Functions whose only positional argument can be given by name."""
_TYPE = re.compile(r"torch\.cuda\.\w*Tensor")
_TWO_BACKENDS = "2.7.1,2.9.0-"


def _callee(passed: Passed | None, ctx: Context) -> str:
    return ctx.source.names.called_in(passed.call) if passed is not None else ""


class TransferTest(AutomaticRule):
    """A device is compared with a CUDA device.

    What it does: Reports strings that a device, its type or its name is compared with.

    Why it matters on the NPU: transfer_to_npu does not replace ``torch.device``: the device of a tensor is
    ``npu:0``, so the comparison is silently never true. For ``torch.device('cuda')`` itself it still is, and
    strings of the program, such as the value of an option, are compared as before.

    Example: ``if x.device.type == 'cuda':``.

    Use instead: ``x.is_cuda``, which is replaced, or ``x.device.type != 'cpu'``.
    """

    code = "AUTO104"
    name = "transfer-device-test"
    examples = (
        Example("import torch\nif x.device.type == 'cuda':\n    pass\n"),
        Example("import torch\nif 'cuda' in str(device):\n    pass\n"),
        Example.unchanged(
            "import torch\nimport k_cuda\n"
            "if x.device.type == 'cuda':\n    y = k_cuda.run(x)\nelse:\n    y = x\n"
        ),
        Example.unchanged("import torch\nif x.is_cuda and x.device.type != 'cpu':\n    pass\n"),
        Example.unchanged(
            "import torch\ndevice = 'cuda'\nkind = 'cuda' if 'cuda' in device else 'cpu'\n"
            "if kind == 'cuda':\n    x.to(device)\n"
        ),
        Example.unchanged("import torch\nd = torch.device('cuda')\nif d.type == 'cuda':\n    pass\n"),
    )

    @on.string("cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if guard_of(ref.node, ctx) is Guard.CUDA_ONLY:
            return  # never true is right before what needs CUDA
        if _is_compared_device(ref, ctx):
            yield self.report(ref.node, "never", Severity.ERROR, text=ref.text)
            return
        if device_flow(ctx).role_of(ref).role not in (Role.TEST, Role.MEMBER):
            return
        asked = [found for value in _compared_with(ref.node, ctx) for found in _asked_devices(value, ctx)]
        if any(text_of(device).endswith(".device") for device in asked):
            yield self.report(ref.node, "never", Severity.ERROR, text=ref.text)
        elif any(not _is_made(device, ctx) for device in asked):
            yield self.report(ref.node, "perhaps", Severity.INFORMATION, text=ref.text)


def _compared_with(node: Node, ctx: Context) -> Iterator[Node]:
    """What a text is compared with, and where that comes from."""
    test = parent_of(node)
    while test is not None and test.type in ("list", "tuple", "set", "parenthesized_expression"):
        test = parent_of(test)
    if test is None or test.type != "comparison_operator":
        receiver = field(field(test, "function") or node, "object") if test is not None else None
        if test is not None and test.type == "argument_list" and parent_of(test) is not None:
            receiver = called_on(parent_of(test))
        yield from (receiver, *ctx.origins(receiver)) if receiver is not None else ()
        return
    for other in test.named_children:
        if not (other.start_byte <= node.start_byte and node.end_byte <= other.end_byte):
            yield from (other, *ctx.origins(other))


def _asked_devices(value: Node, ctx: Context) -> Iterator[Node]:
    """The devices whose type or name an expression is; none where it is a text, which keeps its word."""
    if value.type == "attribute" and text_of(field(value, "attribute") or value) == "type":
        yield from (item for item in (field(value, "object"),) if item is not None)
    elif value.type == "call" and text_of(value).startswith(("str(", "repr(")):
        arguments = field(value, "arguments")
        yield from first_of(arguments)
    elif value.type == "attribute" and text_of(value).endswith(".device"):
        yield value
    elif value.type == "call" and (function := field(value, "function")) is not None:
        holder = field(function, "object")  # str(x.device).split(':')
        yield from _asked_devices(holder, ctx) if holder is not None else ()


def _is_made(device: Node, ctx: Context) -> bool:
    """Whether a device is made of a text in the file: that one says ``cuda`` as before."""
    origins = ctx.origins(device)
    made = [
        origin for origin in origins if origin.type == "call" and text_of(origin).startswith("torch.device")
    ]
    return bool(origins) and len(made) == len(origins)


def _is_compared_device(ref: StringRef, ctx: Context) -> bool:
    """``x.device == torch.device('cuda', 0)``."""
    passed = passed_to(ref.node)
    if _callee(passed, ctx) != "torch.device" or passed is None:
        return False
    holder = parent_of(passed.call)
    while holder is not None and holder.type in ("set", "list", "tuple"):
        holder = parent_of(holder)
    return holder is not None and holder.type == "comparison_operator"


class TransferText(AutomaticRule):
    """A positional string contains the word cuda but is not a device.

    What it does: Reports strings that are passed as positional arguments to functions that transfer_to_npu
    replaces. The path given to ``torch.load`` is passed as a keyword argument instead.

    Why it matters on the NPU: Every ``cuda`` in a positional string becomes ``npu``, even in paths:
    ``torch.load('/data/cuda_runs/m.pt')`` opens ``/data/npu_runs/m.pt``.

    Example: ``torch.load('cuda_runs/m.pt')`` becomes ``torch.load(f='cuda_runs/m.pt')``.

    Use instead: a keyword argument, or a folder with another name.
    """

    code = "AUTO105"
    examples = (
        Example(
            "import torch\nw = torch.load('cuda_runs/m.pt')\n",
            "import torch\nw = torch.load(f='cuda_runs/m.pt')\n",
        ),
        Example("import torch\nw = torch.load(f'{root}/cuda/m.pt', 'cpu')\n"),
        Example("import torch.distributed as dist\ndist.init_process_group('gloo', 'file:///x/nccl_init')\n"),
        Example.unchanged(
            "import torch\nw = torch.load(f='cuda_runs/m.pt')\nx = torch.ones(2).to('cuda:1')\n"
        ),
    )

    @on.string("cuda", "nccl")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        passed = passed_to(ref.node)
        if passed is None or passed.argument.position is None:
            return
        name = _callee(passed, ctx)
        if name not in patched_functions(ctx.version) or _DEVICE.fullmatch(ref.text) or ref.text == "nccl":
            return
        if "nccl" in ref.text and ("torch.distributed" not in name or ":nccl" in ref.text):
            return
        only = len(passed.call.children) and len(_arguments(passed)) == 1
        edits = [Edit(ref.node.start_byte, ref.node.start_byte, f"{_BY_KEYWORD.get(name, '')}=")]
        fix = self.fix(Applicability.SAFE, edits=edits) if only and name in _BY_KEYWORD else None
        is_whole = passed.argument.value.id == ref.node.id
        yield self.report(
            ref.node, "rewritten", Severity.ERROR, fix=fix if is_whole else None, api=name, text=ref.text
        )


def _arguments(passed: Passed) -> list[object]:
    holder = field(passed.call, "arguments")
    return list(holder.named_children) if holder is not None else []


class TransferUnreachedText(AutomaticRule):
    """A string is used where transfer_to_npu does not look.

    What it does: Reports tensor types given as strings, dictionaries for ``map_location``, comparisons with
    ``'nccl'``, and back ends for two devices.

    Why it matters on the NPU: ``x.type('torch.cuda.FloatTensor')`` raises. In a dictionary for
    ``map_location`` the keys are rewritten as well, so nothing matches and everything is loaded to the first
    card. ``get_backend()`` returns ``hccl``.

    Example: ``if dist.get_backend() == 'nccl':``.

    Use instead: ``x.to(device, dtype)``; ``map_location='cpu'``; ``'hccl'``.
    """

    code = "AUTO106"
    examples = (
        Example("import torch\nx = x.type('torch.cuda.FloatTensor')\n"),
        Example("import torch\nw = torch.load(f=p, map_location={'cuda:0': 'cuda:1'})\n"),
        Example("import torch.distributed as dist\nok = dist.get_backend() == 'nccl'\n"),
        Example(
            "import torch.distributed as dist\ndist.init_process_group('cpu:gloo,cuda:nccl')\n",
            version="2.6.0",
        ),
        Example("import torch\nmodel.cuda('cuda:1')\n"),
        Example.unchanged(
            "import torch.distributed as dist\ndist.init_process_group('nccl')\nx.to('cuda:1')\n"
        ),
    )

    @on.string("torch.cuda.")
    def type_text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if _TYPE.fullmatch(ref.text):
            yield self.report(ref.node, "type", Severity.ERROR, text=ref.text)

    @on.string("cuda")
    def device(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if device_flow(ctx).role_of(ref).role is Role.MAPPING:
            yield self.report(ref.node, "mapping", Severity.ERROR, text=ref.text)

    @on.member("cuda")
    def moved(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        given = ref.arguments.get("device", 0)
        if given is not None and ctx.kind(given.value) in (Kind.TEXT, Kind.DEVICE):
            yield self.report(ref.node, "moved", Severity.ERROR, text=text_of(given.value))

    @on.string("nccl")
    def backend(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        holder = parent_of(ref.node)
        if holder is not None and holder.type in ("list", "tuple", "set"):
            holder = parent_of(holder)
        if holder is not None and holder.type == "comparison_operator":
            yield self.report(ref.node, "backend", Severity.ERROR, text=ref.text)
        elif "cuda:nccl" in ref.text and not is_in(ctx.version, _TWO_BACKENDS):
            yield self.report(ref.node, "two", Severity.ERROR, text=ref.text)
