"""NPU201 and NPU216: texts that name a CUDA device, as they are or as an expression makes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef, Outline, StringRef
from ...engine.rule import Example, Rule, on, replace
from ...flow import Role, Verdict, device_flow
from ...flow.command_line.old_words import old_argument
from ...flow.names.parameters import base_expressions
from ...flow.subjects.device_choices import is_chosen_by_cuda, is_undecided_arm, is_value_of_device_enum
from ...flow.subjects.devices import DEVICES
from ...flow.templates import UNKNOWN_PART
from ...flow.tracing.texts import Texts
from ...flow.words import is_device_text, npu_text
from ...inference.walk.reasons import way_out
from ...limits.parents import parent_of
from ...model.finding import UNDECIDED, Applicability, Finding, Fix, Severity
from ...model.project.decisions import Decision, Outcome
from ...program.word_places import WordPlace, place_of
from ...renames.texts import CUDA, NPU, renamed_device
from ...text.syntax import encloses, field, text_of

_OPTION = re.compile(r"(--?[\w-]*device[\w-]*=)cuda(:\d+)?")
"""``--device=cuda``, as one word of a command."""
_PARTS = tuple(
    re.compile(pattern)
    for pattern in (
        rb"""CUDA(?<=['"]CUDA)[\w:{}%]*['"]""",
        rb"""Cuda(?<=['"]Cuda)[\w:{}%]*['"]""",
        rb"""uda(?<=['"]uda)['":]""",
        rb"""cu(?<=['"]cu)d?['":]""",
        rb"""cuda(?<=[bB]['"]cuda)""",
    )
)
"""What a file must have one of that may become the name of a device. Each begins with a word: to search for
a choice, or for the quote before it, takes ten times as long."""


class DeviceString(Rule):
    """A string names a CUDA device.

    What it does: Follows every string of the form ``cuda`` or ``cuda:N`` to its uses, through variables,
    parameters, dictionaries, options and formatting, and renames it if it becomes a device of torch or is
    stored under a name for devices. If the file does not show how it is used, the change is only offered.
    Labels, keys, paths, messages, option names and attribute names are not changed.

    Why it matters on the NPU: ``torch.device('cuda')`` raises on the CPU build of torch that torch_npu runs
    on. If only the test of a conditional expression were renamed, the program would ask for a CUDA device
    that does not exist.

    Example: ``torch.device('cuda:0')`` becomes ``torch.device('npu:0')``.

    Use instead: ``'npu'``, ``'npu:0'``.
    """

    code = "NPU201"
    examples = (
        Example(
            "import torch\nd = torch.device('cuda', 1)\ne = torch.device(type=\"cuda\", index=0)\n",
            "import torch\nimport torch_npu\nd = torch.device('npu', 1)\n"
            'e = torch.device(type="npu", index=0)\n',
        ),
        Example(
            "import torch\nns = {'on': 'cuda:0,cuda:1'}\n"
            "ds = [torch.device(n) for n in ns['on'].split(',')]\n",
            "import torch\nimport torch_npu\nns = {'on': 'npu:0,npu:1'}\n"
            "ds = [torch.device(n) for n in ns['on'].split(',')]\n",
        ),
        Example(
            "from torch import device\nd = device('cuda:0')\n",
            "from torch import device\nimport torch_npu\nd = device('npu:0')\n",
        ),
        Example(
            "import torch as th\nx = th.ones(2, device=f'cuda:{rank}')\ny = x.to('cuda:{}'.format(i))\n"
            "z = y.to('cuda:%d' % i)\nw = z.to('cuda:' + str(i))\nv = w.to('cuda' ':0')\n"
            "u = v.to(f\"{'cuda'}:{i}\")\n",
            "import torch as th\nimport torch_npu\n"
            "x = th.ones(2, device=f'npu:{rank}')\ny = x.to('npu:{}'.format(i))\n"
            "z = y.to('npu:%d' % i)\nw = z.to('npu:' + str(i))\nv = w.to('npu' ':0')\n"
            "u = v.to(f\"{'npu'}:{i}\")\n",
        ),
        Example(
            "import torch\nd = 'cuda' if use_gpu else 'cpu'\nmodel.to(d)\n",
            "import torch\nimport torch_npu\nd = 'npu' if use_gpu else 'cpu'\nmodel.to(d)\n",
        ),
        Example(
            "import torch\nd = torch.device('cuda' if args.cuda else 'cpu')\n",
            "import torch\nimport torch_npu\nd = torch.device('npu' if args.cuda else 'cpu')\n",
        ),
        Example(
            "parser.add_argument('--device', default='cuda', help='cuda or cpu')\n",
            "parser.add_argument('--device', default='npu', help='cuda or cpu')\n",
        ),
        Example(
            "import torch\np.add_argument('--where', default='cuda')\nmodel.to(p.parse_args().where)\n",
            "import torch\nimport torch_npu\np.add_argument('--where', default='npu')\n"
            "model.to(p.parse_args().where)\n",
        ),
        Example(
            "class Config:\n    device: str = 'cuda:0'\n\ndef run(x, device='cuda'):\n    pass\n",
            "class Config:\n    device: str = 'npu:0'\n\ndef run(x, device='npu'):\n    pass\n",
        ),
        Example(
            "import torch\nw = torch.load(path, map_location='cuda:0')\n",
            "import torch\nimport torch_npu\nw = torch.load(path, map_location='npu:0')\n",
        ),
        Example(
            "import torch\ncfg = {'device': 'cuda', 'lr': 1.0}\nmodel.to(cfg['device'])\n",
            "import torch\nimport torch_npu\ncfg = {'device': 'npu', 'lr': 1.0}\nmodel.to(cfg['device'])\n",
        ),
        Example("cfg = dict(device='cuda', lr=1.0)\n", unsafe="cfg = dict(device='npu', lr=1.0)\n"),
        Example(
            "import torch\nwith torch.autocast('cuda'), torch.autocast(device_type='cuda'):\n    pass\n",
            "import torch\nimport torch_npu\n"
            "with torch.autocast('npu'), torch.autocast(device_type='npu'):\n    pass\n",
        ),
        Example(
            "import torch\ns = torch.amp.GradScaler('cuda')\n",
            "import torch\nimport torch_npu\ns = torch.amp.GradScaler('npu')\n",
        ),
        Example(
            "import torch\ng = torch.Generator(device='cuda')\ntorch.cuda.set_device('cuda:1')\n",
            "import torch\nimport torch_npu\n"
            "g = torch.Generator(device='npu')\ntorch.cuda.set_device('npu:1')\n",
        ),
        Example(
            "import torch_npu\ntorch_npu.npu.set_device(f'cuda:{rank}')\n",
            "import torch_npu\ntorch_npu.npu.set_device(f'npu:{rank}')\n",
        ),
        Example(
            "import torch\nd = torch.device('cuda')\n",
            "import torch\nd = torch.device('npu')\n",
            version="1.5.0",
        ),
        Example(
            "import torch\nfrom lib import make\nenv = make(sim_device='cuda:0' if use else 'cpu')\n",
            unsafe="import torch\nimport torch_npu\nfrom lib import make\n"
            "env = make(sim_device='npu:0' if use else 'cpu')\n",
        ),
        Example(
            "import torch\nimport lib\nlib.run('cuda')\n",
            unsafe="import torch\nimport torch_npu\nimport lib\nlib.run('npu')\n",
        ),
        Example(
            "import subprocess\nsubprocess.run(['python', 't.py', '--device', 'cuda', '--my-device=cuda'])\n",
            unsafe="import subprocess\n"
            "subprocess.run(['python', 't.py', '--device', 'npu', '--my-device=npu'])\n",
        ),
        Example(
            "from enum import StrEnum, auto\nclass Kind(StrEnum):\n    CPU = auto()\n    CUDA = auto()\n",
            unsafe="from enum import StrEnum, auto\nclass Kind(StrEnum):\n    CPU = auto()\n"
            "    CUDA = 'npu'\n",
        ),
        Example.unchanged(
            "from enum import StrEnum, auto\nclass Kind(StrEnum):\n    NPU = auto()\n    CUDA = auto()\n"
        ),
        Example.unchanged("import torch\nwith torch.autocast('cuda'):\n    pass\n", version="2.0.1"),
        Example.unchanged("parser.add_argument('--cuda', action='store_true')\nif args.cuda:\n    pass\n"),
        Example.unchanged("import torch\nok = getattr(args, 'cuda')\nno = vars(args)['cuda']\n"),
        Example.unchanged("import torch\nkw = {'cuda': not args.cpu}\nMetrics(**kw)\n"),
        Example.unchanged("import torch\nprint('cuda')\nlog.info(f'CUDA:{i} cuda:0 used')\nopen('cuda')\n"),
        Example.unchanged(
            "import os\np = os.path.join('csrc', 'cuda')\nq = root / 'cuda'\nu = 'cuda' + '/x.cu'\n"
        ),
        Example.unchanged("import torch\nlibraries += ['cuda', 'torch_cuda']\n"),
        Example(
            "import torch\ndevices = []\ndevices += ['cuda:1']\nfor d in devices:\n    model.to(d)\n",
            "import torch\nimport torch_npu\ndevices = []\ndevices += ['npu:1']\nfor d in devices:\n"
            "    model.to(d)\n",
        ),
        Example.unchanged("from xgboost import XGBClassifier\nXGBClassifier(device='cuda')\n"),
        Example.unchanged(
            "import torch\nraw = b'cuda'\nfor m in ('cuda', 'half', 'eval'):\n    getattr(x, m)()\n"
        ),
    )

    @on.string("cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        decision = ctx.decision(ref.node)
        if decision is not None:
            if place_of(ref.node, decision) is WordPlace.VALUE:
                yield from self._decided(ref, decision, ctx)
            elif decision.outcome is Outcome.HELD and ctx.is_first_here(decision, ref.node):
                yield self._held(ref, decision)
            return
        verdict = device_flow(ctx).role_of(ref)
        if verdict.role is Role.CONSUMED or _is_asked_for(ref.node, verdict, ctx):
            yield self._finding(ref, ctx, "device", Applicability.SAFE, Severity.WARNING)
        elif old_argument(ref.node, ref.text, ctx) is not None:
            return  # the rule on launched commands says so
        elif verdict.role is Role.UNKNOWN or self._is_undecided(ref, ctx):
            reason = way_out(verdict.node or parent_of(ref.node))
            yield self._finding(ref, ctx, "unsure", Applicability.UNSAFE, Severity.INFORMATION, reason=reason)
        elif (option := _OPTION.fullmatch(ref.text)) is not None and not ref.is_formatted:
            yield self._option(ref, option, ctx)

    @on.name("enum.auto")
    def member(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """A member of an enumeration of texts, whose value is its name in small letters."""
        name = field(ctx.source.enclosing(ref.node, "assignment"), "left")
        owner = ctx.source.enclosing(ref.node, "class_definition")
        text = text_of(name).lower()
        if owner is None or name is None or ref.call is None or text != CUDA or DEVICES.handled(name, ctx):
            return
        if any(base.endswith("StrEnum") for base in map(text_of, base_expressions(owner))):
            fix = self.fix(Applicability.UNSAFE, edits=[replace(ref.call, ctx.quoted(NPU, ref.call))])
            said = {"text": text, "target": NPU}
            yield self.report(ref.call, "member", Severity.WARNING, fix=fix, kind=UNDECIDED, **said)

    def _decided(self, ref: StringRef, decision: Decision, ctx: Context) -> Iterator[Finding]:
        if decision.outcome is Outcome.MOVES:
            yield self._finding(ref, ctx, "device", Applicability.SAFE, Severity.WARNING)
        elif decision.waits_for_choice:
            served = ", ".join(map(str, decision.served))
            said: dict[str, Any] = {"text": ref.text, "target": npu_text(ref.text), "served": served}
            yield self.report(ref.node, "served", Severity.INFORMATION, **said)
        elif decision.outcome is Outcome.HELD and ctx.is_first_here(decision, ref.node):
            yield self._held(ref, decision)

    def _held(self, ref: StringRef, decision: Decision) -> Finding:
        held = ", ".join(map(str, decision.held))
        return self.report(ref.node, "held", Severity.ERROR, text=ref.text, held=held)

    def _is_undecided(self, ref: StringRef, ctx: Context) -> bool:
        """Whether it is chosen by a test of a device, and kept where nothing shows what it is for."""
        is_device = not ref.is_bytes and is_device_text(ref.text)
        return is_device and is_undecided_arm(ref.node, ctx)

    def _option(self, ref: StringRef, option: re.Match[str], ctx: Context) -> Finding:
        edits = renamed_device(ref.node, len(option[1]))
        fix = self.fix(Applicability.UNSAFE, edits=edits, requires=ctx.names_the_npu)
        target = f"{option[1]}npu{option[2] or ''}"
        reason = way_out(parent_of(ref.node))
        return self.report(
            ref.node,
            "unsure",
            Severity.INFORMATION,
            fix=fix,
            kind=UNDECIDED,
            text=ref.text,
            target=target,
            reason=reason,
        )

    def _finding(
        self,
        ref: StringRef,
        ctx: Context,
        key: str,
        applicability: Applicability,
        severity: Severity,
        **said: Any,
    ) -> Finding:
        edits = renamed_device(ref.node)
        fix = self.fix(applicability, edits=edits, requires=ctx.names_the_npu)
        kind = UNDECIDED if applicability is Applicability.UNSAFE else ""
        said = {"text": ref.text, "target": npu_text(ref.text), **said}
        return self.report(ref.node, key, severity, fix=fix, kind=kind, **said)


def _is_asked_for(string: Node, verdict: Verdict, ctx: Context) -> bool:
    """Whether a test for CUDA, or the values beside it, show that an unknown text is a device."""
    if verdict.role is not Role.UNKNOWN:
        return False
    is_chosen = not verdict.library and is_chosen_by_cuda(string, ctx)
    return is_chosen or is_value_of_device_enum(string, ctx)


def _has_parts(ctx: Outline) -> bool:
    return any(pattern.search(ctx.source.data) for pattern in _PARTS)


class ComposedDevice(Rule):
    """The name of a CUDA device is made of other texts.

    What it does: Computes what ``+``, ``%``, ``format``, ``join``, ``lower``, ``replace``, ``decode``, slices
    and formatted strings make of literals, and reports what is the name of a CUDA device and becomes a device
    of torch. Where all of that name is known, the NPU's takes its place.

    Why it matters on the NPU: ``torch.device('CUDA'.lower())`` raises without CUDA like ``'cuda'``, and a
    search for the name does not find it.

    Example: ``torch.device('CUDA'.lower())`` becomes ``torch.device('npu')``.

    Use instead: ``'npu'``, ``'npu:0'``.
    """

    code = "NPU216"
    only_with = "torch"
    fails = frozenset({"composed"})
    examples = (
        Example(
            "import torch\nd = torch.device('CUDA'.lower())\ne = torch.zeros(2, device='cu' + 'da:0')\n",
            "import torch\nimport torch_npu\nd = torch.device('npu')\ne = torch.zeros(2, device='npu:0')\n",
        ),
        Example(
            "import torch\nkind = 'CUDA'\nx = torch.zeros(2).to(kind.lower())\n",
            "import torch\nimport torch_npu\nkind = 'CUDA'\nx = torch.zeros(2).to('npu')\n",
        ),
        Example(
            "import torch\nx = torch.zeros(2).to(b'cuda:1'.decode())\n",
            "import torch\nimport torch_npu\nx = torch.zeros(2).to('npu:1')\n",
        ),
        Example(
            "import torch\nx = torch.zeros(2).to('CUDA'.lower() + ':' + str(i))\n",
            "import torch\nimport torch_npu\nx = torch.zeros(2).to('npu' + ':' + str(i))\n",
        ),
        Example("import torch\nx = torch.zeros(2).to('{}da:{}'.format('cu', i))\n"),
        Example("import torch\nok = x.device.type == 'CUDA'.lower()\n"),
        Example.unchanged("import torch\nprint('CUDA'.lower())\nlabel = 'cu' + 'da'\nd = 'CUDA'\n"),
        Example.unchanged("import torch\nd = torch.device('CPU'.lower())\nm = paths['CUDA'.lower()]\n"),
    )

    @on.string("CUDA", "Cuda", "cu", "uda", needs=_has_parts)
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if _is_nothing(ref):
            return
        reported: list[Node] = []
        flow = device_flow(ctx)
        for expression, text in flow.becoming(ref.node):
            if any(encloses(expression, inner) for inner in reported):
                continue
            role = flow.role_of_value(expression, text).role
            if role in (Role.CONSUMED, Role.TEST):
                fix = self._fix(expression, text, ctx) if role is Role.CONSUMED else None
                said = {"text": text, "target": npu_text(text)}
                reported.append(expression)
                yield self.report(expression, "composed", Severity.WARNING, fix=fix, **said)

    def _fix(self, expression: Node, text: str, ctx: Context) -> Fix | None:
        """The name itself in the place of what makes it, where all of it is known and no remark is lost."""
        if UNKNOWN_PART in text or "#" in text_of(expression) or Texts(ctx.source).of(expression) != text:
            return None
        edit = replace(expression, ctx.quoted(npu_text(text), expression))
        return self.fix(Applicability.SAFE, edits=[edit], requires=ctx.names_the_npu)


def _is_nothing(ref: StringRef) -> bool:
    """Whether a literal is the name of a device itself, or is too long to be a part of one."""
    return (is_device_text(ref.text) and not ref.is_bytes) or len(ref.text) > len("CUDA:{}") + 2
