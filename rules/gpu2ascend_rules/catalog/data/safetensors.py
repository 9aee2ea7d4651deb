"""NPU805: safetensors files loaded to a device that is given as a number."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on, replace
from ...inference.kinds import Kind
from ...model.finding import Applicability, Finding, Severity
from ...text.syntax import text_of

_POSITIONS = {"safetensors.torch.load_file": 1, "safetensors.safe_open": 2, "safetensors.torch.load_model": 3}


class SafetensorsOrdinal(Rule):
    """A safetensors file is loaded to a device given as a number.

    What it does: Replaces the number ``n`` with ``'npu:n'``.

    Why it matters on the NPU: In some releases of safetensors, a bare number means a CUDA device. The string
    works in every release from 0.4.1 on.

    Example: ``load_file(path, device=0)`` becomes ``load_file(path, device='npu:0')``.

    Use instead: ``'npu:0'``.
    """

    code = "NPU805"
    examples = (
        Example(
            "from safetensors.torch import load_file\nw = load_file(p, device=0)\n"
            "v = load_file(p, local_rank)\n",
            "from safetensors.torch import load_file\nw = load_file(p, device='npu:0')\n"
            "v = load_file(p, f'npu:{local_rank}')\n",
        ),
        Example(
            "from safetensors import safe_open\nwith safe_open(p, 'pt', device=1) as f:\n    pass\n",
            "from safetensors import safe_open\nwith safe_open(p, 'pt', device='npu:1') as f:\n    pass\n",
        ),
        Example.unchanged(
            "from safetensors.torch import load_file\nw = load_file(p, device='cpu')\n"
            "v = load_file(p, device=d)\n"
            "u = load_file(p)\n"
        ),
    )

    @on.name(*_POSITIONS)
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        given = ref.arguments.get("device", _POSITIONS[ref.name])
        if given is None or ctx.kind(given.value) is not Kind.INTEGER:
            return
        target = _device(given.value, ctx)
        if target is None:
            return
        fix = self.fix(Applicability.SAFE, edits=[replace(given.value, target)], requires=ctx.names_the_npu)
        number = text_of(given.value)
        yield self.report(given.value, "ordinal", Severity.WARNING, fix=fix, api=ref.name, ordinal=number)


def _device(ordinal: Node, ctx: Context) -> str | None:
    """The device's name; ``None`` for an expression that cannot be in an f-string of old Pythons."""
    text = text_of(ordinal)
    if ordinal.type == "integer":
        return ctx.quoted(f"npu:{text}", ordinal)
    return None if set(text) & set("'\"\\\n{}") else f"f{ctx.quoted(f'npu:{{{text}}}', ordinal)}"
