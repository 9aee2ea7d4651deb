"""NPU115: ``torch.cuda`` of a ``torch`` that the file does not show to be PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef
from ...engine.rule import Example, Rule, on
from ...flow.libraries import is_foreign_library
from ...flow.subjects.backends import BACKENDS
from ...flow.subjects.devices import DEVICES
from ...flow.templates import string_template
from ...inference.unknown_torch import UnknownUse
from ...model.finding import Finding, Severity
from ...model.project.decisions import Outcome, Place
from ...renames.cuda_names import CUDA, move_of
from ...renames.names_by_text import gives_torch
from ...text.syntax import enclosing, text_of

_QUESTIONS = frozenset({f"{CUDA}.is_available", f"{CUDA}.is_initialized", f"{CUDA}.device_count"})
_WORDS = ((b"cuda", DEVICES), (b"nccl", BACKENDS), (b"NCCL", BACKENDS))
_MOST_WORDS = 8
NPU = "torch_npu.npu"


class UnknownTorch(Rule):
    """torch.cuda is used of a torch that is not known to be PyTorch.

    What it does: Reports names such as ``torch.cuda.synchronize`` if ``torch`` is a parameter, comes from
    another library, or is an attribute such as ``self.torch``. They are not renamed. Device names and back
    ends that such a name decides over, or that decide over it, are left with it; the finding lists them.

    Why it matters on the NPU: ``torch.cuda`` finds no device there: its questions are answered with False,
    and most functions raise. A device name that is changed beside it makes the code wrong on every device.

    Example: ``def sync(torch, device): if device == 'cuda': torch.cuda.synchronize()``.

    Use instead: ``import torch`` in the module, or ``importlib.import_module('torch')``; both are migrated.
    """

    code = "NPU115"
    examples = (
        Example("def f(torch):\n    torch.cuda.empty_cache()\n"),
        Example("def f(torch):\n    return 'cuda' if torch.cuda.is_available() else 'cpu'\n"),
        Example(
            "import torch\nclass A:\n    def __init__(self, torch):\n        self.torch = torch\n"
            "    def wait(self, device):\n        if device == 'cuda':\n"
            "            self.torch.cuda.synchronize()\n"
        ),
        Example("def f(torch):\n    return torch.cuda.device_count()\n"),
        Example("def f(torch):\n    torch.cuda.get_arch_list()\n"),
        Example("import transformers\ntransformers.trainer.torch.cuda.empty_cache()\n"),
        Example("import torch\ndef f(lib=torch):\n    lib.cuda.init()\n"),
        Example.unchanged("import torch\nargs.cuda = True\nargs.cuda.empty_cache()\n"),
        Example.unchanged("import cupy\ncupy.cuda.Stream()\ndef f(x, xp):\n    xp.cuda.Stream()\n"),
        Example.unchanged("def f(torch):\n    torch.zeros(2).cuda\n    torch.cuda()\n"),
    )

    @on.member("cuda")
    def use(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        use = ctx.once(UnknownUse, lambda: _by_name(ctx)).get(ref.identifier.start_byte)
        if use is None or gives_torch(use.receiver, ctx):
            return
        if ref.receiver_name is not None and is_foreign_library(ref.receiver_name):
            return
        move = move_of(use.api, ctx)
        if move is None and use.api != CUDA:
            yield self.report(use.node, "none", Severity.ERROR, receiver=text_of(use.receiver), api=use.api)
            return
        target = move.target if move is not None else NPU
        key = "asks" if use.api in _QUESTIONS else "left"
        words = list(islice(_words_left(use, ctx), _MOST_WORDS))
        said: dict[str, Any] = {"receiver": text_of(use.receiver), "target": target}
        if words:
            key, said["words"] = f"{key}_words", ", ".join(map(str, words))
        yield self.report(use.node, key, Severity.ERROR, api=use.api, **said)


def _by_name(ctx: Context) -> dict[int, UnknownUse]:
    """The uses by where the name ``cuda`` begins."""
    return {use.name.start_byte: use for use in ctx.unknown_torch.uses}


def _words_left(use: UnknownUse, ctx: Context) -> Iterator[Place]:
    """Where the words are written that stay with a use, in whichever files."""
    seen: set[Place] = set()
    for literal in _literals(use, ctx):
        decision = ctx.decision(literal)
        if decision is None or decision.outcome is not Outcome.STAYS:
            continue
        here = Place(ctx.source.path, ctx.source.lines.line_of(literal.start_byte) + 1)
        for place in decision.words or (here,):
            if place not in seen:
                seen.add(place)
                yield place


def _literals(use: UnknownUse, ctx: Context) -> Iterator[Node]:
    for word, subject in _WORDS:
        for offset in ctx.source.find_all(word):
            if any(start <= offset < end for start, end in use.governed):
                node = ctx.source.node_at(offset, offset + len(word))
                string = enclosing(node, "string") if node is not None else None
                if string is not None and subject.is_text(string_template(string)):
                    yield string
