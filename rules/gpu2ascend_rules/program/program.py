"""The decisions about a project's words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property, partial
from typing import NamedTuple

from tree_sitter import Node

from ..flow.names.definitions import Definitions
from ..flow.names.files import Notes, ProgramFile, ProgramFiles, ProjectFilesView, SettingWord
from ..flow.names.uses import Uses
from ..flow.subject import Subject
from ..flow.subjects.backends import BACKENDS
from ..flow.subjects.devices import DEVICES
from ..flow.templates import plain_text, string_template
from ..flow.tracing.entries.config_files import READERS
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
    MissingName,
    Outcome,
    Place,
    ProjectDecisions,
)
from ..model.project.inputs import Input, NumberQuestion, Numbers, OptionInput, SettingInput
from ..model.project.shifts import shifted
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


_Ways = Iterator[tuple[Word, Followed]]


class _Way(NamedTuple):
    """Where the words of one file lead, and what was asked to find that."""

    found: tuple[tuple[Word, Followed], ...]
    notes: Notes


class _Followers:
    """What follows words, with all that it comes to know of names on the way."""

    def __init__(self, project: ProjectFilesView, files: ProgramFiles) -> None:
        definitions = Definitions(files)
        uses = Uses(files, definitions)
        self.inputs = Inputs(project, files)
        self.tracers = [
            Tracer(subject, files, definitions, uses, _named(subject)) for subject, _ in _SUBJECTS
        ]
        self.evidence = [Evidence(subject, uses) for subject, _ in _SUBJECTS]
        self.numbers = NumbersOfProgram(files, definitions, uses, self.tracers[0])


class Program:
    """All files of a project that share words.

    Args:
        before: The program of an earlier state of the project: what it has found counts as long as whatever
            was asked for it has the same answer.
        is_kept: Whether it may be the one before another.
        served: The programs that serve the NPU, where somebody else looks for them too.
    """

    def __init__(
        self,
        project: ProjectFilesView,
        options: MigrationOptions,
        before: Program | None = None,
        *,
        is_kept: bool = False,
        served: ServedPrograms | None = None,
    ) -> None:
        self._project = project
        self._options = options
        self._is_kept = is_kept
        self.served = served if served is not None else ServedPrograms(project.unnoted)
        self.files: ProgramFiles = ProgramFiles(
            project, options, before.files if before is not None else None
        )
        self._ways: dict[tuple[int, str], _Way] = {}
        self._texts_read: Mapping[str, Hashable] = {}
        self._decided: tuple[ProjectDecisions, Notes] | None = None
        if before is not None and self._is_known_by(before):
            self._texts_read = before.texts_read
            self._ways = {about: way for about, way in before._ways.items() if self.files.hold(way.notes)}
            if len(self._ways) == len(before._ways) and before._decided is not None:
                self._decided = before._decided if self.files.hold(before._decided[1]) else None
        elif before is not None:
            self.files = ProgramFiles(project, options)
        if is_kept:
            self.setting_words  # noqa: B018 - as they are now, with which those of the next state are compared
        self._whole = _Followers(project, self.files)

    @property
    def project(self) -> ProjectFilesView:
        """The state of the project that it is of."""
        return self._project

    @property
    def texts_read(self) -> Mapping[str, Hashable]:
        """The signs of the files whose texts were read for what their files alone do not show."""
        return {**self._texts_read, **self._project.texts_read}

    def _is_known_by(self, before: Program) -> bool:
        """Whether nothing has changed since but the texts of files that were followed into."""
        project, old = self._project, before._project
        return (
            project.known_facts == old.known_facts
            and all(project.sign_of(path) == sign for path, sign in before.texts_read.items())
            and project.keep_needs(old, self._options, self.files.same)
            and self.served.is_like(before.served, self.files.same)
            and self.setting_words == before.setting_words
        )

    @cached_property
    def setting_words(self) -> tuple[SettingWord, ...]:
        """The words in the configurations of the project, if anything in it reads any."""
        has_readers = any(self._project.importers_of(name) for name in READERS)
        return tuple(self._project.setting_words) if has_readers else ()

    def units(self, notes: Notes) -> Iterator[Unit]:
        """The units of all words of the project about which more than a word's own file decides.

        Args:
            notes: As of :meth:`_made_decisions`.
        """
        begin_examination()
        try:
            for number, evidence in enumerate(self._whole.evidence):
                followed = dict(self._followed(number))
                self.files.notes = notes
                for unit in units_of(followed, evidence.shown):
                    ways = [followed[word] for word in unit.words if word in followed]
                    if (
                        unit.is_joined
                        or unit.flags
                        or unit.served
                        or unit.is_left
                        or unit.counts
                        or any(evidence.is_left_open(way.arrivals) for way in ways)
                    ):
                        yield unit
        finally:
            end_examination()

    def _followed(self, number: int) -> _Ways:
        for path in sorted(self._project.files_with_words):
            yield from self._once((number, path), partial(self._of_words, number, path))
        for name, follow in (("", Inputs.settings), ("--", Inputs.options_counted)):
            yield from self._once((number, name), partial(_of_inputs, number, follow))

    def _once(self, about: tuple[int, str], find: Callable[[_Followers], _Ways]) -> _Ways:
        """What is found of something; nothing more where that takes too long."""
        way = self._ways.get(about)
        if way is not None:
            yield from way.found
            return
        # What one that follows knows of names is known without a question, which the notes would lack.
        followers = _Followers(self._project, self.files) if self._is_kept else self._whole
        notes = self.files.notes = Notes(set(), {})
        found = []
        try:
            for item in find(followers):
                found.append(item)
                yield item
        except TimeLimitError:
            return
        if self._is_kept:
            self._ways[about] = _Way(tuple(found), notes)

    def _of_words(self, number: int, path: str, followers: _Followers) -> _Ways:
        tracer, file = followers.tracers[number], self.files.get(path)
        if file is None:
            return
        with time_limit():
            for string in literals(file, tracer.subject, _SUBJECTS[number][1]):
                followed, word = tracer.follow(Value(file, string)), Word(path, string.start_byte)
                left = left_ends(word, followed.ends, self.files)
                served = self.served.ends(word, followed.ends)
                yield word, followed._replace(ends=followed.ends.union(left, served))
                if not followed.uses:
                    yield from followers.inputs.options_compared(tracer, string)

    def outcome_of_input(self, given: Input, value: str, decided: ProjectDecisions) -> Outcome | None:
        """What becomes of a value that the program is given; None where no code shows it.

        Args:
            decided: The decisions about the words of the project, with which it must agree.
        """
        begin_examination()
        try:
            for tracer in self._whole.tracers:
                if tracer.subject.is_text(value):
                    followed = self._whole.inputs.of(given, tracer)
                    if followed is None:
                        return None
                    unit = Unit.of(followed)
                    if self._is_of_served(given, unit.ends):
                        return Outcome.STAYS
                    listed = self._listed(given, value, decided) if followed.meetings else None
                    return _agreed(unit, decided) or listed or unit.outcome
        finally:
            end_examination()
        return None

    def _listed(self, given: Input, value: str, decided: ProjectDecisions) -> Outcome | None:
        """What was decided about the unit that an entry of a configuration's list belongs to."""
        words = self._whole.inputs.words_of(given, value) if isinstance(given, SettingInput) else frozenset()
        return next((unit.outcome for unit in decided.units if not words.isdisjoint(unit.words)), None)

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
            return self._whole.numbers.answer(question)
        finally:
            end_examination()

    def decisions(self, may_edit: Callable[[str], bool]) -> ProjectDecisions:
        """What becomes of each word that other places decide about.

        Args:
            may_edit: Whether a file of the project, by its path, may be edited.
        """
        if self._decided is None:
            notes = Notes(set(), {})
            self._decided = (self._made_decisions(may_edit, notes), notes)
        return shifted(self._decided[0], self.files.shifts)

    def _made_decisions(self, may_edit: Callable[[str], bool], notes: Notes) -> ProjectDecisions:
        """The decisions.

        Args:
            notes: Receives what was asked beside where words lead.
        """
        found: dict[str, dict[int, Decision]] = {}
        options: dict[str, set[str]] = {}
        paths: set[str] = set()
        units: list[DecidedUnit] = []
        open_units: dict[tuple[str, int], int] = {}
        for count, unit in enumerate(self.units(notes)):
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
                words=tuple(self._place(*word) for word in _first_texts(unit)[:_MOST_PLACES]),
                unknown=self._places(unit.of_kind(EndKind.UNKNOWN)),
                served=self._places(unit.served),
                library=unit.library,
                unit=len(units),
                is_served=unit.is_served,
                names=tuple(self._missing_names(unit)) if outcome is Outcome.MOVES else (),
            )
            units.append(DecidedUnit(outcome, unit.words, frozenset(given)))
            for word in unit.words:
                of_word = decision._replace(is_widened=word in unit.widened)
                found.setdefault(word.path, {})[word.start] = of_word
            for word in unit.counts.difference(unit.words):
                found.setdefault(word.path, {}).setdefault(word.start, decision._replace(is_likely=True))
        files = {path: self._of_file(path, words) for path, words in found.items()}
        moved = {flag: frozenset(texts) for flag, texts in options.items()}
        return ProjectDecisions(files, moved, frozenset(paths), tuple(units), open_units)

    def _given(self, unit: Unit) -> Iterator[tuple[str, set[str]]]:
        """What the words of a unit are given by from outside, each with the words that it no longer takes."""
        texts = set(filter(None, map(self._text, unit.words))) if unit.flags else set()
        yield from ((flag, texts) for flag in unit.flags)
        for word in unit.words:
            names, value = self._whole.inputs.overridden(word)
            yield from ((name, {value}) for name in names)

    def _places_of(self, unit: Unit) -> Iterator[Place]:
        return (self._place(*word) for word in unit.words)

    def _held(self, unit: Unit, may_edit: Callable[[str], bool]) -> tuple[Place, ...]:
        """The words that may not be edited, and the files that may have others and cannot be read."""
        words = [self._place(*word) for word in unit.words if not may_edit(word.path)]
        unread = {other for path in sorted(unit.paths) for other in self.files.unread_importers_of(path)}
        return (*words, *(Place(path, 1) for path in sorted(unread)))[:_MOST_PLACES]

    def _missing_names(self, unit: Unit) -> Iterator[MissingName]:
        """The names made of the words of a unit that the project has for CUDA alone."""
        ends = unit.of_kind(EndKind.SPELLED)[:_MOST_PLACES]
        if not ends:
            return
        from ..flow.made_names import made_name

        for end in ends:
            file = self.files.get(end.path)
            made = (
                made_name(end.node, end.text, file.ctx) if file is not None and end.node is not None else None
            )
            if made is not None:
                yield MissingName(self._place(end.path, end.start), made.name, made.missing)

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


def _first_texts(unit: Unit) -> list[Word]:
    """The words of a unit, and behind them the numbers that count their letters."""
    return sorted(unit.words, key=lambda word: word in unit.counts)


def _of_inputs(number: int, follow: Callable[[Inputs, Tracer], _Ways], followers: _Followers) -> _Ways:
    return follow(followers.inputs, followers.tracers[number])


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
