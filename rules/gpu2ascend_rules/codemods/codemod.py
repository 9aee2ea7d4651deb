"""What a codemod is: a change of whole modules that an option asks for, and the one order of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from graphlib import TopologicalSorter
from typing import ClassVar, NamedTuple

from tree_sitter import Node

from ..edits.offsets import apply_edits
from ..engine.dispatch import chosen_codes
from ..engine.registry import steps
from ..engine.suppressions import Suppressions
from ..model.finding import Edit, Finding, Message, Severity
from ..model.outcome import Done, FileChange, done_by
from ..options.options import MigrationOptions
from ..text.source_file import SourceFile


class Declined(Exception):
    """A change cannot be exact. ``line`` counts from 1; ``reason`` is for the user."""

    def __init__(self, reason: Message, line: int = 1, node: Node | None = None) -> None:
        self.reason = reason
        self.line = line
        self.node = node
        """The place, if it is not the line as a whole."""
        super().__init__(reason)


class Made(NamedTuple):
    """What a codemod does in one file."""

    edits: tuple[Edit, ...]
    left: tuple[Finding, ...] = ()
    """What is left to a person."""
    done: tuple[Done, ...] | None = None
    """The records, if not one for each edit."""


class Codemod:
    """Base class of all codemods. A class in a module ``on_request`` of a package below this one needs no
    other registration."""

    code: ClassVar[str]
    option: ClassVar[str]
    """The option that asks for it."""
    after: ClassVar[tuple[str, ...]] = ()
    """The options of those whose text it changes further."""
    is_of_program: ClassVar[bool] = False
    """Whether it changes all files of a program together, before the first file is migrated."""
    is_of_programs_files: ClassVar[bool] = True
    """Whether it also changes files that a codemod of the program changes."""
    done_key: ClassVar[str] = ""
    """The key of the message about what was done."""
    declined: ClassVar[Severity] = Severity.ERROR
    """How grave it is that a file stays as it is."""

    def may_change(self, source: SourceFile, options: MigrationOptions) -> bool:
        """Whether a file by itself may have something for it, as far as its words show."""
        return False

    def make(self, source: SourceFile, options: MigrationOptions, ignores: Suppressions) -> Made:
        """What it does in a file.
        Raises Declined: the file cannot be changed as a whole, and stays as it is."""
        raise NotImplementedError

    @property
    def title(self) -> Message:
        """What was done, for the user."""
        return Message.of(f"{self.code}.{self.done_key}")

    def is_asked_for(self, options: MigrationOptions) -> bool:
        """Whether the options ask for it and do not ignore its code."""
        return bool(getattr(options, self.option)) and self.code in chosen_codes(
            options.route, (), options.ignore
        )

    def apply(self, source: SourceFile, options: MigrationOptions) -> FileChange | None:
        """What becomes of a file; ``None`` where there is nothing to do."""
        if not self.is_asked_for(options) or not self.may_change(source, options):
            return None
        ignores = Suppressions(source, with_file=options.project_settings)
        if ignores.has_whole_file(self.code):
            return None
        try:
            edits, left, done = self.make(source, options, ignores)
        except Declined as declined:
            edits, left, done = (), (self.why(source, declined),), None
        if not edits and not left:
            return None
        if done is None:
            done = tuple(done_by(self.code, self.title, edit) for edit in edits)
        text = apply_edits(source.raw, edits).decode("utf-8", "surrogatepass")
        return FileChange(text, edits, done, tuple(ignores.keep(left)))

    def why(self, source: SourceFile, declined: Declined) -> Finding:
        """That a part of a file stays as it is, and why."""
        message = Message.of(f"{self.code}.declined", reason=declined.reason)
        return self.finding(source, declined, message, self.declined)

    def finding(self, source: SourceFile, at: Declined, message: Message, severity: Severity) -> Finding:
        """A finding where something was declined."""
        node = at.node
        span = source.lines.line_span(at.line - 1) if node is None else (node.start_byte, node.end_byte)
        return Finding(self.code, *span, message, severity)


@lru_cache(maxsize=1)
def all_codemods() -> tuple[Codemod, ...]:
    """Every codemod, in the order in which they change a file."""
    steps()  # imports their modules
    known = {codemod.option: codemod() for codemod in Codemod.__subclasses__()}
    order = TopologicalSorter({option: known[option].after for option in sorted(known)})
    return tuple(known[option] for option in order.static_order())


def around_program() -> tuple[tuple[Codemod, ...], tuple[Codemod, ...]]:
    """The codemods that change a file of a program before, and after, the one of the program does."""
    codemods = [item for item in all_codemods() if item.is_of_program or item.is_of_programs_files]
    at = next(number for number, item in enumerate(codemods) if item.is_of_program)
    return tuple(codemods[:at]), tuple(codemods[at + 1 :])


def changed_by(
    codemods: Iterable[Codemod], source: SourceFile, options: MigrationOptions
) -> Sequence[FileChange]:
    """What codemods make of a file, each of the text that the one before it left."""
    changes: list[FileChange] = []
    for codemod in codemods:
        change = codemod.apply(source, options)
        if change is not None:
            changes.append(change)
            source = SourceFile(change.text, source.path)
    return changes
