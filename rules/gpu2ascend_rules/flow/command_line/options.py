"""What becomes of the value of an option, as the rules for Python judge the program that declares it.

The question is put to them as code: in the declaration ``add_argument("--device", ...)`` the value is made
the default, and what the rules make of that default is what must become of the value on the command line.
The field of a dataclass that a program has filled is an option, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

from tree_sitter import Node

from ...edits.offsets.apply import apply_edits
from ...limits.checkpoints import checkpoint
from ...model.finding import Applicability, Edit, Finding
from ...model.project.decisions import Outcome
from ...model.project.inputs import Input, OptionInput
from ...model.project.project_view import ProjectView
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, text_of
from ..templates import plain_text
from .declarations import declaration_of, field_name, field_of, made_by, reads_fields

_MOST_MODULES = 40
"""Modules of a program in which a declaration is looked for."""
_IMPORTED = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([^\n#(]*)|import[ \t]+([\w., \t]+))", re.M
)
_NAME = re.compile(r"\w+")
_COUNTERPARTS = {"cuda": "npu", "nccl": "hccl", "NCCL": "HCCL"}
_NUMBERS = ("int", "float", "bool")


class AsksPython(Protocol):
    """What is asked by the rules for a file of whatever kind: its context."""

    @property
    def project(self) -> ProjectView:
        """The other files."""

    @property
    def options(self) -> MigrationOptions:
        """What was chosen."""

    @property
    def python_findings(self) -> Callable[[SourceFile], tuple[Finding, ...]]:
        """What the rules find in a text of Python."""


class Fate(NamedTuple):
    """What becomes of a value."""

    is_known: bool
    """Whether the program's declaration of the option was found."""
    becomes: str | None = None
    """The value that the migrated program takes in its place; None where it stays."""
    is_safe: bool = False
    """Whether a migration makes that change without being asked."""


_Key = tuple[str, str, str, object]
_KNOWN: WeakKeyDictionary[object, dict[_Key, Fate]] = WeakKeyDictionary()
"""By the view of a project, which is of one state: the same option stands in many scripts."""


def fate_of(program: tuple[str, str], option: str, value: str, ctx: AsksPython) -> Fate:
    """What becomes of the value of an option of a program, which is given by its path and text.

    Args:
        option: Such as ``--device``; of an argument without one its place among those, such as ``0``.
    """
    known = _KNOWN.setdefault(ctx.project, {})
    key = (program[0], option, value, ctx.options)
    if key not in known:
        known[key] = _fate(program, option, value, ctx)
    return known[key]


def _fate(program: tuple[str, str], option: str, value: str, ctx: AsksPython) -> Fate:
    is_read = reads_fields(program[1])
    modules = list(modules_of(program, ctx.project))
    for path, text in modules:
        if not option.isdigit() and option not in text and field_name(option) not in text:
            continue
        source = SourceFile(text, path)
        call = declaration_of(option, source)
        if call is not None and not (_takes(call, value) and any("torch" in item[1] for item in modules)):
            return Fate(is_known=True)
        if call is not None:
            given = OptionInput(path, call.start_byte)
            outcome = ctx.project.outcome_of_input(given, value, ctx.options)
            if outcome is not None:
                return _decided(outcome, value)
            return _judged(*_with_default(source, call, value), value, ctx)
        field = field_of(field_name(option), source) if is_read or reads_fields(text) else None
        if field is not None:
            return _judged(*_with_value(source, field, value), value, ctx)
    return Fate(is_known=False)


def _decided(outcome: Outcome, value: str) -> Fate:
    """What becomes of a value of a unit that the program has decided about."""
    if outcome is not Outcome.MOVES:
        return Fate(is_known=True)
    new = _COUNTERPARTS[value.partition(":")[0]] + value[len(value.partition(":")[0]) :]
    return Fate(is_known=True, becomes=new, is_safe=True)


def fate_of_input(given: Input, value: str, ctx: AsksPython) -> Fate:
    """What becomes of a value that the project's code reads from a configuration or the environment."""
    outcome = ctx.project.outcome_of_input(given, value, ctx.options)
    return _decided(outcome, value) if outcome is not None else Fate(is_known=False)


def fate_of_field(key: str, value: str, ctx: AsksPython) -> Fate:
    """What becomes of a value that a file gives for a field of the project's dataclasses."""
    known = _KNOWN.setdefault(ctx.project, {})
    place = ("", key, value, ctx.options)
    if place not in known:
        known[place] = _of_field(key, value, ctx)
    return known[place]


def _of_field(key: str, value: str, ctx: AsksPython) -> Fate:
    for path in ctx.project.declared_in(f"--{key}"):
        text = ctx.project.text_at(path)
        source = SourceFile(text, path) if text is not None else None
        field = field_of(key, source) if source is not None else None
        if source is not None and field is not None:
            fate = _judged(*_with_value(source, field, value), value, ctx)
            if fate.becomes is not None:
                return fate
    return Fate(is_known=False)


def _takes(declaration: Node, value: str) -> bool:
    """Whether an option takes this text: it wants no number, and the text is among its choices, if listed."""
    arguments = arguments_of(declaration)
    kind, choices = arguments.keyword("type"), arguments.keyword("choices")
    if kind is not None and text_of(kind.value) in _NUMBERS:
        return False
    if choices is None or choices.value.type not in ("list", "tuple", "set"):
        return True
    texts = [plain_text(item) for item in choices.value.named_children if item.type != "comment"]
    return value in texts or any(text is None or value.startswith(f"{text}:") for text in texts)


def modules_of(program: tuple[str, str], project: ProjectView) -> Iterator[tuple[str, str]]:
    """The modules of a program: its script, then those that it imports."""
    seen = {program[0]}
    pending = [program]
    while pending and len(seen) <= _MOST_MODULES:
        checkpoint()
        path, text = pending.pop(0)
        yield path, text
        for module in imported_modules(text):
            found = project.find_module(path, module)
            if found is not None and found[0] not in seen:
                seen.add(found[0])
                pending.append(found)


def imported_modules(text: str) -> Iterator[str]:
    """What a module may import, as it names it: modules, and names that may be modules of a package."""
    for match in _IMPORTED.finditer(text):
        if match[3]:
            yield from (part.split()[0] for part in match[3].split(",") if part.split())
            continue
        yield match[1]
        separator = "" if match[1].endswith(".") else "."
        yield from (f"{match[1]}{separator}{name}" for name in _NAME.findall(match[2]) if name != "as")


def _judged(asked: SourceFile, place: tuple[int, int], value: str, ctx: AsksPython) -> Fate:
    """What the rules make of a value as the default of an option."""
    findings = ctx.python_findings(asked)
    for applicability in (Applicability.SAFE, Applicability.UNSAFE):
        new = _new_text(asked, findings, *place, applicability)
        if new is not None:
            return Fate(is_known=True, becomes=new, is_safe=applicability is Applicability.SAFE)
    return Fate(is_known=True)


def _with_default(source: SourceFile, call: Node, value: str) -> tuple[SourceFile, tuple[int, int]]:
    """The text with a value as the default of an option, and where the value stands between its quotes."""
    arguments = arguments_of(call)
    default = arguments.keyword("default")
    if default is not None:
        edit = Edit(default.value.start_byte, default.value.end_byte, f'"{value}"')
        start = edit.start + 1
    else:
        last = arguments.items[-1].node
        edit = Edit(last.end_byte, last.end_byte, f', default="{value}"')
        start = edit.start + len(', default="')
    return _changed(source, edit), (start, start + len(value))


def _with_value(source: SourceFile, field: Node, value: str) -> tuple[SourceFile, tuple[int, int]]:
    """The text with a value as the default of a dataclass's field, and where it stands."""
    described = made_by(field)
    if described is not None and arguments_of(described).items:
        return _with_default(source, described, value)
    right = field.child_by_field_name("right")
    if right is None:
        edit = Edit(field.end_byte, field.end_byte, f' = "{value}"')
        start = edit.start + len(' = "')
    else:
        edit = Edit(right.start_byte, right.end_byte, f'"{value}"')
        start = edit.start + 1
    return _changed(source, edit), (start, start + len(value))


def _changed(source: SourceFile, edit: Edit) -> SourceFile:
    data = apply_edits(source.raw, [edit])
    return SourceFile(data.decode("utf-8", "surrogatepass"), source.path)


def _new_text(
    source: SourceFile, findings: tuple[Finding, ...], start: int, end: int, applicability: Applicability
) -> str | None:
    """What fixes make of a part of a text; None where none changes it."""
    edits = {
        edit
        for finding in findings
        if finding.fix is not None and finding.applicability is applicability
        for edit in finding.fix.plan.edits
        if start - 1 <= edit.start and edit.end <= end + 1 and edit.start < edit.end
    }
    if not edits:
        return None
    first = min(edits)
    moved = [
        Edit(max(edit.start, start - 1) - start + 1, edit.end - start + 1, edit.text) for edit in [first]
    ]
    return apply_edits(source.raw[start - 1 : end + 1], moved).decode("utf-8", "replace").strip("\"'")
