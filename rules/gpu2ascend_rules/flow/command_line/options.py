"""What becomes of the value of an option, by what the program that declares it does with the value.

The field of a dataclass that a program has filled is an option, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

from tree_sitter import Node

from ...engine.context import Context
from ...limits.checkpoints import checkpoint
from ...model.project.decisions import Outcome
from ...model.project.inputs import Input, OptionInput
from ...model.project.project_view import ProjectView
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, text_of
from ..subjects.backends import BACKENDS
from ..subjects.devices import DEVICES
from ..templates import plain_text
from ..tracing.calls.declarations import declaration_of, field_name, field_of, reads_fields
from ..verdicts import Role
from ..word_flow import flow_of
from ..words import is_device_text, npu_text

_MOST_MODULES = 40
"""Modules of a program that are read to find a declaration."""
_IMPORTED = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([^\n#(]*)|import[ \t]+([\w., \t]+))", re.M
)
_NAME = re.compile(r"\w+")
_COUNTERPARTS = {"nccl": "hccl", "NCCL": "HCCL"}
_NUMBERS = ("int", "float", "bool")


class AsksProject(Protocol):
    """What rules for a file of whatever kind know of the project: their context."""

    @property
    def project(self) -> ProjectView:
        """The other files."""

    @property
    def options(self) -> MigrationOptions:
        """What was chosen."""


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
"""By the view of a project, which is of one state: the same option is in many scripts."""


def fate_of(program: tuple[str, str], option: str, value: str, ctx: AsksProject) -> Fate:
    """What becomes of the value of an option of a program, which is given by its path and text.

    Args:
        option: Such as ``--device``; of an argument without one its place among those, such as ``0``.
    """
    known = _KNOWN.setdefault(ctx.project, {})
    key = (program[0], option, value, ctx.options)
    if key not in known:
        known[key] = _fate(program, option, value, ctx)
    return known[key]


def _fate(program: tuple[str, str], option: str, value: str, ctx: AsksProject) -> Fate:
    is_read = reads_fields(program[1])
    modules, has_torch = _declaring(program, option, ctx)
    for path, text in modules:
        if not option.isdigit() and option not in text and field_name(option) not in text:
            continue
        source = SourceFile(text, path)
        call = declaration_of(option, source)
        if call is not None:
            is_taken = has_torch and _takes(call, value)
            return _declared(call, source, value, ctx) if is_taken else Fate(is_known=True)
        field = field_of(field_name(option), source) if is_read or reads_fields(text) else None
        if field is not None:
            return _declared(field, source, value, ctx)
    return Fate(is_known=False)


def _declaring(program: tuple[str, str], option: str, ctx: AsksProject) -> tuple[list[tuple[str, str]], bool]:
    """The modules that may declare an option of a program, and whether torch is used in them."""
    modules = list(modules_of(program, ctx.project))
    if len(modules) < _MOST_MODULES:
        return modules, any("torch" in text for _, text in modules)
    # The program is too large to be looked through: who declares it at all.
    texts = ((path, ctx.project.text_at(path)) for path in ctx.project.declared_in(option))
    return [*modules, *((path, text) for path, text in texts if text is not None)], True


def _declared(declaration: Node, source: SourceFile, value: str, ctx: AsksProject) -> Fate:
    """What becomes of a value of an option, by the call, the parameter or the field that declares it."""
    outcome = ctx.project.program.outcome_of_input(
        OptionInput(source.path, declaration.start_byte), value, ctx.options
    )
    if outcome is not None:
        return _decided(outcome, value)
    is_parameter = declaration.type == "identifier"
    return Fate(is_known=False) if is_parameter else _judged(declaration, source, value, ctx)


def _decided(outcome: Outcome, value: str) -> Fate:
    """What becomes of a value of a unit that the program has decided about."""
    if outcome is not Outcome.MOVES:
        return Fate(is_known=True)
    return Fate(is_known=True, becomes=_counterpart(value), is_safe=True)


def _counterpart(value: str) -> str:
    return npu_text(value) if is_device_text(value) else _COUNTERPARTS[value]


def fate_of_input(given: Input, value: str, ctx: AsksProject) -> Fate:
    """What becomes of a value that the project's code reads from a configuration or the environment."""
    outcome = ctx.project.program.outcome_of_input(given, value, ctx.options)
    return _decided(outcome, value) if outcome is not None else Fate(is_known=False)


def fate_of_field(key: str, value: str, ctx: AsksProject) -> Fate:
    """What becomes of a value that a file gives for a field of the project's dataclasses."""
    known = _KNOWN.setdefault(ctx.project, {})
    place = ("", key, value, ctx.options)
    if place not in known:
        known[place] = _of_field(key, value, ctx)
    return known[place]


def _of_field(key: str, value: str, ctx: AsksProject) -> Fate:
    for path in ctx.project.declared_in(f"--{key}"):
        text = ctx.project.text_at(path)
        source = SourceFile(text, path) if text is not None else None
        field = field_of(key, source) if source is not None else None
        if source is not None and field is not None:
            fate = _declared(field, source, value, ctx)
            if fate.becomes is not None:
                return fate
    return Fate(is_known=False)


def _takes(declaration: Node, value: str) -> bool:
    """Whether an option takes this text: it wants no number, and the text is among its choices, if listed."""
    if declaration.type != "call":
        return True
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
    for _ in range(_MOST_MODULES):
        if not pending:
            return
        checkpoint()
        path, text = pending.pop(0)
        yield path, text
        for module in imported_modules(text):
            place = project.path_of_module(path, module)
            found = project.find_module(path, module) if place is not None and place not in seen else None
            if found is not None:
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


def _judged(declaration: Node, source: SourceFile, value: str, ctx: AsksProject) -> Fate:
    """What becomes of a value that the option or the field of a declaration gets, by the uses of it."""
    subject = next((item for item in (DEVICES, BACKENDS) if item.is_text(value)), None)
    if subject is None:
        return Fate(is_known=True)
    with Context(source, ctx.options, ctx.project) as asked:
        role = flow_of(subject, asked).role_of_given(declaration, value).role
    if role not in (Role.CONSUMED, Role.UNKNOWN):
        return Fate(is_known=True)
    return Fate(is_known=True, becomes=_counterpart(value), is_safe=role is Role.CONSUMED)
