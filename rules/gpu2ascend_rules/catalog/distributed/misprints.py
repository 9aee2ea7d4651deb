"""NPU416 to NPU419: misprints that scripts copy from guides to distributed training."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, MemberRef, Outline, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role
from ...flow.subjects.commands import command_role
from ...limits.below import nodes_in
from ...model.finding import Applicability, Edit, Finding, Severity
from ...renames.texts import part_becomes
from ...text.syntax import OWN_SCOPES, arguments_of, field, last_name, text_of

_ADDRESS = re.compile(r"^(tcp|file|env)//:")
_WORLD_SIZE = frozenset(
    {"init_process_group", "init_distributed", "init_rpc", "TCPStore", "DistributedSampler", "spawn"}
)
_COUNTED = re.compile(r"\bfor\s+(\w+)\s+in\s+(?:\$\(|`)\s*seq\s+0\s+(2|4|8|16)\s*(?:\)|`)")
_RANK = re.compile(r"(?i)rank|device|card|\bdev\b|gpu|npu")
_WORD = re.compile(r"\w+")
_NUMBERED = re.compile(rb"for\s+(\w+)\s*,\s*\w+\s+in\s+enumerate\b")
"""The first variable of two, wherever such a loop may be."""
_SETTING = ("assignment", "augmented_assignment", "for_statement")
_OF_TENSORS = ("cuda", "npu", "to", "size", "shape", "float", "view", "unsqueeze")
_BETWEEN = rb"(?:[\s\\]|#[^\n]*\n)*"
"""What may stand around the dot of an attribute."""
_USED = rb"%b\.%b(?:%b)\b" % (_BETWEEN, _BETWEEN, "|".join(_OF_TENSORS).encode())
_NAMED = rb"%%b(?<!\w%%b)%b" % _USED
"""A name as a word of its own; what it begins with comes first, by which the places are found at once."""


def _numbers(ctx: Outline) -> frozenset[bytes]:
    """The first variables of the loops that number what they go through."""
    data = ctx.source.data
    return frozenset(_NUMBERED.findall(data)) if b"enumerate" in data else frozenset()


def _uses_a_number(ctx: Outline) -> bool:
    """Whether one of these variables may be used as a tensor somewhere."""
    patterns = (_NAMED % (name, name) for name in _numbers(ctx))
    return any(re.search(pattern, ctx.source.data) for pattern in patterns)


class MisprintedAddress(Rule):
    """The address of a rendezvous is misspelled.

    What it does: Replaces ``tcp//:`` with ``tcp://`` at the beginning of a string.

    Why it matters on the NPU: ``init_process_group`` knows no such scheme and raises, on any device.

    Example: ``init_method='tcp//:127.0.0.1:29500'``.

    Use instead: ``tcp://127.0.0.1:29500``, or ``env://``.
    """

    code = "NPU416"
    only_with = "torch"
    examples = (
        Example(
            "import torch.distributed as dist\ndist.init_process_group('hccl', 'tcp//:127.0.0.1:1')\n",
            "import torch.distributed as dist\ndist.init_process_group('hccl', 'tcp://127.0.0.1:1')\n",
        ),
        Example(
            "import torch\nparser.add_argument('--dist-url', default=f'tcp//:{host}:23456')\n",
            "import torch\nparser.add_argument('--dist-url', default=f'tcp://{host}:23456')\n",
        ),
        Example.unchanged("import torch\nurl = 'tcp://localhost:1'\nprint('write tcp:// and not tcp//:')\n"),
    )

    @on.string("tcp//", "file//", "env//")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        match = _ADDRESS.match(ref.text)
        if match is None:
            return
        edits = part_becomes(ref.node, 0, match.end(), f"{match[1]}://")
        fix = self.fix(Applicability.SAFE, edits=edits) if edits else None
        yield self.report(ref.node, "address", Severity.ERROR, fix=fix, scheme=match[1])


class MisprintedWorldSize(Rule):
    """``world_size`` is misspelled.

    What it does: Replaces ``word_size`` with ``world_size`` in calls that set up the processes.

    Why it matters on the NPU: The call raises a TypeError, on any device.

    Example: ``dist.init_process_group('hccl', word_size=8, rank=rank)``.

    Use instead: ``world_size=8``.
    """

    code = "NPU417"
    only_with = "torch"
    examples = (
        Example(
            "import torch.distributed as dist\ndist.init_process_group('hccl', word_size=8, rank=rank)\n",
            "import torch.distributed as dist\ndist.init_process_group('hccl', world_size=8, rank=rank)\n",
        ),
        Example.unchanged("import torch\nmodel = Embedding(word_size=300)\n"),
    )

    @on.keyword("word_size")
    def keyword(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        called = last_name(ref.call)
        is_torch = (ref.callee_name or "").startswith("torch.")
        name = field(ref.node, "name")
        if name is None or called not in _WORLD_SIZE or not (is_torch or called in ("init_process_group",)):
            return
        fix = self.fix(Applicability.SAFE, edits=[Edit(name.start_byte, name.end_byte, "world_size")])
        yield self.report(ref.node, "word-size", Severity.ERROR, fix=fix, api=called)


class NumberForBatch(Rule):
    """A loop uses the index of a batch as its inputs.

    What it does: Finds ``for inputs, target in enumerate(loader)`` if the first variable is then used as a
    tensor, and offers ``for _, (inputs, target) in enumerate(loader)``.

    Why it matters on the NPU: The first variable is an int, which has no methods to move it or compute with
    it: the loop raises, on any device.

    Example: ``for inputs, target in enumerate(loader): inputs = inputs.cuda()``.

    Use instead: ``for i, (inputs, target) in enumerate(loader)``.
    """

    code = "NPU418"
    only_with = "torch"
    examples = (
        Example(
            "import torch\nfor inputs, target in enumerate(loader):\n    inputs = inputs.to(device)\n",
            unsafe="import torch\nfor _, (inputs, target) in enumerate(loader):\n"
            "    inputs = inputs.to(device)\n",
        ),
        Example.unchanged("import torch\nfor i, (x, y) in enumerate(loader):\n    x = x.to(device)\n"),
        Example.unchanged("import torch\nfor i, x in enumerate(loader):\n    x = x.to(device)\n"),
        Example.unchanged(
            "import torch\nfor x, y in enumerate(loader):\n    x = torch.tensor(x)\n    x = x.to(device)\n"
        ),
    )

    @on.member(*_OF_TENSORS, needs=_uses_a_number)
    def member(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.receiver.type != "identifier":
            return
        name = text_of(ref.receiver)
        if name.encode() not in ctx.once(_numbers, lambda: _numbers(ctx)):
            return
        for loop in _loops_around(ref.node, ctx):
            target = _numbered(loop)
            if target is None or text_of(target.named_children[0]) != name:
                continue
            if _is_set_before(name, loop, ref.node) or not _is_first(name, loop, ref):
                return
            first, second = (text_of(item) for item in target.named_children)
            edit = Edit(target.start_byte, target.end_byte, f"_, ({first}, {second})")
            fix = self.fix(Applicability.UNSAFE, edits=[edit])
            yield self.report(target, "number", Severity.ERROR, fix=fix, variable=name)
            return


def _loops_around(node: Node, ctx: Context) -> Iterator[Node]:
    """The loops of the same function around a node, nearest first."""
    types = ("for_statement", *OWN_SCOPES)
    around = ctx.source.enclosing(node, *types)
    while around is not None and around.type == "for_statement":
        yield around
        around = ctx.source.enclosing(around, *types)


def _numbered(loop: Node) -> Node | None:
    """The two variables of ``for a, b in enumerate(...)``."""
    left, right = field(loop, "left"), field(loop, "right")
    if left is None or right is None or left.type != "pattern_list" or right.type != "call":
        return None
    is_plain = len(left.named_children) == 2 and all(
        item.type == "identifier" for item in left.named_children
    )
    function = field(right, "function")
    is_enumerate = text_of(function) == "enumerate"
    return left if is_plain and is_enumerate and arguments_of(right).items else None


def _is_set_before(name: str, loop: Node, use: Node) -> bool:
    """Whether the variable becomes something else in the loop, before a use of it."""
    body = field(loop, "body")
    for node in nodes_in(body) if body is not None else ():
        if node.start_byte >= use.start_byte:
            break
        left = field(node, "left") if node.type in _SETTING else None
        is_done = node.type == "for_statement" or node.end_byte <= use.start_byte
        if left is not None and is_done and name in _WORD.findall(text_of(left)):
            return True
    return False


def _is_first(name: str, loop: Node, ref: MemberRef) -> bool:
    """Whether no other use of the variable as a tensor stands before, which is the one that is reported."""
    body = field(loop, "body")
    if body is None:
        return False
    between = text_of(body).encode()[: max(ref.node.start_byte - body.start_byte, 0)]
    used = rf"\b{re.escape(name)}\.(?:{'|'.join(_OF_TENSORS)})\b"
    return re.search(used.encode(), between) is None


class OneProcessTooMany(Rule):
    """A command starts one process too many.

    What it does: Finds loops over ``seq 0 2``, ``4``, ``8`` or ``16`` in commands that use the number as a
    rank or a device, and offers to end the sequence one earlier.

    Why it matters on the NPU: ``seq`` includes its end, so ``seq 0 8`` starts nine processes, one more than
    there are devices: it fails, and the others wait for it.

    Example: ``os.system('for i in $(seq 0 8); do RANK=$i python train.py & done')``.

    Use instead: ``seq 0 7``.
    """

    code = "NPU419"
    examples = (
        Example(
            "import os\nos.system('for i in $(seq 0 8); do RANK=$i python train.py & done')\n",
            unsafe="import os\nos.system('for i in $(seq 0 7); do RANK=$i python train.py & done')\n",
        ),
        Example.unchanged(
            "import os\nos.system('for i in $(seq 0 7); do RANK=$i python train.py & done')\n"
            "os.system('for i in $(seq 0 8); do echo $i; done')\n"
            "print('for i in $(seq 0 8); do RANK=$i python train.py & done')\n"
        ),
    )

    @on.string("seq 0")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        match = _COUNTED.search(ref.text)
        if match is None or not _RANK.search(ref.text[match.end() :]):
            return
        if command_role(ref.node, ctx) is not Role.CONSUMED:
            return
        edits = part_becomes(ref.node, *match.span(2), str(int(match[2]) - 1))
        fix = self.fix(Applicability.UNSAFE, edits=edits) if edits else None
        yield self.report(ref.node, "seq", Severity.WARNING, fix=fix, end=match[2], count=int(match[2]) + 1)
