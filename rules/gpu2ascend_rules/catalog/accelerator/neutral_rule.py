"""What the rules on code for any accelerator have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node

from ...engine.context import Context
from ...engine.rule import Rule
from ...facts.releases.neutral import FIRST
from ...inference.kinds import Kind
from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Fix, Requirement, Severity
from ...model.versions import Version
from ...receivers.residence import names_cpu
from ...text.guards import conditions_over
from ...text.scopes import Binding, BindingKind
from ...text.syntax import ancestors, field, text_of

TORCH = Requirement("torch")
_HELPER = "get_device"
_OTHER_NAMES = (_HELPER, "accelerator_device", "get_accelerator_device")
_HELPER_IS = "The accelerator of this machine, else the CPU."
_IMPORT = "import torch"
_MARK = "torch.accelerator.current_accelerator()"
_FUNCTIONS = ("function_definition", "lambda")
_TRANSPARENT = frozenset({"module", "block", "expression_statement"})
_BEFORE_CODE = frozenset({"import_statement", "import_from_statement", "future_import_statement", "comment"})

_STATEMENTS = _BEFORE_CODE - {"comment"} | {
    "assert_statement", "delete_statement", "expression_statement", "raise_statement", "return_statement",
    "with_item",
}  # fmt: skip
"""Statements without blocks, and what begins a block with code of its own."""
_NEEDS_HELPER = re.compile(r"cuda|nccl")
"""What every place has that becomes the device."""


class NeutralRule(Rule):
    """Base of the rules."""

    leaves_tests = True
    example_version = "2.10.0"
    example_settings = (("target", "accelerator"),)

    def neutral(
        self,
        edits: Iterable[Edit],
        since: Version = FIRST,
        *,
        is_safe: bool = True,
        requires: Iterable[Requirement] = (TORCH,),
    ) -> Fix:
        """A fix whose text needs a release of torch."""
        applicability = Applicability.SAFE if is_safe else Applicability.UNSAFE
        edits = tuple(edits)
        named = (_HELPER_IS, ".accelerator.")
        if any(name in edit.text and _IMPORT not in edit.text for edit in edits for name in named):
            requires = (*requires, TORCH)
        return self.fix(applicability, edits=edits, requires=requires, since=max(since, FIRST))

    def without_form(self, node: Node, api: str, key: str = "none") -> Finding:
        """Nothing neutral replaces an API."""
        return self.report(node, key, Severity.ERROR, api=api, kind="unsupported")


class DeviceText:
    """How a place in a file names the device: the variable in scope, else a helper that the file gets."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._torch = ctx.spell("torch")

    def forget(self) -> None:
        """Let go of everything."""
        self.__dict__.clear()

    def device(self, at: Node) -> tuple[str, list[Edit]]:
        """The text of the device at a place, and the edits that it relies on."""
        if self._has_device(at):
            return "device", []
        return f"{self._helper_name}()", self._helper_edits()

    def type_of_device(self, at: Node) -> tuple[str, list[Edit]]:
        """The text of the device's type at a place, and the edits that it relies on."""
        if is_where_there_is_one(at):
            return f"{self._torch}.accelerator.current_accelerator().type", []
        text, edits = self.device(at)
        return f"{text}.type", edits

    def _has_device(self, at: Node) -> bool:
        """Whether ``device`` is a device of torch here, whatever runs before, and not only the CPU."""
        source = self._ctx.source
        names, function = source.names, source.enclosing(at, "function_definition")
        here = [
            binding
            for binding in names.bindings("device")
            if function is not None and binding.scope.id == function.id
        ]
        if not here:
            root = self._ctx.source.root.id
            here = [binding for binding in names.bindings("device") if binding.scope.id == root]
        return bool(here) and all(self._is_device(binding, at) for binding in here)

    def _is_device(self, binding: Binding, at: Node) -> bool:
        if binding.statement.end_byte > at.start_byte and not _is_parameter(binding):
            return False
        if _is_parameter(binding):
            holder = parent_of(binding.node)
            annotation = field(holder, "type")
            return annotation is not None and text_of(annotation) == f"{self._torch}.device"
        depth = [node for node in ancestors(binding.statement) if node.type not in _TRANSPARENT]
        is_unconditional = not depth or depth[0].type == "function_definition"
        value = binding.value
        if value is None or not is_unconditional or names_cpu(value, self._ctx):
            return False
        return self._ctx.kind(value) is Kind.DEVICE

    @property
    def _helper_name(self) -> str:
        names = self._ctx.source.names
        mine = (name for name in _OTHER_NAMES if self._is_helper(name))
        free = (name for name in _OTHER_NAMES if not names.bindings(name))
        return next(mine, None) or next(free, _OTHER_NAMES[-1])

    def _is_helper(self, name: str) -> bool:
        """Whether the file has the helper by a name: one that asks torch for the accelerator."""
        defined = (item for item in self._ctx.source.names.bindings(name))
        return any(_MARK in text_of(item.statement) or _MARK in _around(item) for item in defined)

    def _helper_edits(self) -> list[Edit]:
        name = self._helper_name
        if self._is_helper(name):
            return []
        torch, place = self._torch, self._place()
        source = self._ctx.source
        accelerator = f"{torch}.accelerator"
        newline = source.newline
        is_alone = place == 0 and not source.names.bindings(torch)  # an import would come below it
        lines = [
            *([_IMPORT] if is_alone else []),
            "",
            "",
            f"def {name}():",
            f'    """{_HELPER_IS}"""',
            f"    if {accelerator}.is_available():",
            f"        return {accelerator}.current_accelerator()",
            f'    return {torch}.device("cpu")',
        ]
        text = newline.join(lines) + newline
        if place and not source.data[:place].endswith((b"\n", b"\r")):
            text = newline + text.removesuffix(newline)  # behind a last line without an end
        return [Edit(place, place, text)]

    def _place(self) -> int:
        """Behind the imports that the file begins with, and before any code that may need it."""
        lines, end = self._ctx.source.lines, 0
        is_first = True
        for child in self._ctx.source.root.named_children:
            inner = child.named_children[:1]
            is_docstring = is_first and bool(inner) and inner[0].type == "string"
            is_first &= child.type == "comment" or is_docstring
            is_attempt = child.type in ("try_statement", "if_statement") and _only_imports(child)
            if not (child.type in _BEFORE_CODE or is_docstring or is_attempt):
                if end and lines.line_of(child.start_byte) == lines.line_of(end):
                    return lines.line_start(lines.line_of(end))  # code that shares the line of an import
                break
            if child.type != "comment":
                end = child.end_byte
        if not end:
            return self._ctx.source.head_end
        line = lines.line_of(end)
        return lines.line_start(line + 1) if line + 1 < lines.line_count else lines.line_span(line)[1]


def _only_imports(attempt: Node) -> bool:
    """Whether a statement imports, and nothing in it needs the helper, which would come behind it."""
    statements = [node for node in nodes_in(attempt) if node.type in _STATEMENTS]
    imports = [node for node in statements if node.type in _BEFORE_CODE]
    others = [node for node in statements if node.type not in _BEFORE_CODE]
    others += [node for node in (field(attempt, "condition"),) if node is not None]
    return bool(imports) and not any(_NEEDS_HELPER.search(text_of(node)) for node in others)


def device_text(ctx: Context) -> DeviceText:
    """How a file names its device."""
    return ctx.shared(DeviceText)


def is_where_there_is_one(node: Node) -> bool:
    """Whether a place runs only where there is an accelerator: in the arm of a test that asks for one."""
    return any(holds and _asks(condition) for condition, holds in conditions_over(node, *_FUNCTIONS))


def _asks(condition: Node) -> bool:
    """Whether a condition holds only where there is an accelerator, as far as its text shows."""
    text = text_of(condition)
    if " or " in text or text.startswith("not "):
        return False
    return "cuda.is_available()" in text or "accelerator.is_available()" in text


def _is_parameter(binding: Binding) -> bool:
    return binding.kind is BindingKind.PARAMETER


def _around(binding: Binding) -> str:
    holder = parent_of(binding.node)
    return text_of(holder) if holder is not None and holder.type == "function_definition" else ""
