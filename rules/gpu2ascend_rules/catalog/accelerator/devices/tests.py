"""ACC106: tests of a device's type, tables by it, and types that admit it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....engine.context import Context
from ....engine.events import CountRef, KeywordRef, StringRef
from ....engine.rule import Example, on, replace
from ....flow import Role, device_flow
from ....flow.guards.conditions.whole import whole_test
from ....flow.guards.cuda_guards import Guard, guard_of
from ....flow.guards.kernel_tables import has_default, has_key, role_of_made_table
from ....flow.subjects.device_choices import Choice, choice_by
from ....flow.subjects.devices import tests_npu_too
from ....limits.parents import parent_of, parent_type
from ....model.finding import UNDECIDED, Applicability, Edit, Finding, Severity
from ....model.project.decisions import Outcome
from ....program.word_places import WordPlace, place_of
from ....renames.error_texts import ERROR_TEXTS, searched_text
from ....renames.texts import part_becomes
from ....text.scopes import BindingKind
from ....text.syntax import OWN_SCOPES, enclosing, field, text_of
from ..cuda_tests import Becomes, compared
from ..cuda_tests import becomes as becomes_of
from ..neutral_rule import NeutralRule

_OPPOSITE = {"==": "!=", "!=": "==", "in": "not in", "not in": "in"}
_WITHIN = frozenset({"in", "not in"})
_ROLES = {WordPlace.TEST: Role.TEST, WordPlace.ITEM: Role.MEMBER, WordPlace.KEY: Role.KEY}
"""What a word is that other places show to be a device, by where it is written."""
_OF_TYPES = frozenset({"type", "type_parameter", "subscript"})
"""What holds a word of a type, which nothing compares."""


class DeviceTest(NeutralRule):
    """A device type is compared with CUDA.

    What it does: Replaces the comparison with its opposite for the CPU if the value is a device type, a
    device string, or a string that is either ``cuda`` or ``cpu``; beside other operands or branches, it
    compares with the current accelerator. A test that opens code for CUDA only is left unchanged. Other
    comparisons are reported, and so are tests before a branch for another device, tables by device type, the
    types of fields that admit no other accelerator, and searches for 'CUDA out of memory' in an error.

    Why it matters on the NPU: The test is silently never true on another accelerator.

    Example: ``if x.device.type == 'cuda':`` becomes ``if x.device.type != 'cpu':``.

    Use instead: ``x.device.type != 'cpu'``, or a comparison with the accelerator's type.
    """

    code = "ACC106"
    name = "neutral-device-test"
    examples = (
        Example(
            "import torch\nif device.type == 'cuda':\n    y = x.device.type != 'cuda'\n",
            "import torch\nif device.type != 'cpu':\n    y = x.device.type == 'cpu'\n",
        ),
        Example(
            "import torch\nok = device.type == 'cuda' and flag\n",
            "import torch\nok = (torch.accelerator.is_available() and "
            "device.type == torch.accelerator.current_accelerator().type) and flag\n",
        ),
        Example(
            "import torch\nif 'cuda' in str(x.device):\n    pass\n",
            "import torch\nif 'cpu' not in str(x.device):\n    pass\n",
        ),
        Example(
            "import torch\ndevice = 'cuda' if torch.accelerator.is_available() else 'cpu'\n"
            "x.to(device)\nif device == 'cuda':\n    pass\n",
            "import torch\ndevice = 'cuda' if torch.accelerator.is_available() else 'cpu'\n"
            "x.to(device)\nif device != 'cpu':\n    pass\n",
        ),
        Example(
            "import torch\nif 'CUDA out of memory' in str(e):\n    pass\n",
            unsafe="import torch\nif 'out of memory' in str(e):\n    pass\n",
        ),
        Example("import torch\nn = {'cuda': 2, 'cpu': 1}[x.device.type]\n"),
        Example("import torch\nn = dict(cuda=2, cpu=1)[x.device.type]\n"),
        Example("import torch\nif 'cuda' in names or device == 'cuda':\n    torch.ones(1)\n"),
        Example.unchanged("import torch\nif device.type == 'cpu':\n    pass\n"),
    )

    @on.string("cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        role, is_certain = _role_of(ref, ctx)
        if role is Role.OPTION and _is_in_type_of_field(ref.node) and ctx.moves(ref.node):
            yield self.report(ref.node, "admitted", Severity.WARNING, text=ref.text)
        elif role is Role.KEY:
            pair = parent_of(ref.node)
            table = parent_of(pair) if pair is not None and pair.type == "pair" else None
            yield from self._key(ref.node, table, ref.text, ctx, is_certain=is_certain)
        elif role in (Role.TEST, Role.MEMBER):
            yield from self._test(ref, ctx)

    def _test(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """A comparison with the word, a list that has it, or a text that is searched for it."""
        if tests_npu_too(ref.node, ctx) or guard_of(ref.node, ctx) is Guard.CUDA_ONLY:
            return
        what = becomes_of(ref.node, ctx)
        if what is Becomes.CUDA:
            return
        if what is Becomes.DIVIDED:
            yield self.report(ref.node, what.value, Severity.ERROR, text=ref.text)
            return
        edits = _changed(ref, what, ctx)
        if edits is None:
            yield self.report(ref.node, "by_hand", Severity.WARNING, text=ref.text)
            return
        is_safe = choice_by(ref.node, ctx) is Choice.EDITED and guard_of(ref.node, ctx) is None
        fix = self.neutral(edits, is_safe=is_safe, requires=())
        yield self.report(ref.node, "never", Severity.WARNING, fix=fix, text=ref.text)

    @on.string(*ERROR_TEXTS)
    def memory(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """A handler that knows the error by CUDA's words for it."""
        searched = searched_text(ref, ctx)
        if searched is None:
            return
        edits = part_becomes(ref.node, searched.start, searched.end, "") if searched.is_compared else ()
        fix = self.fix(Applicability.UNSAFE, edits=edits) if edits else None
        yield self.report(ref.node, "memory", Severity.WARNING, fix=fix, text=ref.text)

    @on.count()
    def count(self, ref: CountRef, ctx: Context) -> Iterator[Finding]:
        if ref.decision is not None and ref.decision.outcome is Outcome.MOVES:
            yield self.report(ref.node, "count", Severity.WARNING, count=text_of(ref.node))

    @on.keyword("cuda")
    def keyword(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        role, is_certain = role_of_made_table(ref.call, ctx)
        if role is Role.KEY:
            yield from self._key(ref.node, ref.call, ref.name, ctx, is_certain=is_certain)

    def _key(
        self, key: Node, table: Node | None, text: str, ctx: Context, *, is_certain: bool
    ) -> Iterator[Finding]:
        """A table without an entry for the machine's accelerator: a look-up fails, or takes its default."""
        if table is None or has_key("npu", table):
            return
        severity = Severity.WARNING if has_default(table, ctx) else Severity.ERROR
        if is_certain:
            yield self.report(key, "table", severity, text=text)
        else:
            yield self.report(key, "table", Severity.INFORMATION, kind=UNDECIDED, text=text)


def _role_of(ref: StringRef, ctx: Context) -> tuple[Role, bool]:
    """What the file, or else the program, shows a word to be, and whether that is certain."""
    verdict, decision = device_flow(ctx).role_of(ref), ctx.decision(ref.node)
    if decision is None or not ctx.moves(ref.node) or parent_type(ref.node) in _OF_TYPES:
        return verdict.role, verdict.certain
    return _ROLES.get(place_of(ref.node, decision), verdict.role), True


def _is_in_type_of_field(word: Node) -> bool:
    """Whether a word is in the annotation of a field, which libraries check what they are given against."""
    holder = enclosing(word, "assignment", *OWN_SCOPES)
    annotation = field(holder, "type") if holder is not None and holder.type == "assignment" else None
    owner = enclosing(holder, *OWN_SCOPES) if holder is not None else None
    is_field = owner is not None and owner.type == "class_definition"
    return is_field and annotation is not None and annotation.end_byte >= word.end_byte


def _changed(ref: StringRef, what: Becomes, ctx: Context) -> list[Edit] | None:
    """The edits that make a comparison one for every accelerator; None where its form allows none."""
    edits = _opposite(ref, ctx) if what is not Becomes.ARMS else None
    is_text = edits is None and what is not Becomes.ARMS and _is_equality(ref, ctx)
    is_current = is_text or (edits is not None and what is Becomes.CURRENT)
    return _current(ref, ctx) if is_current else edits


def _current(ref: StringRef, ctx: Context) -> list[Edit]:
    """The edits after which a device is compared with the machine's accelerator, if it has one."""
    test = parent_of(ref.node)
    assert test is not None  # of a comparison, by _opposite
    left, operator, right = test.children
    other = left if right.id == ref.node.id else right
    return compared(test, text_of(other), operator.type, ctx)


def _is_equality(ref: StringRef, ctx: Context) -> bool:
    """Whether a text of a device, which may have a number, is compared with that of CUDA, and nothing else of
    the condition is CUDA's."""
    test = parent_of(ref.node)
    if ref.text != "cuda" or test is None or test.type != "comparison_operator" or test.child_count != 3:
        return False
    whole = text_of(whole_test(test, ctx)[0])
    is_alone = whole.count("cuda") == 1 and "is_available" not in whole
    return is_alone and test.children[1].type in ("==", "!=")


def _opposite(ref: StringRef, ctx: Context) -> list[Edit] | None:
    """The edits after which a device is compared with the CPU's; None where it is another kind of test."""
    test = parent_of(ref.node)
    if ref.text != "cuda" or test is None or test.type != "comparison_operator" or test.child_count != 3:
        return None
    left, operator, right = test.children
    other = left if right.id == ref.node.id else right
    if operator.type not in _OPPOSITE:
        return None
    is_within = operator.type in _WITHIN
    if is_within and (other.id == left.id or not _is_text_of_device(other)):
        return None
    if not is_within and not (_is_type(other) or _is_cuda_or_cpu(other, ctx)):
        return None
    return [replace(operator, _OPPOSITE[operator.type]), replace(ref.node, ctx.quoted("cpu", ref.node))]


def _is_type(node: Node) -> bool:
    """``device.type``."""
    name = field(node, "attribute") if node.type == "attribute" else None
    return text_of(name) == "type"


def _is_text_of_device(node: Node) -> bool:
    """``str(x.device)``, and a text that is called a device."""
    if node.type == "call":
        return text_of(node).startswith("str(") and "device" in text_of(node)
    return "device" in text_of(node).rpartition(".")[2].lower() and node.type in ("identifier", "attribute")


def _is_cuda_or_cpu(node: Node, ctx: Context) -> bool:
    """Whether a text is that of CUDA or of the CPU without a number, whatever the file and its callers do."""
    bindings = ctx.source.names.bindings_in_scope(text_of(node), node) if node.type == "identifier" else ()
    if any(binding.kind is BindingKind.PARAMETER for binding in bindings):
        return False
    origins = ctx.origins(node)
    return bool(origins) and all(_is_whole_text(origin) for origin in origins)


def _is_whole_text(origin: Node) -> bool:
    if origin.type == "conditional_expression":
        arms = origin.named_children
        return _is_whole_text(arms[0]) and _is_whole_text(arms[-1])
    return _is_type(origin) or text_of(origin).strip("'\"") in ("cuda", "cpu")
