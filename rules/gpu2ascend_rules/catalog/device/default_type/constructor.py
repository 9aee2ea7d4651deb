"""NPU217: the constructor that follows the default tensor type, but no default device."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import TORCH, Context
from ....engine.events import NameRef
from ....engine.rule import Example, Family, Rule, on
from ....limits.parents import parent_of
from ....model.finding import Applicability, Edit, Finding, Severity
from ....model.versions import Version
from ....text.syntax import field, is_field, text_of
from .defaults import moves_default_type, sets_device_type

ASKED_FROM = Version(2, 3)
"""The first version whose torch tells its default device."""
_MOVES = frozenset({"to", "type", "cuda", "npu", "cpu", "type_as"})


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
    name = "tensor-constructor"
    family = Family.DEVICE
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
