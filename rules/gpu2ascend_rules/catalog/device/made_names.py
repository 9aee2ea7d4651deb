"""NPU219: names that are made of the name of a device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role, device_flow
from ...flow.made_names import made_name
from ...flow.subjects.devices import DEVICES
from ...flow.words import is_device_text
from ...model.finding import Finding, Severity

_TABLE = "class Op:\n    def run_cpu(self):\n        pass\n\n    def run_cuda(self):\n        pass\n\n"


class NameOfDevice(Rule):
    """A name is made of the name of a device.

    What it does: Follows the names of devices, and the ``type`` of devices, into longer texts: formatted
    strings, sums and paths. Reports those that are names which the project has for CUDA and not for the NPU:
    of a function, a class, a variable, a method, a module, a file, or the entry of a table.

    Why it matters on the NPU: The device is called ``npu`` there, so the expression asks for a name that does
    not exist, and raises; a search for the name does not find the expression.

    Example: ``getattr(op, f'run_{x.device.type}')``.

    Use instead: a function, module or file of that name for the NPU, or an expression that gives the NPU the
    one of CUDA.
    """

    code = "NPU219"
    examples = (
        Example(f"import torch\n{_TABLE}device = torch.device(place)\ngetattr(op, 'run_' + device.type)()\n"),
        Example(f"import torch\n{_TABLE}getattr(op, f'run_{{x.device.type}}')(x)\n"),
        Example(
            "import torch\ndef run_cuda():\n    pass\n\n"
            "kind = 'cuda'\nmodel.to(kind)\nglobals()[f'run_{kind}']()\n"
        ),
        Example(
            "import torch\nops = {'add_cpu': add, 'add_cuda': fast_add}\nops['add_' + x.device.type](x)\n"
        ),
        Example(f"import torch\n{_TABLE}run = getattr(op, f'run_{{x.device.type}}', None)\n"),
        Example.unchanged(
            f"import torch\n{_TABLE}    def run_npu(self):\n        pass\n\n"
            "getattr(op, f'run_{x.device.type}')(x)\n"
        ),
        Example.unchanged(
            "import torch\nprint(f'run_{x.device.type}')\ntorch.save(m, f'{x.device.type}.pt')\n"
        ),
    )

    @on.string(DEVICES.sample, DEVICES.counterpart)
    def word(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """A word that becomes the NPU's, or is it already."""
        word = ref.text.replace(DEVICES.counterpart, DEVICES.sample)
        if ref.is_bytes or not is_device_text(word):
            return
        decision = ctx.decision(ref.node)
        if decision is None and device_flow(ctx).role_of_value(ref.node, word).role is Role.CONSUMED:
            yield from self._made_of(ref.node, word, ctx)
        elif decision is not None and ctx.is_first_of(decision, ref.node):
            for made, name, missing in decision.names:
                said: dict[str, Any] = {"name": name, "missing": missing, "place": str(made)}
                yield self.report(ref.node, "moved", Severity.ERROR, text=ref.text, **said)

    @on.member("type")
    def type_of_device(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        """The name of the device that a tensor or module is on; much else has a type."""
        if device_flow(ctx).is_named(ref.receiver) and device_flow(ctx).is_named(ref.node):
            yield from self._made_of(ref.node, DEVICES.sample, ctx)

    def _made_of(self, part: Node, text: str, ctx: Context) -> Iterator[Finding]:
        for expression, made in device_flow(ctx).spelled(part, text):
            found = made_name(expression, made, ctx)
            if found is not None and ctx.is_first(("name of a device", found.node.id), part):
                severity = Severity.WARNING if found.has_default else Severity.ERROR
                yield self.report(found.node, "made", severity, name=found.name, missing=found.missing)
