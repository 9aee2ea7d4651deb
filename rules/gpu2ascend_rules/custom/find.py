"""The findings that the user's rules make in a file."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.context import Context
from ..engine.dispatch import is_chosen
from ..model.custom_rule import CustomRule, may_concern_custom
from ..model.finding import Finding
from ..options.options import MigrationOptions
from ..text.source_file import SourceFile
from .rule_base import OwnRule


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
