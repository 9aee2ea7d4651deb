"""NPU204 and NPU219: what is looked up by the name of a device: entries of tables, and names made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, MemberRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role, device_flow
from ...flow.guards.kernel_tables import (
    entry_that_works,
    has_default,
    has_key,
    needs_cuda,
    role_of_made_table,
)
from ...flow.subjects.devices import DEVICES
from ...flow.templates import plain_text, string_template
from ...flow.words import is_device_text, npu_text
from ...limits.parents import parent_of
from ...model.finding import UNDECIDED, Applicability, Edit, Finding, Severity
from ...model.project.decisions import Outcome
from ...program.word_places import WordPlace, place_of
from ...renames.texts import renamed_device, takes_another
from ...text.syntax import field, text_of

_NCCL = re.compile(r"(['\"])nccl\1")
"""CUDA's back end, which what is made for the NPU does not get."""
_TABLE = "class Op:\n    def run_cpu(self):\n        pass\n\n    def run_cuda(self):\n        pass\n\n"


class DeviceTable(Rule):
    """A table by device type lacks the NPU.

    What it does: Adds an entry ``'npu'`` with the value of the entry ``'cuda'``. The change is made if the
    file looks up a device in the table, and offered if only the keys look like device types. A comprehension
    makes all keys of one text, which is renamed. A key ``'cuda'`` of any other dictionary is not changed.
    Where the entry ``'cuda'`` needs CUDA, the value of ``'cpu'`` is offered instead, unless each look-up has
    a default.

    Why it matters on the NPU: The look-up raises KeyError or, worse, silently returns the default: gloo
    instead of hccl.

    Example: ``{'cuda': 'nccl', 'cpu': 'gloo'}[device.type]``.

    Use instead: the table with a separate entry for the NPU.
    """

    code = "NPU204"
    examples = (
        Example(
            "import torch\nsize = {'cuda': 8, 'cpu': 1}[device.type]\n",
            "import torch\nsize = {'cuda': 8, 'npu': 8, 'cpu': 1}[device.type]\n",
        ),
        Example(
            'import torch\nTABLE = {\n    "xpu": 1,\n    "cuda": 2,\n}\nn = TABLE.get(x.device.type, 0)\n',
            "import torch\nTABLE = {\n"
            '    "xpu": 1,\n    "cuda": 2,\n    "npu": 2,\n}\nn = TABLE.get(x.device.type, 0)\n',
        ),
        Example(
            "import torch\nif x.device in {f'cuda:{i}': i for i in range(8)}:\n    pass\n",
            "import torch\nif x.device in {f'npu:{i}': i for i in range(8)}:\n    pass\n",
        ),
        Example(
            "import torch\nNAME = 'nccl'\nb = {'cuda': NAME, 'cpu': 'gloo'}[device.type]\n",
            "import torch\nNAME = 'nccl'\nb = {'cuda': NAME, 'npu': 'hccl', 'cpu': 'gloo'}[device.type]\n",
        ),
        Example(
            "TRAINS = {'cuda': True, 'xpu': True, 'cpu': True}\n",
            unsafe="TRAINS = {'cuda': True, 'npu': True, 'xpu': True, 'cpu': True}\n",
        ),
        Example(
            "import torch\nimport ops_cuda\nOPS = {'cuda': ops_cuda.run, 'cpu': slow}\n"
            "y = OPS[x.device.type](x)\n",
            unsafe="import torch\nimport ops_cuda\nOPS = {'cuda': ops_cuda.run, 'npu': slow, 'cpu': slow}\n"
            "y = OPS[x.device.type](x)\n",
        ),
        Example(
            "import torch\nsize = dict(cuda=8, cpu=1)[device.type]\n",
            "import torch\nsize = dict(cuda=8, npu=8, cpu=1)[device.type]\n",
        ),
        Example("SIZES = dict(cuda=8, cpu=1)\n", unsafe="SIZES = dict(cuda=8, npu=8, cpu=1)\n"),
        Example.unchanged("kw = dict(cuda=not args.cpu, epochs=3)\n"),
        Example.unchanged("kw = {'cuda': not args.cpu, 'epochs': 3}\nMetrics(**kw)\n"),
        Example.unchanged("TRAINS = {'cuda': True, 'npu': True, 'cpu': True}\n"),
        Example.unchanged("state = {'cuda_rng_state': s}\nstate['cuda'] = s\n"),
    )

    @on.string("cuda")
    def key(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        pair = parent_of(ref.node)
        if pair is None or pair.type != "pair":
            return
        decision, verdict = ctx.decision(ref.node), device_flow(ctx).role_of(ref)
        if decision is not None:
            is_key = place_of(ref.node, decision) is WordPlace.KEY
            if decision.outcome is Outcome.MOVES and is_key:
                yield from self._lacking(ref.node, pair, parent_of(pair), ctx, is_certain=True)
        elif verdict.role is Role.KEY:
            yield from self._lacking(ref.node, pair, parent_of(pair), ctx, is_certain=verdict.certain)

    @on.keyword("cuda")
    def keyword(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        role, is_certain = role_of_made_table(ref.call, ctx)
        if role is Role.KEY:
            yield from self._lacking(field(ref.node, "name"), ref.node, ref.call, ctx, is_certain=is_certain)

    def _lacking(
        self, key: Node | None, entry: Node, table: Node | None, ctx: Context, *, is_certain: bool
    ) -> Iterator[Finding]:
        value = field(entry, "value")
        if key is None or value is None or table is None or has_key("npu", table):
            return
        target = npu_text(string_template(key) if key.type == "string" else text_of(key))
        if needs_cuda(entry, ctx):
            yield from self._of_kernels(key, entry, table, target, certain=is_certain, ctx=ctx)
            return
        is_entry = entry.type == "keyword_argument" or takes_another(entry)
        edits = [_entry(key, entry, value, ctx)] if is_entry else renamed_device(key)
        applicability = Applicability.SAFE if is_certain else Applicability.UNSAFE
        fix = self.fix(applicability, edits=edits)
        message, severity = ("lacks", Severity.WARNING) if is_certain else ("may_lack", Severity.INFORMATION)
        kind = "" if is_certain else UNDECIDED
        yield self.report(key, message, severity, fix=fix, kind=kind, target=target)

    def _of_kernels(
        self, key: Node, entry: Node, table: Node, target: str, *, certain: bool, ctx: Context
    ) -> Iterator[Finding]:
        """What CUDA has in the table needs CUDA: the NPU takes the default, or what the CPU has."""
        if has_default(table, ctx):
            return
        value, fix = entry_that_works(table, ctx), None
        if value is not None:
            fix = self.fix(Applicability.UNSAFE, edits=[_entry(key, entry, value, ctx)])
        severity = Severity.ERROR if certain else Severity.INFORMATION
        yield self.report(key, "kernel", severity, fix=fix, target=target)


def _entry(key: Node, entry: Node, value: Node, ctx: Context) -> Edit:
    """The new entry after the old one, on a separate line where the old one is.

    The edit takes in the old value, so that a change of that value waits until both entries stand.
    """
    written, shown = text_of(key).replace("cuda", "npu", 1), text_of(value)
    old = field(entry, "value") or value
    texts = [plain_text(item) for item in ctx.origins(value)] if value.type != "string" else []
    added = ctx.quoted("hccl", entry) if texts == ["nccl"] else _NCCL.sub(r"\1hccl\1", shown)
    line_start = ctx.source.lines.line_span(ctx.source.lines.line_of(entry.start_byte))[0]
    indent = ctx.source.slice(line_start, entry.start_byte)
    gap = f"{ctx.source.newline}{indent}" if not indent.strip() else " "
    between = "=" if entry.type == "keyword_argument" else ": "
    return Edit(old.start_byte, old.end_byte, f"{text_of(old)},{gap}{written}{between}{added}")


class NameOfDevice(Rule):
    """A name is made of the name of a device.

    What it does: Follows the names of devices, and the ``type`` of devices, into longer texts: formatted
    strings, sums and paths. Reports those that are names which the project has for CUDA and not for the NPU:
    of a function, a class, a variable, a method, a module, a file, the entry of a table, or the key of a data
    file, in capitals too.

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
        spelled = device_flow(ctx).spelled(part, text)
        if not spelled:
            return
        from ...flow.made_names import made_name

        for expression, made in spelled:
            found = made_name(expression, made, ctx)
            if found is not None and ctx.is_first(("name of a device", found.node.id), part):
                severity = Severity.WARNING if found.has_default else Severity.ERROR
                yield self.report(found.node, "made", severity, name=found.name, missing=found.missing)
