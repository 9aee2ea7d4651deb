"""ACC105: texts that name a CUDA device."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.events import StringRef
from ....engine.rule import Example, on, replace
from ....flow import Role, device_flow
from ....flow.subjects.accelerators import accelerator_role
from ....flow.subjects.device_choices import is_chosen_by_cuda, is_undecided_arm
from ....flow.subjects.given_ordinals import is_always_given
from ....flow.verdicts import Verdict
from ....inference.walk.reasons import way_out
from ....limits.parents import parent_of, parent_type
from ....model.finding import UNDECIDED, Edit, Finding, Severity
from ....model.project.decisions import Outcome
from ....program.word_places import WordPlace, place_of
from ....similar.scripting import is_scripted
from ....text.syntax import OWN_SCOPES, call_of, enclosing, field, last_name, passed_to, same, text_of
from ..cuda_tests import is_chosen_by_test
from ..neutral_rule import NeutralRule, device_text, is_where_there_is_one

_WHOLE = re.compile(r"cuda(:\d+)?")
_NUMBERED = re.compile(r"cuda:%[ds]")
_WRITTEN = frozenset({WordPlace.VALUE, WordPlace.CHOICE})
"""Where a word becomes that of the machine's device: as a value, and as what an option takes."""


class DeviceText(NeutralRule):
    """A string names a CUDA device.

    What it does: Replaces a string that becomes a device with the type of the machine's accelerator: the type
    of a device variable in scope, ``torch.accelerator`` where a test has already checked for an accelerator,
    or otherwise a helper function ``get_device()`` that is added to the file. For expressions that are
    evaluated when the file is imported, such as default values of parameters, the change is only offered.

    Why it matters on the NPU: ``torch.device('cuda')`` raises on every other accelerator, and on the CPU.

    Example: ``'cuda' if torch.cuda.is_available() else 'cpu'`` becomes
    ``torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else 'cpu'``.

    Use instead: ``torch.accelerator.current_accelerator()``.
    """

    code = "ACC105"
    name = "neutral-device"
    examples = (
        Example(
            "import torch\nd = torch.device('cuda' if torch.accelerator.is_available() else 'cpu')\n",
            "import torch\nd = torch.device(torch.accelerator.current_accelerator().type "
            "if torch.accelerator.is_available() else 'cpu')\n",
        ),
        Example(
            "import torch\n\ndef make(rank, device: torch.device):\n"
            "    return torch.ones(1, device=f'cuda:{rank}'), torch.ones(1, device='cuda:1')\n",
            "import torch\n\ndef make(rank, device: torch.device):\n"
            "    return torch.ones(1, device=f'{device.type}:{rank}'), "
            "torch.ones(1, device=f'{device.type}:1')\n",
        ),
        Example(
            "import torch\n\ndef make(x, device='cuda'):\n    return x.to(device)\n",
            unsafe="import torch\n\n\ndef get_device():\n"
            '    """The accelerator of this machine, else the CPU."""\n'
            "    if torch.accelerator.is_available():\n"
            "        return torch.accelerator.current_accelerator()\n"
            '    return torch.device("cpu")\n'
            "\ndef make(x, device=get_device().type):\n    return x.to(device)\n",
        ),
        Example(
            "import torch\nif torch.accelerator.is_available():\n"
            "    d = torch.device('cuda')\n    x = x.to('cuda')\n",
            "import torch\nif torch.accelerator.is_available():\n"
            "    d = torch.accelerator.current_accelerator()\n"
            "    x = x.to(torch.accelerator.current_accelerator())\n",
        ),
        Example(
            "import torch\n\ndef make(n, device: torch.device):\n"
            "    x = torch.ones(1, device='cuda:%d' % n)\n"
            "    y = x.to('cuda:' + str(n)), x.to('cuda:{}'.format(n))\n",
            "import torch\n\ndef make(n, device: torch.device):\n"
            "    x = torch.ones(1, device='%s:%d' % (device.type, n))\n"
            "    y = x.to(device.type + ':' + str(n)), x.to('{}:{}'.format(device.type, n))\n",
        ),
        Example("import torch\nx = torch.ones(1, device='cuda:%d' % (i,))\n"),
        Example("import torch\nw = torch.load(f, map_location={'cuda:0': 'cuda:1'})\n"),
        Example("import torch\n@torch.jit.script\ndef f(x):\n    return x.to('cuda')\n"),
        Example(
            "import torch\nimport lightning as L\nf = L.Fabric(accelerator='cuda', devices=1)\n",
            "import torch\nimport lightning as L\nf = L.Fabric(accelerator='auto', devices=1)\n",
        ),
        Example(
            "import torch\nif x.device == torch.device('cuda'):\n    pass\n",
            "import torch\nif x.device == torch.accelerator.current_accelerator():\n    pass\n",
        ),
        Example.unchanged("import torch\nprint('cuda')\n"),
    )

    @on.string("cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.is_bytes:
            return
        if ref.text == "cuda" and accelerator_role(ref.node, ctx).role is Role.CONSUMED:
            fix = self.neutral([replace(ref.node, ctx.quoted("auto", ref.node))], is_safe=True, requires=())
            yield self.report(ref.node, "lightning", Severity.WARNING, fix=fix, text=ref.text)
            return
        verdict = device_flow(ctx).role_of(ref)
        if verdict.role is Role.MAPPING:
            yield self.report(ref.node, "mapping", Severity.ERROR, text=ref.text)
            return
        is_used = _is_used(ref.node, verdict, ctx)
        if verdict.role is Role.UNKNOWN and not is_used and not ctx.moves(ref.node):
            reason = way_out(verdict.node or parent_of(ref.node))
            yield self.report(
                ref.node, "unsure", Severity.INFORMATION, kind=UNDECIDED, text=ref.text, reason=reason
            )
        if not is_used or is_chosen_by_test(ref.node, ctx):
            return
        made = _neutral_text(ref, ctx)
        if made is None:
            yield self.report(ref.node, "by_hand", Severity.ERROR, text=ref.text)
            return
        # What a test for an accelerator is evaluated with is asked no earlier than that.
        is_safe = not _is_made_once(ref.node) or is_where_there_is_one(ref.node)
        fix = self.neutral(made, is_safe=is_safe, requires=())
        unsafe = Severity.HINT if is_always_given(ref.node, ctx) else Severity.ERROR
        severity = Severity.WARNING if is_safe else unsafe
        yield self.report(ref.node, "device", severity, fix=fix, text=ref.text)


def _is_used(word: Node, verdict: Verdict, ctx: Context) -> bool:
    """Whether a word is used as a device, or is an arm of a choice that asks for CUDA; not an entry beside
    that for the NPU."""
    decision = ctx.decision(word)
    if decision is not None and decision.served and decision.outcome is Outcome.STAYS and _is_entry(word):
        return False
    if verdict.role is Role.CONSUMED or _is_decided(word, ctx):
        return True
    if verdict.role is Role.SHOWN:
        return is_undecided_arm(word, ctx)
    return verdict.role is Role.UNKNOWN and not verdict.library and is_chosen_by_cuda(word, ctx)


def _is_entry(word: Node) -> bool:
    """Whether a word is the key of a table, or what a registration gives one."""
    passed = passed_to(word)
    is_key = parent_type(word) == "subscript"
    return is_key or (passed is not None and last_name(passed.call) != "add_argument")


def _is_decided(word: Node, ctx: Context) -> bool:
    """Whether other places show that a word is a device, and it is one by itself."""
    decision = ctx.decision(word)
    return decision is not None and ctx.moves(word) and place_of(word, decision) in _WRITTEN


def _neutral_text(ref: StringRef, ctx: Context) -> list[Edit] | None:
    """The edits that put the type of the device into a text; None where its form does not allow it, or
    TorchScript compiles it."""
    node = ref.node
    if is_scripted(node, ctx):
        return None
    kind, helper = device_text(ctx).type_of_device(node)
    if parent_type(node) in ("binary_operator", "attribute"):
        built = _built_text(ref, kind)
        return [*built, *helper] if built else None
    if parent_type(node) == "concatenated_string":
        return None
    if ref.is_formatted:
        written = text_of(node)
        at = written.find("cuda")
        if at < 0 or not written[at + len("cuda") :].startswith((":", "'", '"')):
            return None
        start = node.start_byte + len(written[:at].encode())
        return [Edit(start, start + len("cuda"), f"{{{kind}}}"), *helper]
    match = _WHOLE.fullmatch(ref.text)
    if match is None:
        return None
    if match[1] is None:
        edit = _whole(node, kind, ctx)
        return [edit] if edit.text.endswith("current_accelerator()") else [edit, *helper]
    quote = text_of(node)[-1]
    return [replace(node, f"f{quote}{{{kind}}}{match[1]}{quote}"), *helper]


def _built_text(ref: StringRef, kind: str) -> list[Edit]:
    """The edits for ``'cuda:' + n``, ``'cuda:%d' % n`` and ``'cuda:{}'.format(n)``; empty for other forms."""
    node, parent = ref.node, parent_of(ref.node)
    quote = text_of(node)[-1]
    if ref.is_formatted or parent is None or text_of(node)[0] != quote:
        return []
    if parent.type == "binary_operator":
        return _in_operation(node, ref.text, kind, quote)
    call = call_of(parent)
    given = field(call, "arguments")
    first = given.named_children[0] if given is not None and given.named_children else None
    is_format = text_of(field(parent, "attribute") or parent) == "format" and ref.text == "cuda:{}"
    if not is_format or first is None or first.type in ("keyword_argument", "list_splat", "dictionary_splat"):
        return []
    return [replace(node, f"{quote}{{}}:{{}}{quote}"), Edit(first.start_byte, first.start_byte, f"{kind}, ")]


def _in_operation(node: Node, text: str, kind: str, quote: str) -> list[Edit]:
    """The edits for a text on the left of ``+`` or ``%``."""
    operation = parent_of(node)
    operator, right = field(operation, "operator"), field(operation, "right")
    if operator is None or right is None or not same(field(operation, "left"), node):
        return []
    if operator.type == "+" and text == "cuda:":
        return [replace(node, f"{kind} + {quote}:{quote}")]
    if operator.type != "%" or not _NUMBERED.fullmatch(text) or right.type == "tuple":
        return []
    return [
        replace(node, f"{quote}%s:{text.partition(':')[2]}{quote}"),
        Edit(right.start_byte, right.start_byte, f"({kind}, "),
        Edit(right.end_byte, right.end_byte, ")"),
    ]


def _whole(node: Node, kind: str, ctx: Context) -> Edit:
    """The edit for a text that is a device: the device itself where a call takes one as well as its type."""
    made = kind.removesuffix(".type")
    passed = passed_to(node)
    function = field(passed.call, "function") if passed is not None else None
    is_variable = made.isidentifier()
    if passed is None or function is None or is_variable or passed.argument.value.id != node.id:
        return replace(node, kind)
    is_alone = len(field(passed.call, "arguments").named_children) == 1  # type: ignore[union-attr]
    if is_alone and ctx.source.names.name_of(function) == "torch.device":
        is_compared = parent_type(passed.call) == "comparison_operator"  # with nothing where there is none
        spelled = f"{ctx.spell('torch.accelerator')}.current_accelerator()"
        return replace(passed.call, spelled if is_compared else made)
    is_move = function.type == "attribute" and text_of(field(function, "attribute") or function) == "to"
    return replace(node, made if is_move else kind)


def _is_made_once(node: Node) -> bool:
    """Whether it is evaluated when the file is imported, wherever it is used: a default, a class's value."""
    if enclosing(node, "default_parameter", "typed_default_parameter") is not None:
        return True
    owner = enclosing(node, *OWN_SCOPES)
    return owner is not None and owner.type == "class_definition"
