"""NPU202 and NPU203: devices compared with CUDA ones, and lists of back ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import CountRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role, Verdict, device_flow
from ...flow.guards.cuda_guards import Guard, guard_of
from ...flow.guards.guarded_code import changes_with, guards_device_code
from ...flow.subjects.device_choices import Choice, choice_by
from ...flow.subjects.devices import tests_npu_too
from ...flow.verdicts import CONSUMED
from ...flow.words import is_device_text, npu_text
from ...limits.below import nodes_through
from ...limits.parents import parent_of
from ...model.finding import UNDECIDED, Applicability, Edit, Finding, Severity
from ...model.project.decisions import Decision, Outcome
from ...program.word_places import WordPlace, place_of
from ...renames.texts import CUDA, NPU, pattern_becomes, pattern_for, renamed_device, takes_another
from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, enclosing, field, passed_to, text_of

_WRAPPERS = frozenset({"type_parameter", "type"})
_LISTS = ("list", "tuple", "set", "subscript", "generic_type", "union_pattern")
_ENTRY = re.compile(rb"""\[\s*(?P<key>(["'])cuda(?::\d+)?\2)\s*\]""")
_MATCHES = frozenset({"re.match", "re.search", "re.fullmatch", "re.findall", "re.split"})


class DeviceTest(Rule):
    """A device is compared with a CUDA device.

    What it does: Renames the string with which a device, its type or its name is compared, or by which it is
    searched, split or stripped, with the numbers that count its letters. Tests against ``'cpu'`` need no
    change.

    Why it matters on the NPU: The test is silently never true: no pinned memory, no fused optimizer, no mixed
    precision, gloo instead of hccl.

    Example: ``if device.type == 'cuda':`` becomes ``if device.type == 'npu':``.

    Use instead: ``device.type == 'npu'``, or ``device.type != 'cpu'`` if any accelerator is meant.
    """

    code = "NPU202"
    examples = (
        Example(
            "import torch\nif device.type == 'cuda' and 'cuda' in str(device):\n    pass\n",
            "import torch\nif device.type == 'npu' and 'npu' in str(device):\n    pass\n",
        ),
        Example(
            "import torch\nif x.device.type != 'cuda' or args.device == 'cuda:0':\n    pass\n",
            "import torch\nif x.device.type != 'npu' or args.device == 'npu:0':\n    pass\n",
        ),
        Example(
            "import torch\nok = str(d.device).startswith('cuda')\nn = device.split('cuda:')[-1]\n",
            "import torch\nok = str(d.device).startswith('npu')\nn = device.split('npu:')[-1]\n",
        ),
        Example(
            "import torch\ndef place(device='cuda:0'):\n"
            "    if device.startswith('cuda:') and device[5:].isdigit():\n"
            "        torch.cuda.set_device(int(device[5:]))\n    return device[:5]\n",
            "import torch\ndef place(device='cuda:0'):\n"
            "    if device.startswith('npu:') and device[4:].isdigit():\n"
            "        torch.cuda.set_device(int(device[4:]))\n    return device[:5]\n",
        ),
        Example(
            "import torch\ndef placed(x, device='cuda:0'):\n"
            "    known = device[:4] == 'cuda' or device[:4] == 'meta'\n"
            "    return x.to(device) if known else x\n",
            "import torch\ndef placed(x, device='cuda:0'):\n"
            "    known = device[:3] == 'npu' or device[:4] == 'meta'\n"
            "    return x.to(device) if known else x\n",
        ),
        Example(
            "def select(device=''):\n    device = str(device).strip().lower().replace('cuda:', '')\n",
            "def select(device=''):\n    device = str(device).strip().lower().replace('npu:', '')\n",
        ),
        Example(
            "import torch\nkind = x.device.type\nif kind == 'cuda':\n    pass\n",
            "import torch\nkind = x.device.type\nif kind == 'npu':\n    pass\n",
        ),
        Example(
            "match x.device.type:\n    case 'cuda':\n        pass\n",
            "match x.device.type:\n    case 'npu':\n        pass\n",
        ),
        Example(
            "import re\nindex = re.match(r'cuda:(\\d+)', str(x.device)).group(1)\n",
            "import re\nindex = re.match(r'npu:(\\d+)', str(x.device)).group(1)\n",
        ),
        Example.unchanged(
            "import torch\ncuda = device.type != 'cpu'\nif device == 'cpu' or mode == 'cuda':\n    pass\n"
        ),
        Example.unchanged(
            "import torch\nif name == 'cuda' or 'cuda' in sys.argv or 'cuda' in str(error):\n    pass\n"
        ),
        Example(
            "import torch\nd = torch.accelerator.current_accelerator()\nif d.type == 'cuda':\n    n = 8\n",
            "import torch\nd = torch.accelerator.current_accelerator()\nif d.type == 'npu':\n    n = 8\n",
        ),
        Example("import torch\nif args.mode == 'cuda':\n    model.cuda()\n"),
        Example.unchanged(
            "import torch\nif 'cuda' in state['rng']:\n    random.setstate(state['rng']['cuda'])\n"
        ),
        Example.unchanged(
            "import torch\nm = torch.load(f, lambda s, loc: s if loc.startswith('cuda') else s.cpu())\n"
        ),
    )

    @on.string("cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        decision = ctx.decision(ref.node)
        if decision is not None:
            yield from self._decided(ref, decision, ctx)
            return
        role = device_flow(ctx).role_of(ref).role
        if role is not Role.TEST and not _is_pattern_for_device(ref, ctx):
            # What may be a device is reported by the rule on their names.
            is_device = role is Role.SHOWN and _is_compared(ref) and not _is_key_of_entry(ref, ctx.source)
            if is_device and guards_device_code(ref.node, ctx.source):
                yield self.report(ref.node, "undecided", Severity.WARNING, kind=UNDECIDED, text=ref.text)
            return
        if tests_npu_too(ref.node, ctx):
            return
        choice, guard = choice_by(ref.node, ctx), guard_of(ref.node, ctx)
        if choice is Choice.FOREIGN or guard is Guard.CUDA_ONLY:
            return
        is_sure = choice is Choice.EDITED and guard is None
        applicability = Applicability.SAFE if is_sure else Applicability.UNSAFE
        yield self._never(ref, ctx, applicability)

    def _decided(self, ref: StringRef, decision: Decision, ctx: Context) -> Iterator[Finding]:
        guard = guard_of(ref.node, ctx)
        is_moved = decision.outcome is Outcome.MOVES and place_of(ref.node, decision) is WordPlace.TEST
        if is_moved and guard is not Guard.CUDA_ONLY:
            yield self._never(ref, ctx, Applicability.SAFE if guard is None else Applicability.UNSAFE)

    @on.count()
    def count(self, ref: CountRef, ctx: Context) -> Iterator[Finding]:
        guard, decision = guard_of(ref.node, ctx), ref.decision
        is_wanted = decision.outcome is Outcome.MOVES if decision is not None else _cuts_device(ref.node, ctx)
        if not is_wanted or guard is Guard.CUDA_ONLY:
            return
        is_known = not decision.is_likely if decision is not None else _is_ordinal(ref.node, ctx)
        is_sure = is_known and guard is None
        count = int(text_of(ref.node)) + len(NPU) - len(CUDA)
        edit = Edit(ref.node.start_byte, ref.node.end_byte, str(count))
        fix = self.fix(Applicability.SAFE if is_sure else Applicability.UNSAFE, edits=[edit])
        said = {"count": text_of(ref.node), "target": count, **(decision.places_as_text if decision else {})}
        key, kind = ("count", "") if is_sure else ("may_count", UNDECIDED)
        key = key if decision is not None else key.replace("count", "cut")
        yield self.report(ref.node, key, Severity.WARNING, fix=fix, kind=kind, **said)

    def _never(self, ref: StringRef, ctx: Context, applicability: Applicability) -> Finding:
        is_plain = is_device_text(ref.text) or ref.text.startswith("cuda")
        edits = renamed_device(ref.node) if is_plain else pattern_becomes(ref.node, CUDA, NPU)
        edits = [edit for edit in edits if not ctx.is_counting(edit.start)]
        fix = self.fix(applicability, edits=edits)
        kind = UNDECIDED if applicability is Applicability.UNSAFE else ""
        target = npu_text(ref.text) if is_plain else pattern_for(ref.text, "cuda", "npu")
        said = {"text": ref.text, "target": target}
        return self.report(ref.node, "never", Severity.WARNING, fix=fix, kind=kind, **said)


def _cuts_device(number: Node, ctx: Context) -> bool:
    """Whether a number cuts the text of a device, and no test of that changes it."""
    text = field(enclosing(number, "subscript"), "value")
    recounted = ctx.once(
        "recounted", lambda: {edit.start for word in _words(ctx.source) for edit in renamed_device(word)}
    )
    return text is not None and number.start_byte not in recounted and device_flow(ctx).is_named(text)


def _words(source: SourceFile) -> Iterator[Node]:
    found = (source.node_at(at, at + len(CUDA)) for at in source.find_all(CUDA.encode()))
    return (word for node in found if node is not None and (word := enclosing(node, "string")) is not None)


def _is_ordinal(number: Node, ctx: Context) -> bool:
    """Whether what is cut off becomes a number, as nothing but that of a device does."""
    cut = enclosing(number, "subscript")
    passed = passed_to(cut) if cut is not None else None
    return ctx.works_with_torch and passed is not None and text_of(passed.call).startswith("int(")


def _is_compared(ref: StringRef) -> bool:
    """Whether a device's whole name is compared, or is the pattern of a ``case``."""
    holder = parent_of(ref.node)
    is_place = holder is not None and holder.type in ("comparison_operator", "case_pattern")
    return is_place and is_device_text(ref.text)


def _is_key_of_entry(ref: StringRef, source: SourceFile) -> bool:
    """``"cuda" in state`` where the file reads ``state["cuda"]``: the name of an entry, not of a device."""
    test = parent_of(ref.node)
    if test is None or test.type != "comparison_operator" or test.child_count != 3:
        return False
    entries = source.once(_ENTRY, lambda: frozenset(_entries(source)))
    return (text_of(test.child(2)), text_of(ref.node)) in entries


def _entries(source: SourceFile) -> Iterator[tuple[str, str]]:
    """The entries of that name that the file reads or writes: the container and the key, as written."""
    for match in _ENTRY.finditer(source.data):
        entry = source.node_at(*match.span())
        if entry is not None and entry.type == "subscript":
            yield text_of(entry.child(0)), match["key"].decode()


def _is_pattern_for_device(ref: StringRef, ctx: Context) -> bool:
    """``re.match(r'cuda:(\\d+)', device)``: a regular expression that a device's name is matched with."""
    if not ref.text.startswith("cuda") or not any(sign in ref.text for sign in "([\\"):
        return False
    passed = passed_to(ref.node)
    if passed is None or passed.argument.position != 0:
        return False
    subject = arguments_of(passed.call).at(1)
    is_match = ctx.source.names.called_in(passed.call) in _MATCHES
    return is_match and subject is not None and device_flow(ctx).is_named(subject.value)


class BackendList(Rule):
    """A list of back ends lacks the NPU.

    What it does: Offers to add the NPU beside CUDA to a list in which a device is looked up. The choices of a
    device option are renamed together with its default, as is a text of which a comprehension or an operator
    makes the entries.

    Why it matters on the NPU: The device is not in the list, so the branch is silently skipped, or the value
    is rejected.

    Example: ``device.type in ('cuda', 'xpu')`` becomes ``device.type in ('cuda', 'npu', 'xpu')``.

    Use instead: the list with ``'npu'`` in it.
    """

    code = "NPU203"
    examples = (
        Example(
            "import torch\nif device.type in ('cuda', 'xpu'):\n    pass\n",
            unsafe="import torch\nif device.type in ('cuda', 'npu', 'xpu'):\n    pass\n",
        ),
        Example(
            "import torch\nif device.type in ('cuda', 'xpu'):\n    torch.cuda.synchronize()\n",
            "import torch\nif device.type in ('cuda', 'npu', 'xpu'):\n    torch.cuda.synchronize()\n",
        ),
        Example(
            "import torch\non = any(torch.is_autocast_enabled(d) for d in ('cpu', 'cuda', 'mps'))\n",
            "import torch\nimport torch_npu\n"
            "on = any(torch.is_autocast_enabled(d) for d in ('cpu', 'cuda', 'npu', 'mps'))\n",
        ),
        Example(
            'import torch\nif str(device).startswith(("xpu", "cuda")):\n    pass\n',
            unsafe='import torch\nif str(device).startswith(("xpu", "cuda", "npu")):\n    pass\n',
        ),
        Example(
            "import torch\nif device in [f'cuda:{i}' for i in range(8)] + ['cpu']:\n    pass\n",
            unsafe="import torch\nif device in [f'npu:{i}' for i in range(8)] + ['cpu']:\n    pass\n",
        ),
        Example(
            "parser.add_argument('--device', choices=['cuda', 'cpu'])\n",
            "parser.add_argument('--device', choices=['npu', 'cpu'])\n",
        ),
        Example(
            "import click\n@click.option('--device', type=click.Choice(['cpu', 'cuda']))\ndef f(d): ...\n",
            "import click\n@click.option('--device', type=click.Choice(['cpu', 'npu']))\ndef f(d): ...\n",
        ),
        Example(
            "from typing import Literal\ndef f(device: Literal['cpu', 'cuda']):\n    pass\n",
            "from typing import Literal\ndef f(device: Literal['cpu', 'cuda', 'npu']):\n    pass\n",
        ),
        Example(
            "import torch\nassert device in ('cpu', 'cuda')\ntorch.cuda.synchronize()\n",
            "import torch\nassert device in ('cpu', 'cuda', 'npu')\ntorch.cuda.synchronize()\n",
        ),
        Example(
            "import torch\nassert device in ('cpu', 'cuda')\n",
            unsafe="import torch\nassert device in ('cpu', 'cuda', 'npu')\n",
        ),
        Example.unchanged("import torch\nif name in {'contiguous', 'cuda', 'half'}:\n    pass\n"),
        Example.unchanged("import torch\nif device.type in ('cuda', 'npu'):\n    pass\n"),
        Example.unchanged("import faiss, torch\nk = faiss.Kmeans(8, 4, gpu=device.type == 'cuda')\n"),
        Example.unchanged("parser.add_argument('--mode', choices=['cuda', 'triton'])\n"),
    )

    @on.string("cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        decision = ctx.decision(ref.node)
        if decision is not None:
            if decision.outcome is Outcome.MOVES and guard_of(ref.node, ctx) is not Guard.CUDA_ONLY:
                yield from self._decided(ref, decision, ctx)
            return
        verdict = device_flow(ctx).role_of(ref)
        if verdict.role not in (Role.MEMBER, Role.OPTION) or verdict.node is None:
            return
        if verdict.role is Role.MEMBER and guard_of(ref.node, ctx) is Guard.CUDA_ONLY:
            return
        if _names_npu(verdict.node):
            return
        if verdict.role is Role.OPTION and verdict.certain and verdict.node.type != "generic_type":
            yield self._renamed(ref, ctx)
        else:
            yield self._added(ref, verdict, ctx)

    def _decided(self, ref: StringRef, decision: Decision, ctx: Context) -> Iterator[Finding]:
        place = place_of(ref.node, decision)
        if place is WordPlace.CHOICE:
            yield self._renamed(ref, ctx)
        elif place is WordPlace.ITEM:
            whole = enclosing(ref.node, *_LISTS)
            if whole is not None and not _names_npu(whole):
                yield self._added(ref, CONSUMED._replace(node=parent_of(ref.node)), ctx)

    def _renamed(self, ref: StringRef, ctx: Context) -> Finding:
        edits = renamed_device(ref.node)
        fix = self.fix(Applicability.SAFE, edits=edits)
        target = npu_text(ref.text)
        return self.report(ref.node, "choice", Severity.WARNING, fix=fix, text=ref.text, target=target)

    def _added(self, ref: StringRef, verdict: Verdict, ctx: Context) -> Finding:
        edits = [_entry(ref, verdict)] if takes_another(ref.node) else renamed_device(ref.node)
        # An annotation may admit one more value as safely as its default is renamed, and a loop may ask
        # for autocast on one more device.
        is_safe = verdict.certain
        is_safe = is_safe or (verdict.role is Role.MEMBER and changes_with(verdict.node or ref.node, ctx))
        applicability = Applicability.SAFE if is_safe else Applicability.UNSAFE
        is_used = verdict.certain and verdict.role is Role.MEMBER
        fix = self.fix(applicability, edits=edits, requires=ctx.names_the_npu if is_used else ())
        target = npu_text(ref.text)
        return self.report(ref.node, "lacks", Severity.WARNING, fix=fix, text=ref.text, target=target)


def _entry(ref: StringRef, verdict: Verdict) -> Edit:
    separator = " | " if verdict.node is not None and verdict.node.type == "union_pattern" else ", "
    added = text_of(ref.node).replace("cuda", "npu", 1)
    return Edit(ref.node.end_byte, ref.node.end_byte, f"{separator}{added}")


def _names_npu(display: Node) -> bool:
    """Whether a list names the NPU already, inside annotations too."""
    return any(text_of(item).strip("'\"").startswith("npu") for item in _leaves(display))


def _leaves(display: Node) -> Iterator[Node]:
    parts = nodes_through(display, lambda part: part.type in _WRAPPERS)
    return (part for part in parts if part.type not in _WRAPPERS)
