"""The decisions about a project's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from ..flow.names.definitions import Definitions
from ..flow.names.files import ProgramFile, ProgramFiles, ProjectFilesView
from ..flow.names.uses import Uses
from ..flow.subject import Subject
from ..flow.subjects.backends import BACKENDS
from ..flow.subjects.devices import DEVICES
from ..flow.templates import plain_text, string_template
from ..flow.tracing.parts import IsNamed
from ..flow.tracing.tracer import Tracer
from ..flow.tracing.values import End, EndKind, Followed, Value, Word
from ..flow.word_flow import flow_of
from ..limits.checkpoints import TimeLimitError, time_limit
from ..limits.parents import begin_examination, end_examination, parent_of
from ..model.project.decisions import (
    NO_DECISIONS,
    DecidedUnit,
    Decision,
    FileDecisions,
    Outcome,
    Place,
    ProjectDecisions,
)
from ..model.project.inputs import Input, OptionInput, SettingInput
from ..model.project.numbers import NumberQuestion, Numbers
from ..options.options import MigrationOptions
from .evidence import Evidence
from .inputs import Inputs
from .left import left_ends
from .numbers import NumbersOfProgram
from .serving.served import ServedPrograms
from .units import Unit, units_of

_SUBJECTS: tuple[tuple[Subject, tuple[bytes, ...]], ...] = (
    (DEVICES, (b"cuda",)),
    (BACKENDS, (b"nccl", b"NCCL")),
)
_MOST_PLACES = 8


class Program:
    """All files of a project that share words."""

    def __init__(self, project: ProjectFilesView, options: MigrationOptions) -> None:
        self._project = project
        self.files = ProgramFiles(project, options)
        definitions = Definitions(self.files)
        uses = Uses(self.files, definitions)
        self.served = ServedPrograms(project)
        self._inputs = Inputs(project, self.files)
        self._tracers = [
            (Tracer(subject, self.files, definitions, uses, _named(subject)), Evidence(subject, uses), words)
            for subject, words in _SUBJECTS
        ]
        self._numbers = NumbersOfProgram(self.files, definitions, uses, self._tracers[0][0])

    def units(self) -> Iterator[Unit]:
        """The units of all words of the project about which more than a word's own file decides."""
        begin_examination()
        try:
            for tracer, evidence, words in self._tracers:
                followed = dict(self._followed(tracer, words))
                for unit in units_of(followed, evidence.shown):
                    ways = [followed[word] for word in unit.words if word in followed]
                    if (
                        unit.is_joined
                        or unit.flags
                        or unit.served
                        or unit.is_left
                        or any(evidence.is_left_open(way.arrivals) for way in ways)
                    ):
                        yield unit
        finally:
            end_examination()

    def _followed(self, tracer: Tracer, words: tuple[bytes, ...]) -> Iterator[tuple[Word, Followed]]:
        for path in sorted(self._project.files_with_words):
            file = self.files.get(path)
            if file is None:
                continue
            try:
                with time_limit():
                    for string in literals(file, tracer.subject, words):
                        followed, word = tracer.follow(Value(file, string)), Word(path, string.start_byte)
                        left = left_ends(word, followed.ends, self.files)
                        served = self.served.ends(word, followed.ends)
                        yield word, followed._replace(ends=followed.ends.union(left, served))
                        if not followed.uses:
                            yield from self._inputs.options_compared(tracer, string)
            except TimeLimitError:
                continue
        yield from self._inputs.settings(tracer)

    def outcome_of_input(self, given: Input, value: str, decided: ProjectDecisions) -> Outcome | None:
        """What becomes of a value that the program is given; None where no code shows it.

        Args:
            decided: The decisions about the words of the project, with which it must agree.
        """
        begin_examination()
        try:
            for tracer, *_ in self._tracers:
                if tracer.subject.is_text(value):
                    followed = self._inputs.of(given, tracer)
                    if followed is None:
                        return None
                    unit = Unit.of(followed)
                    if self._is_of_served(given, unit.ends):
                        return Outcome.STAYS
                    return _agreed(unit, decided) or unit.outcome
        finally:
            end_examination()
        return None

    def _is_of_served(self, given: Input, ends: frozenset[End]) -> bool:
        """Whether a program that serves the NPU reads an input. Where no code is seen to read a setting, any
        program may."""
        uses = [end for end in ends if end.kind.is_use]
        may_read = isinstance(given, SettingInput) and not uses
        paths = {end.path for end in uses} | ({given.path} if isinstance(given, OptionInput) else set())
        return bool(self.served.all) and (may_read or any(map(self.served.of, paths)))

    def numbers(self, question: NumberQuestion) -> Numbers:
        """What is known of a number that may stand for a device."""
        begin_examination()
        try:
            return self._numbers.answer(question)
        finally:
            end_examination()

    def decisions(self, may_edit: Callable[[str], bool]) -> ProjectDecisions:
        """What becomes of each word that other places decide about.

        Args:
            may_edit: Whether a file of the project, by its path, may be edited.
        """
        found: dict[str, dict[int, Decision]] = {}
        options: dict[str, set[str]] = {}
        paths: set[str] = set()
        units: list[DecidedUnit] = []
        open_units: dict[tuple[str, int], int] = {}
        for count, unit in enumerate(self.units()):
            paths |= unit.paths
            outcome = unit.outcome
            given = dict(self._given(unit)) if outcome is Outcome.MOVES else {}
            for name, texts in given.items():
                options.setdefault(name, set()).update(texts)
            if outcome is None:
                open_units.update(((place.path, place.line), count) for place in self._places_of(unit))
                continue
            held = self._held(unit, may_edit) if outcome is Outcome.MOVES else ()
            if held:
                outcome = Outcome.HELD
            decision = Decision(
                outcome,
                takes=self._places(unit.of_kind(EndKind.TAKES, EndKind.NAMED)),
                refuses=self._places(unit.of_kind(EndKind.REFUSES)),
                held=held,
                words=tuple(self._place(*word) for word in unit.words[:_MOST_PLACES]),
                unknown=self._places(unit.of_kind(EndKind.UNKNOWN)),
                served=self._places(unit.served),
                library=unit.library,
                unit=len(units),
                is_served=unit.is_served,
            )
            units.append(DecidedUnit(outcome, unit.words, frozenset(given)))
            for word in unit.words:
                of_word = decision._replace(is_widened=word in unit.widened)
                found.setdefault(word.path, {})[word.start] = of_word
        files = {path: self._of_file(path, words) for path, words in found.items()}
        moved = {flag: frozenset(texts) for flag, texts in options.items()}
        return ProjectDecisions(files, moved, frozenset(paths), tuple(units), open_units)

    def _given(self, unit: Unit) -> Iterator[tuple[str, set[str]]]:
        """What the words of a unit are given by from outside, each with the words that it no longer takes."""
        texts = set(filter(None, map(self._text, unit.words))) if unit.flags else set()
        yield from ((flag, texts) for flag in unit.flags)
        for word in unit.words:
            names, value = self._inputs.overridden(word)
            yield from ((name, {value}) for name in names)

    def _places_of(self, unit: Unit) -> Iterator[Place]:
        return (self._place(*word) for word in unit.words)

    def _held(self, unit: Unit, may_edit: Callable[[str], bool]) -> tuple[Place, ...]:
        """The words that may not be edited, and the files that may have others and cannot be read."""
        words = [self._place(*word) for word in unit.words if not may_edit(word.path)]
        unread = {other for path in sorted(unit.paths) for other in self.files.unread_importers_of(path)}
        return (*words, *(Place(path, 1) for path in sorted(unread)))[:_MOST_PLACES]

    def _text(self, word: Word) -> str | None:
        """The text of a word."""
        file = self.files.get(word.path)
        string = literal_at(file, word.start) if file is not None else None
        return plain_text(string)

    def _of_file(self, path: str, words: dict[int, Decision]) -> FileDecisions:
        file = self.files.get(path)
        if file is None:
            return NO_DECISIONS
        return FileDecisions.about(file.source.data, words)

    def _places(self, ends: tuple[End, ...]) -> tuple[Place, ...]:
        return tuple(dict.fromkeys(self._place(end.path, end.start) for end in ends))[:_MOST_PLACES]

    def _place(self, path: str, start: int) -> Place:
        file = self.files.get(path)
        return Place(path, file.line_of(start) if file is not None else 1)


def _named(subject: Subject) -> IsNamed:
    """What tells by its own file whether an expression is of a subject."""
    return lambda file, expression: flow_of(subject, file.ctx).is_named(expression)


def _agreed(unit: Unit, decided: ProjectDecisions) -> Outcome | None:
    """What was decided about the words that a value meets."""
    words = (word for end in unit.ends if end.is_certain for word in end.words)
    found = (decided.files.get(word.path, NO_DECISIONS).words.get(word.start) for word in words)
    return next((decision.outcome for decision in found if decision is not None), None)


def literal_at(file: ProgramFile, start: int) -> Node | None:
    """The string literal that begins at an offset."""
    node = file.source.node_at(start, start + 1)
    while node is not None and node.type != "string":
        node = parent_of(node)
    return node


def literals(file: ProgramFile, subject: Subject, words: tuple[bytes, ...]) -> Iterator[Node]:
    """The string literals of a file that are words of a subject, in text order."""
    seen: set[int] = set()
    for word in words:
        for offset in file.source.find_all(word):
            node = file.source.node_at(offset, offset + len(word))
            while node is not None and node.type in ("string_content", "escape_sequence"):
                node = parent_of(node)
            if node is None or node.type != "string" or node.id in seen:
                continue
            seen.add(node.id)
            if subject.is_text(string_template(node)):
                yield node
