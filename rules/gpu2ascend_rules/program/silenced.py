"""Which rules change the words of a unit: silencing one keeps the unit, selecting one brings the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from ..engine.dispatch import chosen_codes
from ..engine.suppressions import Suppressions
from ..flow.names.files import ProjectFilesView
from ..kinds.registry import kind_file, kind_of_name
from ..model.project.decisions import NO_DECISIONS, Decision, Outcome, Place, ProjectDecisions, begins_number
from ..options.options import MigrationOptions
from ..text.plain.text_file import TextFile
from ..text.source_file import SourceFile
from ..text.syntax import enclosing, text_of
from .word_places import WordPlace, place_of


class _Rules(NamedTuple):
    """The rules of a target that change words of one subject."""

    in_code: Mapping[WordPlace, str]
    """By where they are written."""
    in_settings: str


_DEVICES = _Rules(
    {
        WordPlace.VALUE: "NPU201",
        WordPlace.TEST: "NPU202",
        WordPlace.CHOICE: "NPU203",
        WordPlace.ITEM: "NPU203",
        WordPlace.KEY: "NPU204",
    },
    "NPU1201",
)
_BACKENDS = _Rules({**dict.fromkeys(WordPlace, "NPU401"), WordPlace.ITEM: "NPU402"}, "NPU1202")
_NEUTRAL = _Rules(
    {**dict.fromkeys(WordPlace, "ACC106"), WordPlace.VALUE: "ACC105", WordPlace.CHOICE: "ACC105"}, ""
)
_OF_SCRIPTS = frozenset({"NPU1009", "NPU1012", "NPU1013"})
"""Those that change what shell code and texts within other files give a program."""
_TOGETHER = (
    frozenset({*_DEVICES.in_code.values(), _DEVICES.in_settings})
    | frozenset({*_BACKENDS.in_code.values(), _BACKENDS.in_settings})
    | {"NPU907", *_OF_SCRIPTS},
    frozenset(_NEUTRAL.in_code.values()),
)
"""By target, all of them."""


def silenced_words(
    decided: ProjectDecisions, project: ProjectFilesView, options: MigrationOptions
) -> Mapping[int, tuple[Place, ...]]:
    """The words that an ignore comment or an ignored rule keeps, by the numbers of their units."""
    silences = Silences(options, project)
    moving: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, unit in enumerate(decided.units):
        for path, start in unit.words if unit.outcome is Outcome.MOVES else ():
            moving[path].append((start, number))
    found: defaultdict[int, tuple[Place, ...]] = defaultdict(tuple)
    for path, words in moving.items():
        file = _file_at(path, project) if silences.may_keep(path) else None
        if file is None:
            continue
        of_file = decided.files.get(path, NO_DECISIONS)
        decisions = of_file.words if of_file.is_about(file.data) else {}
        for start, number in sorted(words):
            code = _rule_of(file, start, decisions.get(start), options)
            if code and silences.keeps(file, start, {code}):
                found[number] += (Place(path, file.lines.line_of(start) + 1),)
    return found


class Silences:
    """What ignore comments and ignored rules keep as it is."""

    def __init__(self, options: MigrationOptions, project: ProjectFilesView) -> None:
        self._project = project
        self._with_file = options.project_settings
        self._ignored = frozenset[str]()
        if options.ignore:
            every, runs = (chosen_codes(options.route, (), ignored) for ignored in ((), options.ignore))
            self._ignored = frozenset[str]().union(*_TOGETHER) & (every - runs)
        self._comments: tuple[TextFile, Suppressions] | None = None

    def may_keep(self, path: str) -> bool:
        """Whether they may keep words of a file."""
        return bool(self._ignored) or self._project.may_silence(path)

    def may_keep_given(self, path: str) -> bool:
        """Whether they may keep what a script or another file beside Python gives a program."""
        if not self._ignored.isdisjoint(_OF_SCRIPTS):
            return True
        kind = kind_of_name(path)
        return (kind is None or bool(kind.file.comment_mark)) and self._project.may_silence(path)

    def keeps(self, file: TextFile, start: int, codes: Collection[str]) -> bool:
        """Whether one of some rules changes nothing at a place."""
        if not self._ignored.isdisjoint(codes):
            return True
        if self._comments is None or self._comments[0] is not file:
            self._comments = (file, Suppressions(file, with_file=self._with_file))
        return any(self._comments[1].silences(code, start, start) for code in codes)

    def given(self, path: str, text: str, words: Collection[str]) -> Iterator[Place]:
        """Where a script or another file beside Python keeps a word."""
        file = kind_file(path, text) if self.may_keep_given(path) else None
        if file is None:
            return
        for word in sorted(words):
            for start in file.find_all(word.encode()):
                if self.keeps(file, start, _OF_SCRIPTS):
                    yield Place(path, file.lines.line_of(start) + 1)


def selected_together(options: MigrationOptions) -> tuple[str, ...]:
    """The selected rules with those that change words of the same units, for whoever makes their fixes.

    What scripts give a program are words of devices and of back ends, so that one rule brings all of them.
    """
    chosen = chosen_codes(options.route, options.select, ()) if options.select else frozenset()
    others = (sorted(rules - chosen) for rules in _TOGETHER if rules & chosen)
    return (*options.select, *(code for codes in others for code in codes))


def _file_at(path: str, project: ProjectFilesView) -> TextFile | None:
    if kind_of_name(path) is None:
        return project.python_at(path)
    text = project.text_at(path)
    return kind_file(path, text) if text is not None else None


def _rule_of(file: TextFile, start: int, decision: Decision | None, options: MigrationOptions) -> str:
    """The rule that changes a word; empty where none does."""
    is_neutral = not options.route.owns("NPU201")
    if not isinstance(file, SourceFile):
        is_of_backend = file.data[start : start + 4].lower() == b"nccl"
        rules = _NEUTRAL if is_neutral else _BACKENDS if is_of_backend else _DEVICES
        return rules.in_settings
    if begins_number(file.data, start):
        is_given = is_neutral or decision is None or decision.is_likely
        return "" if is_given else _DEVICES.in_code[WordPlace.TEST]
    node = file.node_at(start, start + 1)
    literal = enclosing(node, "string") if node is not None and node.type != "string" else node
    if literal is None or decision is None:
        return ""
    rules = _NEUTRAL if is_neutral else _BACKENDS if "nccl" in text_of(literal).lower() else _DEVICES
    return rules.in_code[place_of(literal, decision)]
