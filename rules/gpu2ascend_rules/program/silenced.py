"""Which rules change the words of a unit: silencing one keeps the unit, selecting one brings the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from ..engine.dispatch import chosen_codes
from ..engine.suppressions import Suppressions
from ..model.project.decisions import Decision, FileDecisions, Outcome, Place, ProjectDecisions
from ..options.options import MigrationOptions
from ..text.source_file import SourceFile
from ..text.syntax import enclosing, text_of
from .word_places import WordPlace, place_of

_OF_DEVICES = {
    WordPlace.VALUE: "NPU201",
    WordPlace.TEST: "NPU202",
    WordPlace.CHOICE: "NPU203",
    WordPlace.ITEM: "NPU203",
    WordPlace.KEY: "NPU204",
}
"""The rules that change words, by where these are written."""
_OF_BACKENDS = {**dict.fromkeys(WordPlace, "NPU401"), WordPlace.ITEM: "NPU402"}
_TOGETHER = frozenset(
    {*_OF_DEVICES.values(), *_OF_BACKENDS.values(), "NPU907", "NPU1009", "NPU1012", "NPU1201", "NPU1202"}
)
"""All of them, with those that change what commands, scripts and configurations give a program."""


def silenced_words(
    decided: ProjectDecisions, python_at: Callable[[str], SourceFile | None], options: MigrationOptions
) -> Mapping[int, tuple[Place, ...]]:
    """The words that an ignore comment or an ignored rule keeps, by the numbers of their units.

    Args:
        python_at: The file of the project at a path, if it is Python.
    """
    runs = chosen_codes(options.route, (), options.ignore) if options.ignore else None
    found: defaultdict[int, tuple[Place, ...]] = defaultdict(tuple)
    for path, file in decided.files.items():
        source = python_at(path) if runs is not None or file.may_be_silenced else None
        if source is None or not file.is_about(source.data):
            continue
        comments = Suppressions(source, with_file=options.project_settings)
        for start, code, unit in _rules(source, file):
            if (runs is not None and code not in runs) or comments.silences(code, start, start):
                found[unit] += (Place(path, source.lines.line_of(start) + 1),)
    return found


def selected_together(options: MigrationOptions) -> tuple[str, ...]:
    """The selected rules with those that change words of the same units, for whoever makes their fixes.

    What scripts give a program are words of devices and of back ends, so that one rule brings all of them.
    """
    chosen = chosen_codes(options.route, options.select, ()) if options.select else frozenset()
    return (*options.select, *(sorted(_TOGETHER - chosen) if _TOGETHER & chosen else ()))


def _rules(source: SourceFile, file: FileDecisions) -> list[tuple[int, str, int]]:
    """Of the words of a file that would move, where each begins, the rule that changes it, and its unit."""
    moving = ((start, item) for start, item in file.words.items() if item.outcome is Outcome.MOVES)
    found = ((start, _rule_of(source, start, item), item.unit) for start, item in moving)
    return [(start, code, unit) for start, code, unit in found if code is not None]


def _rule_of(source: SourceFile, start: int, decision: Decision) -> str | None:
    node = source.node_at(start, start + 1)
    literal = enclosing(node, "string") if node is not None and node.type != "string" else node
    if literal is None:
        return None
    rules = _OF_BACKENDS if "nccl" in text_of(literal).lower() else _OF_DEVICES
    return rules[place_of(literal, decision)]
