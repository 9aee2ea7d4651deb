"""What the rules of a user's rule file have in common."""

from __future__ import annotations

import bisect
import sys
from collections.abc import Iterable, Iterator
from typing import ClassVar

from ..edits.offsets import Inside, OffsetMap
from ..engine.context import Context
from ..engine.dispatch import is_chosen
from ..engine.rule import Rule
from ..model.custom_rule import PREFIX, CustomRule, may_concern_custom
from ..model.finding import Applicability, Edit, Finding, Fix, Message, Requirement, Rewrite
from ..options.options import MigrationOptions
from ..text.source_file import SourceFile


def custom_findings(ctx: Context) -> Iterator[Finding]:
    """Each place that a rule of the file matches and that something is to be said of."""
    chosen = ctx.options
    for rule, finding in _matches(ctx):
        if finding is not None and is_chosen(rule, chosen.select, chosen.ignore):
            yield finding


def matched_rules(source: SourceFile, options: MigrationOptions) -> frozenset[int]:
    """Which of the options' rules, by index, match something in a file, silenced or not."""
    rules = options.custom
    if not rules or not may_concern_custom(source.data, rules):
        return frozenset()
    indexes: dict[CustomRule, int] = {rule: index for index, rule in enumerate(rules)}
    return frozenset(indexes[given] for _, given, _ in _all(Context(source, options)))


def _matches(ctx: Context) -> Iterator[tuple[OwnRule, Finding | None]]:
    for rule, _, finding in _all(ctx):
        yield rule, finding


def _all(ctx: Context) -> Iterator[tuple[OwnRule, CustomRule, Finding | None]]:
    from ..engine.registry import own_rules

    for rule in own_rules():
        if isinstance(rule, OwnRule):
            given = tuple(item for item in ctx.options.custom if type(item) is rule.takes)
            if given and may_concern_custom(ctx.source.data, given):
                for item, finding in rule.find(given, ctx):
                    yield rule, item, finding


def is_custom(finding: Finding) -> bool:
    """Whether a rule of the user's made a finding."""
    return finding.code.startswith(PREFIX)


class AlreadyApplied:
    """The places in the present text. Offsets are moved along as it changes."""

    def __init__(self) -> None:
        self._written: list[tuple[int, int]] = []
        """Spans that do not overlap, by place."""
        self._applied: dict[tuple[str, int], frozenset[str]] = {}
        """By code and place, the lines of the rules in their file."""

    def after(
        self, edits: Iterable[Edit], applied: Iterable[tuple[Finding, tuple[Edit, ...]]]
    ) -> AlreadyApplied:
        """The places after a pass that made ``edits``, among them those of ``applied`` findings."""
        moves = OffsetMap(edits)
        later = AlreadyApplied()

        def begins(offset: int) -> int:
            """Before what is inserted there."""
            return moves.present(offset, Inside.START, past_insertions=False)

        def ends(offset: int) -> int:
            """Behind what is inserted there."""
            return moves.present(offset, Inside.END)

        written = {(begins(start), ends(end)) for start, end in self._written}
        for (code, at), lines in self._applied.items():
            later._add(code, begins(at), lines)
        for finding, own in applied:
            if is_custom(finding):
                later._add(finding.code, begins(finding.start), _lines(finding))
                written.update((begins(edit.start), ends(edit.end)) for edit in own)
        later._written = sorted(written)
        return later

    def _add(self, code: str, at: int, lines: frozenset[str]) -> None:
        self._applied[code, at] = self._applied.get((code, at), frozenset()) | lines

    def without(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings but for those of the user's rules on what these rules have done."""
        return tuple(item for item in findings if not (is_custom(item) and self._holds(item)))

    def _holds(self, finding: Finding) -> bool:
        index = bisect.bisect_right(self._written, (finding.start, sys.maxsize)) - 1
        if index >= 0 and finding.start < self._written[index][1]:
            return True
        return bool(self._applied.get((finding.code, finding.start), frozenset()) & _lines(finding))


def _lines(finding: Finding) -> frozenset[str]:
    """The lines of the rules that made a finding, which identify the rules of one file."""
    return frozenset(str(dict(finding.message.arguments).get("line", "")).split(", "))


class OwnRule(Rule):
    """A rule that does what rules of one type in a rule file say."""

    takes: ClassVar[type]
    """The rules of the file that it serves."""

    def find(
        self, rules: tuple[CustomRule, ...], ctx: Context
    ) -> Iterator[tuple[CustomRule, Finding | None]]:
        """Each place that one of the rules matches, with what is to be said about it.

        The rules are all of the type that this one takes, in the order of their file. ``None`` where a rule
        matches and leaves the code as it is.
        """
        raise NotImplementedError

    def safe(
        self,
        title: Message,
        edits: tuple[Edit, ...] = (),
        rewrites: tuple[Rewrite, ...] = (),
        requires: frozenset[Requirement] = frozenset(),
    ) -> Fix:
        """The fix that a rule of the file asks for: the user wants it, so it is made."""
        return self.fix(Applicability.SAFE, edits=edits, rewrites=rewrites, requires=requires, title=title)
