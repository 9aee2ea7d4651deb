"""NPU401 and NPU402: communication back ends given as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role, Verdict
from ...flow.command_line.old_words import old_argument
from ...flow.libraries import is_foreign_file
from ...flow.subjects.backends import backend_role, is_backend_name
from ...flow.templates import plain_text
from ...flow.tracing.calls.declarations import HOLDS_VALUES
from ...flow.verdicts import CONSUMED
from ...flow.words import is_device_text
from ...inference.walk.reasons import way_out
from ...limits.parents import parent_of
from ...model.finding import UNDECIDED, Applicability, Edit, Finding, Requirement, Severity
from ...model.project.decisions import Decision, Outcome
from ...model.versions import Version
from ...program.word_places import WordPlace, place_of
from ...renames.texts import literal_becomes, parts_become, pattern_becomes, pattern_for, takes_another
from ...text.syntax import enclosing, field, is_field, last_name, parts_of, passed_to, text_of

BY_DEVICE_SINCE = Version(2, 1)
"""The first version whose torch_npu registers hccl as the back end of a device type."""
_BY_DEVICE = re.compile(r"(?:\w+|\{\}):\w+(?:,(?:\w+|\{\}):\w+)*")
_PART = re.compile(r"(cuda:|(?<=:)|^:)nccl\b")

_MAKES_GROUPS = ("init_process_group", "new_group", "init_device_mesh", "init_distributed")


class NcclBackend(Rule):
    """NCCL is selected as the communication back end.

    What it does: Renames ``'nccl'`` to ``'hccl'`` if it is passed to torch.distributed, is the default or a
    choice of an option, is compared with a back end, or is stored under a name for back ends. In
    ``'cpu:gloo,cuda:nccl'`` both parts are changed. If the file does not show how the string is used, the
    change is only offered. Back ends of other libraries, or of symmetric memory, are reported and not
    changed.

    Why it matters on the NPU: The torch that torch_npu runs on is built without NCCL: the process group
    cannot be created, or a test for ``'nccl'`` is silently false.

    Example: ``dist.init_process_group('nccl')`` becomes ``dist.init_process_group('hccl')``.

    Use instead: ``'hccl'``, the back end of Ascend devices.
    """

    code = "NPU401"
    examples = (
        Example(
            "import torch.distributed as dist\ndist.init_process_group('nccl', rank=r)\n"
            'g = dist.new_group([0, 1], backend="nccl")\n',
            "import torch.distributed as dist\nimport torch_npu\ndist.init_process_group('hccl', rank=r)\n"
            'g = dist.new_group([0, 1], backend="hccl")\n',
        ),
        Example(
            "import torch.distributed as dist\ndist.init_process_group('nccl')\n",
            "import torch.distributed as dist\ndist.init_process_group('hccl')\n",
            version="1.5.0",
        ),
        Example(
            "import torch\ntorch.distributed.init_process_group(backend='cpu:gloo,cuda:nccl')\n",
            "import torch\nimport torch_npu\n"
            "torch.distributed.init_process_group(backend='cpu:gloo,npu:hccl')\n",
        ),
        Example(
            "import torch\ntorch.distributed.init_process_group(f'cpu:gloo,{device}:nccl')\n",
            "import torch\nimport torch_npu\n"
            "torch.distributed.init_process_group(f'cpu:gloo,{device}:hccl')\n",
        ),
        Example(
            "import torch\ntorch.distributed.init_process_group('cuda:nccl,cpu:gloo')\n", version="2.0.1"
        ),
        Example(
            "p.add_argument('--dist-backend', default='nccl', choices=['nccl', 'gloo'], help='nccl')\n",
            "p.add_argument('--dist-backend', default='hccl', choices=['hccl', 'gloo'], help='nccl')\n",
        ),
        Example(
            "import torch.distributed as dist\nif dist.get_backend(group) == 'nccl':\n    pass\n"
            "b = dist.get_backend()\nok = b != 'nccl' or args.dist_backend.upper() == 'NCCL'\n",
            "import torch.distributed as dist\nif dist.get_backend(group) == 'hccl':\n"
            "    pass\n"
            "b = dist.get_backend()\nok = b != 'hccl' or args.dist_backend.upper() == 'HCCL'\n",
        ),
        Example(
            "import torch\nb = 'nccl' if torch.cuda.is_available() else 'gloo'\n"
            "torch.distributed.init_process_group(b)\n",
            "import torch\nimport torch_npu\nb = 'hccl' if torch.cuda.is_available() else 'gloo'\n"
            "torch.distributed.init_process_group(b)\n",
        ),
        Example(
            "def setup(rank, backend='nccl'): ...\n"
            "cfg = dict(dist_cfg=dict(backend='nccl'))\nopts = {'distributed_backend': 'nccl'}\n"
            "b = cfg.get('ddp_backend', 'nccl') or getattr(args, 'dist_backend', 'nccl')\n",
            "def setup(rank, backend='hccl'): ...\n"
            "cfg = dict(dist_cfg=dict(backend='hccl'))\nopts = {'distributed_backend': 'hccl'}\n"
            "b = cfg.get('ddp_backend', 'hccl') or getattr(args, 'dist_backend', 'hccl')\n",
        ),
        Example(
            "@dataclass\nclass Config:\n"
            "    dist_backend: str = field(default='nccl', metadata={'help': 'x'})\n",
            "@dataclass\nclass Config:\n"
            "    dist_backend: str = field(default='hccl', metadata={'help': 'x'})\n",
        ),
        Example(
            "import deepspeed\ndeepspeed.init_distributed('nccl')\n",
            "import deepspeed\ndeepspeed.init_distributed('hccl')\n",
        ),
        Example(
            "import torch.distributed as dist\nkind = {'name': 'nccl'}\n"
            "dist.init_process_group(kind['name'])\n"
            "p.add_argument('--comm', default='nccl')\ndist.init_process_group(p.parse_args().comm)\n",
            "import torch.distributed as dist\nimport torch_npu\nkind = {'name': 'hccl'}\n"
            "dist.init_process_group(kind['name'])\n"
            "p.add_argument('--comm', default='hccl')\ndist.init_process_group(p.parse_args().comm)\n",
        ),
        Example("import torch\nstart(0, 'nccl')\n", unsafe="import torch\nstart(0, 'hccl')\n"),
        Example(
            "import torch\nname = 'nccl'\nif name in backends:\n    pass\n",
            unsafe="import torch\nname = 'hccl'\nif name in backends:\n    pass\n",
        ),
        Example.unchanged(
            "import torch\nprint('nccl')\nlog.info('using %s', 'nccl')\nraise ValueError('nccl')\n"
            "x = getattr(torch.cuda, 'nccl')\np = os.path.join(root, 'nccl')\nt = 'the nccl backend'\n"
        ),
        Example(
            "import json, torch\nrun(['serve', '--transfer', json.dumps({'backend': 'nccl'})])\n",
            unsafe="import json, torch\nrun(['serve', '--transfer', json.dumps({'backend': 'hccl'})])\n",
        ),
        Example.unchanged("import torch\nb = {'npu': 'hccl', 'cuda': 'nccl', 'cpu': 'gloo'}[d.type]\n"),
        Example.unchanged("import torch\nb = {'cuda': 'nccl', 'cpu': 'gloo'}[device.type]\n"),
        Example(
            "import torch\nCUDA = 'cuda'\nb = {CUDA: 'nccl', 'cpu': 'gloo'}[device.type]\n",
            "import torch\nCUDA = 'cuda'\nb = {CUDA: 'nccl', 'npu': 'hccl', 'cpu': 'gloo'}[device.type]\n",
        ),
        Example(
            "from ray.train.torch import TorchConfig\nc = TorchConfig(backend='nccl')\n",
            "from ray.train.torch import TorchConfig\nc = TorchConfig(backend='hccl')\n",
        ),
        Example(
            "import torch\nfrom ray.util import collective\n"
            "collective.init_collective_group(2, 0, backend='nccl')\n"
        ),
        Example.unchanged("import cupy\nc = cupy.cuda.nccl.build('nccl')\n"),
        Example.unchanged(
            "class Backend(Enum):\n    NCCL = 'nccl'\n    HCCL = 'hccl'\nif 'NCCL' in name:\n    pass\n"
            "if backend == 'nccl':\n    pass\nelif backend == 'hccl':\n    pass\n"
        ),
        Example.unchanged(
            "b = 'hccl' if ascend else 'nccl'\n"
            "p.add_argument('--backend', default='nccl', choices=['nccl', 'hccl', 'gloo'])\n"
            "p.add_argument('--comm-backend', default='NCCL', choices=['NCCL', 'HCCL'])\n"
        ),
        Example(
            "import torch\nimport torch.distributed._symmetric_memory as symm_mem\n"
            "symm_mem.set_backend('NCCL')\n"
        ),
        Example(
            "import torch\nimport lib\nlib.set_backend('NCCL')\n",
            unsafe="import torch\nimport lib\nlib.set_backend('HCCL')\n",
        ),
        Example.unchanged("NCCL_BACKEND = 'nccl'\nHCCL_BACKEND = 'hccl'\n"),
    )

    @on.string("nccl", "NCCL")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.is_bytes:
            return
        if is_foreign_file(ctx):
            yield from self._held_for_others(ref, ctx)
        elif ref.text in ("nccl", "NCCL"):
            yield from self._alone(ref, ctx)
        elif _PART.search(ref.text) and _BY_DEVICE.fullmatch(ref.text):
            yield self._by_device(ref, ctx)
        else:
            yield from self._in_pattern(ref, ctx)

    def _in_pattern(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``re.fullmatch('nccl|gloo', backend)``."""
        decision = ctx.decision(ref.node)
        if decision is not None and decision.outcome is Outcome.MOVES:
            fix = self.fix(Applicability.SAFE, edits=pattern_becomes(ref.node, "nccl", "hccl"))
            said = {"text": ref.text, "target": pattern_for(ref.text, "nccl", "hccl")}
            yield self.report(ref.node, "backend", Severity.WARNING, fix=fix, **said)

    def _held_for_others(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """A file of another framework may hold the settings of files that use torch."""
        passed = passed_to(ref.node)
        if ref.text != "nccl" or passed is None or last_name(passed.call) not in HOLDS_VALUES:
            return
        if is_backend_name(passed.argument.keyword or ""):
            yield self._unsure(ref, passed.call, ctx)

    def _alone(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        decision = ctx.decision(ref.node)
        if _is_of_device_table(ref.node):
            yield from self._of_table(ref, ctx)
            return
        if (decision is None or decision.outcome is Outcome.MOVES) and _is_of_device(ref.node):
            return
        if decision is not None:
            yield from self._decided(ref, decision, ctx)
            return
        verdict = backend_role(ref.node, ctx)
        role = verdict.role
        if role in (Role.CONSUMED, Role.TEST, Role.OPTION):
            yield self._renamed(ref, "backend", Applicability.SAFE, Severity.WARNING, ctx)
        elif role is Role.FOREIGN:
            yield self.report(
                ref.node, "foreign", Severity.INFORMATION, text=ref.text, library=verdict.library
            )
        elif old_argument(ref.node, ref.text, ctx) is not None:
            return  # the rule on launched commands says so
        elif role is Role.UNKNOWN and (ref.text == "nccl" or verdict.library):
            yield self._unsure(ref, verdict.node or parent_of(ref.node), ctx)

    def _decided(self, ref: StringRef, decision: Decision, ctx: Context) -> Iterator[Finding]:
        """What is said of a word about which the program has decided."""
        place = place_of(ref.node, decision)
        if decision.outcome is Outcome.MOVES and place is not WordPlace.ITEM:
            yield self._renamed(ref, "backend", Applicability.SAFE, Severity.WARNING, ctx)
        elif decision.waits_for_choice and place is WordPlace.VALUE:
            served = ", ".join(map(str, decision.served))
            said: dict[str, Any] = {
                "text": ref.text,
                "target": ref.text.replace("ncc", "hcc").replace("NCC", "HCC"),
            }
            yield self.report(ref.node, "served", Severity.INFORMATION, served=served, **said)
        elif ctx.is_first_of(decision, ref.node):
            yield from self._left(ref, decision)

    def _of_table(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """The entry for CUDA of a table by devices stays, and the NPU gets one behind it, which counts where
        the key of the first comes to be the NPU's."""
        if "hccl" in text_of(parent_of(parent_of(ref.node)) or ref.node).lower():
            return
        target = ref.text.replace("ncc", "hcc").replace("NCC", "HCC")
        entry = f"{ctx.quoted('npu', ref.node)}: {ctx.quoted(target, ref.node)}"
        edits = [Edit(ref.node.start_byte, ref.node.end_byte, f"{text_of(ref.node)}, {entry}")]
        fix = self.fix(Applicability.SAFE, edits=edits)
        yield self.report(ref.node, "backend", Severity.WARNING, fix=fix, text=ref.text, target=target)

    def _left(self, ref: StringRef, decision: Decision) -> Iterator[Finding]:
        """What is said once of all words of a unit that remain as they are."""
        text, library = ref.text, decision.library
        if decision.outcome is Outcome.DIVIDED:
            yield self.report(ref.node, "divided", Severity.ERROR, text=text, **decision.places_as_text)
        elif decision.outcome is Outcome.HELD:
            held = ", ".join(map(str, decision.held))
            yield self.report(ref.node, "held", Severity.ERROR, text=text, held=held)
        elif decision.outcome is Outcome.STAYS and library:
            yield self.report(ref.node, "foreign", Severity.INFORMATION, text=text, library=library)

    def _unsure(self, ref: StringRef, place: Node | None, ctx: Context) -> Finding:
        unsure = (Applicability.UNSAFE, Severity.INFORMATION)
        return self._renamed(ref, "unsure", *unsure, ctx, reason=way_out(place))

    def _renamed(
        self,
        ref: StringRef,
        key: str,
        applicability: Applicability,
        severity: Severity,
        ctx: Context,
        **said: Any,
    ) -> Finding:
        target = "hccl" if ref.text == "nccl" else "HCCL"
        edits = literal_becomes(ref.node, target)
        fix = self.fix(applicability, edits=edits or (), requires=_needs(ctx))
        kind = UNDECIDED if applicability is Applicability.UNSAFE else ""
        return self.report(ref.node, key, severity, fix=fix, kind=kind, text=ref.text, target=target, **said)

    def _by_device(self, ref: StringRef, ctx: Context) -> Finding:
        """``cpu:gloo,cuda:nccl``: a back end for each device type."""
        if ctx.version < BY_DEVICE_SINCE:
            return self.report(ref.node, "by_device", Severity.ERROR, text=ref.text, version=ctx.version)
        edits = parts_become(ref.node, ((*match.span(), _part(match)) for match in _PART.finditer(ref.text)))
        target = _PART.sub(_part, ref.text)
        fix = self.fix(Applicability.SAFE, edits=edits or (), requires=_needs(ctx))
        return self.report(ref.node, "backend", Severity.WARNING, fix=fix, text=ref.text, target=target)


def _is_of_device(literal: Node) -> bool:
    """Whether a back end is what a table has for ``'cuda'``: the rule on tables by devices says so."""
    pair = parent_of(literal)
    key = field(pair, "key") if pair is not None and pair.type == "pair" else None
    return key is not None and is_field(literal, "value") and is_device_text(plain_text(key) or "")


def _is_of_device_table(literal: Node) -> bool:
    """Whether a back end is what a table by devices has for a key that is no literal: ``{CUDA: 'nccl', 'cpu':
    'gloo'}``. The rule on tables by devices says so of literals."""
    pair = parent_of(literal)
    table, key = parent_of(pair), field(pair, "key")
    if table is None or table.type != "dictionary" or key is None or not is_field(literal, "value"):
        return False
    keys = [plain_text(other) for item in parts_of(table) if (other := field(item, "key")) is not None]
    return key.type != "string" and not {"cpu", "mps", "xpu"}.isdisjoint(keys)


def _needs(ctx: Context) -> frozenset[Requirement]:
    """A back end's name is a text; who makes process groups of it needs torch_npu."""
    makes = any(ctx.source.identifiers(name) for name in _MAKES_GROUPS)
    return ctx.names_the_npu if makes else frozenset()


def _part(match: re.Match[str]) -> str:
    return ("npu:" if match[1] == "cuda:" else match[1]) + "hccl"


class NcclInList(Rule):
    """A back end is looked up among several, including NCCL.

    What it does: Adds ``'hccl'`` beside ``'nccl'`` to a list in which the back end of a process group is
    looked up, and offers to where it is another; offers to rename it where a comprehension or an operator
    makes the entries; reports a table with an entry for NCCL but none for HCCL.

    Why it matters on the NPU: The back end is ``'hccl'``: an assertion fails, or the branch for accelerators
    is silently skipped.

    Example: ``assert backend in ('gloo', 'nccl')``.

    Use instead: the list with ``'hccl'`` in it.
    """

    code = "NPU402"
    examples = (
        Example(
            "import torch.distributed as dist\nassert args.backend in ['gloo', 'nccl']\n"
            "if dist.get_backend() in ('nccl', 'ucc'):\n    pass\n",
            "import torch.distributed as dist\nassert args.backend in ['gloo', 'nccl']\n"
            "if dist.get_backend() in ('nccl', 'hccl', 'ucc'):\n    pass\n",
            unsafe="import torch.distributed as dist\n"
            "assert args.backend in ['gloo', 'nccl', 'hccl']\n"
            "if dist.get_backend() in ('nccl', 'hccl', 'ucc'):\n    pass\n",
        ),
        Example(
            "import torch.distributed as dist\nok = dist.get_backend() in ['nccl' for _ in groups]\n",
            "import torch.distributed as dist\nok = dist.get_backend() in ['hccl' for _ in groups]\n",
        ),
        Example('BACKENDS = {"nccl"}\n', unsafe='BACKENDS = {"nccl", "hccl"}\n'),
        Example(
            "from typing import Literal\nbackend: Literal['gloo', 'nccl']\n",
            "from typing import Literal\nbackend: Literal['gloo', 'nccl', 'hccl']\n",
        ),
        Example("make = {'nccl': f, 'gloo': g}[backend]\n"),
        Example.unchanged("import torch\nif dist.get_backend() in ('nccl', 'hccl'):\n    pass\n"),
        Example.unchanged("names = {'nccl': 1, 'loss': 2}\nrun(['--backend', 'nccl'])\n"),
    )

    @on.string("nccl")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text != "nccl" or ref.is_bytes or is_foreign_file(ctx):
            return
        decision = ctx.decision(ref.node)
        if decision is not None:
            is_item = place_of(ref.node, decision) is WordPlace.ITEM
            if decision.outcome is Outcome.MOVES and is_item and not _has_hccl(ref, CONSUMED):
                yield self._lacking(ref, Applicability.SAFE)
            return
        verdict = backend_role(ref.node, ctx)
        if verdict.role is Role.MEMBER and not _has_hccl(ref, verdict):
            # A type may admit one more value as safely as its default is renamed.
            is_type = verdict.node is not None and "Literal" in text_of(verdict.node)[:20]
            is_safe = is_type or verdict.certain
            yield self._lacking(ref, Applicability.SAFE if is_safe else Applicability.UNSAFE)
        elif verdict.role is Role.KEY and not _has_hccl(ref, verdict):
            yield self.report(ref.node, "table", Severity.INFORMATION, kind=UNDECIDED)

    def _lacking(self, ref: StringRef, applicability: Applicability) -> Finding:
        edits = _entry(ref.node) if takes_another(ref.node) else literal_becomes(ref.node, "hccl")
        fix = self.fix(applicability, edits=edits or ())
        kind = UNDECIDED if applicability is Applicability.UNSAFE else ""
        return self.report(ref.node, "lacks", Severity.WARNING, fix=fix, kind=kind)


def _entry(string: Node) -> list[Edit]:
    return [Edit(string.end_byte, string.end_byte, ", " + text_of(string).replace("nccl", "hccl"))]


_LISTS = ("list", "tuple", "set", "subscript", "generic_type", "type_parameter", "dictionary")


def _has_hccl(ref: StringRef, verdict: Verdict) -> bool:
    holder = verdict.node or ref.node
    if holder.type == "string":
        holder = enclosing(ref.node, *_LISTS) or holder
    return "hccl" in text_of(holder)
