"""NPU209 and NPU210: names of CUDA modules and functions given as text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role, device_flow
from ...flow.templates import plain_text
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Severity
from ...renames.cuda_names import CUDA, Move, move_of
from ...renames.names_by_text import unmovable
from ...renames.texts import part_becomes, renamed_device
from ...text.syntax import field, passed_to, text_of

_DOTTED = re.compile(r"((?:\w+\.)*)(torch\.cuda(?:\.\w+)*)")
_PATCHES = frozenset(
    {"patch", "object", "setattr", "delattr", "import_module", "locate", "resolve_name", "get_object"}
)


class TorchAttribute(Rule):
    """The attribute cuda of torch is looked up by name.

    What it does: Changes the string in ``hasattr(torch, 'cuda')`` and ``getattr(torch, 'cuda')``. Attributes
    with that name of other objects are not changed.

    Why it matters on the NPU: The CPU build of torch has a module ``cuda`` without a device behind it; the
    code that follows works on CUDA devices only.

    Example: ``getattr(torch, 'cuda').synchronize()``.

    Use instead: ``getattr(torch, device.type)``, which needs no change.
    """

    code = "NPU209"
    fails = frozenset({"cuda"})
    examples = (
        Example(
            "import torch\nif hasattr(torch, 'cuda'):\n    m = getattr(torch, \"cuda\")\n",
            "import torch\nimport torch_npu\nif hasattr(torch, 'npu'):\n    m = getattr(torch, \"npu\")\n",
        ),
        Example("import torch\nm = getattr(torch, 'cuda')\nm.nvtx.mark('a')\n"),
        Example.unchanged("import torch\nm = getattr(torch, device.type)\n"),
        Example.unchanged(
            "import torch\nif hasattr(args, 'cuda') or getattr(x, 'cuda', None):\n    setattr(a, 'cuda', 1)\n"
        ),
    )

    @on.string("cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if device_flow(ctx).role_of(ref).role is not Role.ATTRIBUTE:
            return
        fix = None
        if next(unmovable(ref, ctx), None) is None:
            edits = renamed_device(ref.node)
            fix = self.fix(Applicability.SAFE, edits=edits, requires=ctx.names_the_npu)
        yield self.report(ref.node, "cuda", Severity.WARNING, fix=fix)


class DottedName(Rule):
    """A string contains the dotted name of something below torch.cuda.

    What it does: Renames it to its counterpart if it is patched by a test, imported or looked up. In all
    other cases, and if the name is preceded by the name of another module, the change is only offered.
    Strings that contain anything else are not changed.

    Why it matters on the NPU: The migrated code no longer calls the function that the test patches, so the
    patch has no effect.

    Example: ``@patch('torch.cuda.is_available')`` becomes ``@patch('torch_npu.npu.is_available')``.

    Use instead: the name of the counterpart.
    """

    code = "NPU210"
    name = "dotted-cuda-name"
    examples = (
        Example(
            "from unittest.mock import patch\n@patch('torch.cuda.is_available')\ndef test(m):\n    pass\n",
            "from unittest.mock import patch\n@patch('torch_npu.npu.is_available')\ndef test(m):\n    pass\n",
        ),
        Example(
            'monkeypatch.setattr("torch.cuda.device_count", lambda: 2)\n',
            'monkeypatch.setattr("torch_npu.npu.device_count", lambda: 2)\n',
        ),
        Example(
            "@patch('torch.cuda.is_available')\ndef test(mock):\n    pass\n",
            "@patch('torch.npu.is_available')\ndef test(mock):\n    pass\n",
            version="1.5.0",
        ),
        Example(
            "@mock.patch('pkg.utils.torch.cuda.synchronize')\ndef test(m):\n    pass\n",
            unsafe="@mock.patch('pkg.utils.torch_npu.npu.synchronize')\ndef test(m):\n    pass\n",
        ),
        Example(
            "names = ['torch.cuda.amp.GradScaler']\n", unsafe="names = ['torch_npu.npu.amp.GradScaler']\n"
        ),
        Example("@patch('torch.cuda.nvtx.range_push')\ndef test(m):\n    pass\n"),
        Example.unchanged("x.type('torch.cuda.FloatTensor')\n"),
        Example.unchanged(
            "raise RuntimeError('torch.cuda.is_available() is False')\nprint('see torch.cuda')\n"
        ),
        Example.unchanged("import pytest\npytestmark = pytest.mark.cuda\nlog.info('torch.cuda')\n"),
    )

    @on.string("torch.cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        match = _DOTTED.fullmatch(ref.text)
        if match is None or ref.is_formatted or ref.is_bytes:
            return
        prefix, api = match[1], match[2]
        looked_up = _is_looked_up(ref.node)
        if api.endswith(("Tensor", "Storage")) or (api == CUDA and not looked_up) or _is_message(ref.node):
            return
        move = move_of(api, ctx)
        if move is None and looked_up:
            yield self.report(
                ref.node, "none", Severity.INFORMATION, api=api, kind="unsupported", version=ctx.version
            )
        elif move is not None:
            yield self._moved(ref, prefix, move, ctx, looked_up=looked_up)

    def _moved(self, ref: StringRef, prefix: str, move: Move, ctx: Context, *, looked_up: bool) -> Finding:
        is_safe = looked_up and not prefix and move.is_safe and next(unmovable(ref, ctx), None) is None
        target = _spelt(move.target, ctx)
        fix = self.fix(
            Applicability.SAFE if is_safe else Applicability.UNSAFE,
            edits=part_becomes(ref.node, len(prefix), len(ref.text), target) or (),
        )
        severity = Severity.WARNING if looked_up else Severity.INFORMATION
        return self.report(ref.node, "name", severity, fix=fix, api=ref.text[len(prefix) :], target=target)


def _spelt(target: str, ctx: Context) -> str:
    """A name below torch_npu as the chosen style spells it, whatever the file calls the module."""
    if target.startswith("torch_npu.npu") and ctx.spells_torch(target):
        return "torch.npu" + target.removeprefix("torch_npu.npu")
    return target


def _is_looked_up(string: Node) -> bool:
    """Whether a text is given to what patches, imports or looks up the object of that name."""
    passed = passed_to(string)
    if passed is not None:
        function = field(passed.call, "function")
        return function is not None and text_of(function).rpartition(".")[2] in _PATCHES
    return plain_text(field(parent_of(string), "key")) == "_target_"


def _is_message(string: Node) -> bool:
    """Whether a text stands where a person reads it: printed, logged, raised."""
    passed = passed_to(string)
    if passed is None or passed.argument.position != 0:
        return False
    function = field(passed.call, "function")
    name = text_of(function).rpartition(".")[2] if function is not None else ""
    return name in ("print", "info", "debug", "warning", "warn", "error", "skip") or name.endswith("Error")
