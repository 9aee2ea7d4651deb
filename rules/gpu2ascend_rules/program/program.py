"""The decisions about a project's words."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from tree_sitter import Node

from ..flow.climb.subject import Subject
from ..flow.subjects.backends import BACKENDS
from ..flow.subjects.devices import DEVICES
from ..flow.templates import string_template
from ..limits.checkpoints import TimeLimitError, time_limit
from ..limits.parents import begin_examination, end_examination, parent_of
from ..model.decisions import NO_DECISIONS, Decision, FileDecisions, Place
from ..options.options import MigrationOptions
from .definitions import Definitions
from .evidence import Evidence
from .files import ProgramFile, ProgramFiles, ProjectFilesView
from .tracing.tracer import Tracer
from .units import Unit, units_of
from .uses import Uses
from .values import End, EndKind, Followed, Value, Word

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
        self._tracers = [
            (Tracer(subject, self.files, definitions, uses), Evidence(subject, uses), words)
            for subject, words in _SUBJECTS
        ]

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
                        or unit.served
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
                        yield Word(path, string.start_byte), tracer.follow(Value(file, string))
            except TimeLimitError:
                continue

    def decisions(self) -> dict[str, FileDecisions]:
        """What becomes of each word that other places decide about, by path."""
        found: dict[str, dict[int, Decision]] = {}
        for unit in self.units():
            outcome = unit.outcome
            if outcome is None:
                continue
            decision = Decision(
                outcome,
                takes=self._places(unit.of_kind(EndKind.TAKES, EndKind.NAMED)),
                refuses=self._places(unit.of_kind(EndKind.REFUSES)),
                words=tuple(self._place(word.path, word.start) for word in unit.words[:_MOST_PLACES]),
                unknown=self._places(unit.of_kind(EndKind.UNKNOWN)),
                served=self._places(unit.served),
                library=unit.library,
            )
            for word in unit.words:
                of_word = decision._replace(is_widened=word in unit.widened)
                found.setdefault(word.path, {})[word.start] = of_word
        return {path: self._of_file(path, words) for path, words in found.items()}

    def _of_file(self, path: str, words: dict[int, Decision]) -> FileDecisions:
        file = self.files.get(path)
        if file is None:
            return NO_DECISIONS
        data = file.source.data
        return FileDecisions(len(data), zlib.crc32(data), words)

    def _places(self, ends: tuple[End, ...]) -> tuple[Place, ...]:
        return tuple(dict.fromkeys(self._place(end.path, end.start) for end in ends))[:_MOST_PLACES]

    def _place(self, path: str, start: int) -> Place:
        file = self.files.get(path)
        return Place(path, file.source.lines.line_of(start) + 1 if file is not None else 1)


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
