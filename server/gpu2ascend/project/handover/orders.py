"""Work orders: one for a cause of what is left, with its places, what is known, and how it is checked."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules import rule_by_code
from gpu2ascend_rules.explaining import documentation
from gpu2ascend_rules.facts import Facts, SupportStatus
from gpu2ascend_rules.model.finding import Finding, Message, Severity

from ...texts.api_page import ApiPage, api_page, replacement, restrictions
from ...texts.catalogue import Texts
from ...texts.rule_title import title_of
from ..examination import Examination
from ..report.effort.classes import Effort, Findings, Key, cause_of, is_to_do
from ..report.effort.work import Work, WorkCounter
from ..report.result import FileOutcome
from ..report.verdict.way import Way
from .commands import CHECKED_PATHS, Commands, Looked, checks, with_runs
from .left import Chosen, Left, Place, chosen_in, left_in, left_of
from .naming import order_of
from .replacing import Replacement, by_release, is_of_another, named_calls, replacement_of

SHOWN_PLACES = 50
"""Places that are kept of an order; it counts all."""
_ORDER = (Severity.ERROR, Severity.WARNING, Severity.INFORMATION, Severity.HINT)


class WorkOrder(NamedTuple):
    """One thing to do, at one or more places."""

    id: str
    """Stays the same over runs, as long as the rule says the same of the same API."""
    code: str
    name: str
    """The rule's name; empty for a finding that no rule of the catalogue made."""
    title: str
    severity: Severity
    effort: Effort
    effort_because: str
    """How the class follows from the rule, its fixes and the places."""
    on_the_way: bool
    """Whether a program that trains reaches a place of it."""
    reached_from: tuple[str, ...]
    message: str
    """What the rule says at the first place."""
    api: str | None
    why: str
    """Why it matters on the NPU."""
    known: tuple[str, ...]
    """What the tables have of the API for the version and the hardware."""
    replacement: Replacement | None
    """What takes the API's place there."""
    write: str
    """What to write instead."""
    pattern: str
    """The lines of a place, with its names, as they are to be; empty where no rule can write them."""
    fix: str | None
    """The command that makes the fixes of its places, and no others; None where a place has none."""
    check: str
    """The command that ends with 0 once the order is done."""
    verify: str | None
    """The command that runs a program on whose way it is, on a simulated NPU; None where there is none."""
    compare: str | None
    """The same beside the original, with a comparison of the losses, where other code computes now."""
    total: int
    """Places, of which :attr:`places` lists the first ones."""
    places: tuple[Place, ...]


@attrs.define
class Cause:
    """Findings of one rule that says the same of the same API. What it holds does not grow with a project."""

    findings: Findings
    items: list[Left] = attrs.field(factory=list)
    """The first ones."""
    paths: dict[str, None] = attrs.field(factory=dict)
    """Those of all items, up to one more than a command names."""
    pattern: str = ""
    """The first one that an item has."""

    @property
    def on_the_way(self) -> bool:
        """Whether a program that trains reaches a place."""
        return any(not item.way.is_outside for item in self.items)

    @property
    def reached_from(self) -> tuple[str, ...]:
        """The programs that reach a place."""
        return tuple(dict.fromkeys(entry for item in self.items for entry in item.way.reached_from))

    def add(self, item: Left) -> None:
        """Note a finding."""
        self.findings.add(item.finding)
        self.pattern = self.pattern or item.pattern
        if len(self.items) < SHOWN_PLACES:
            self.items.append(item)
        if len(self.paths) <= CHECKED_PATHS:
            self.paths[item.place.path] = None


@attrs.define
class Causes:
    """Collects what is left."""

    directory: Path
    """Of the project."""
    unread: dict[str, Message] = attrs.field(factory=dict)
    """Files that could not be examined, or not as a whole, by path, with the reason."""
    _found: dict[Key, Cause] = attrs.field(factory=dict)
    _with_pattern: set[Key] = attrs.field(factory=set)
    """Those of which no other place is rewritten for a pattern."""
    _work: WorkCounter = attrs.field(factory=WorkCounter)

    def _add(self, items: Iterable[Left], way: Way) -> None:
        noted: list[tuple[Finding, Hashable]] = []
        for item in items:
            finding, key = item.finding, cause_of(item.finding)
            self._found.setdefault(key, Cause(Findings(finding.code))).add(item)
            if item.pattern:
                self._with_pattern.add(key)
            noted.append((finding, (item.place.cell, item.place.line)))
        self._work.add(noted, way)

    @property
    def work(self) -> Work:
        """How much that is."""
        return self._work.work(is_edited=False)

    def add_outcome(self, outcome: FileOutcome) -> None:
        """Note what a migrated file has left, whose new text lies in the directory."""
        self._add(left_of(outcome, self.directory, self._with_pattern), outcome.way)
        if outcome.problem is not None:
            self.unread[outcome.path] = outcome.problem

    def add_file(self, file: Examination, chosen: Collection[Chosen] | None = None) -> None:
        """Note what an examined file of the directory has left, or what is chosen of it."""
        path = Path(file.path).relative_to(self.directory).as_posix()
        known = self._with_pattern
        left = left_in(file, path, known) if chosen is None else chosen_in(file, path, chosen, known)
        self._add(left, file.way)
        if file.problem is not None:
            self.unread[path] = file.problem

    def orders(self, facts: Facts, texts: Texts, looked: Looked) -> tuple[WorkOrder, ...]:
        """What is left as orders, the gravest on the way of the training first."""
        orders = [_order(cause, facts, texts, looked) for cause in self._found.values()]
        return tuple(sorted(orders, key=lambda it: (not it.on_the_way, _ORDER.index(it.severity), -it.total)))


def _order(cause: Cause, facts: Facts, texts: Texts, looked: Looked) -> WorkOrder:
    findings = [item.finding for item in cause.items]
    first = findings[0]
    described = _described(first, texts)
    message = texts.of(first.message)
    known = _known_of(first.api, facts, texts)
    replaces = known.replacement.signature if known.replacement is not None else ""
    calls = [
        line for line in named_calls(message, facts.version, texts) if not replaces or replaces not in line
    ]
    name = order_of(first)
    commands = _commands(cause, name, first, looked)
    return WorkOrder(
        id=name,
        code=first.code,
        name=described.name,
        title=described.title,
        severity=min((finding.severity for finding in findings), key=_ORDER.index),
        effort=cause.findings.effort,
        effort_because=texts.of(cause.findings.because),
        on_the_way=cause.on_the_way,
        reached_from=cause.reached_from,
        message=message,
        api=first.api,
        why=described.why,
        known=tuple(line for line in (*known.said, *calls) if line != message),
        replacement=known.replacement,
        write="" if is_of_another(described.write, message) else described.write,
        pattern=cause.pattern,
        fix=commands.fix,
        check=commands.check,
        verify=commands.verify,
        compare=commands.compare,
        total=cause.findings.total,
        places=tuple(item.place for item in cause.items),
    )


class _Description(NamedTuple):
    """What the rule says of itself."""

    name: str
    title: str
    why: str = ""
    write: str = ""


def _described(finding: Finding, texts: Texts) -> _Description:
    rule = rule_by_code(finding.code)
    if rule is None:
        return _Description("", texts.of(finding.message))
    parts = documentation(rule, texts.language)
    why, write = (" ".join(parts.get(name, "").replace("``", "`").split()) for name in ("why", "instead"))
    return _Description(rule.name, title_of(rule, texts), why, write)


def _commands(cause: Cause, name: str, first: Finding, looked: Looked) -> Commands:
    has_fixes = cause.findings.is_fixable
    is_left = any(is_to_do(item.finding) for item in cause.items)
    commands = checks(name, first.code, cause.paths, looked, is_fixable=has_fixes, is_to_do=is_left)
    if not cause.on_the_way:
        return commands
    is_other = cause.findings.is_replaced or (has_fixes and first.severity is Severity.ERROR)
    return with_runs(commands, cause.reached_from, looked.source if is_other else None)


class _KnownOfApi(NamedTuple):
    """What the tables have of an API."""

    said: tuple[str, ...] = ()
    replacement: Replacement | None = None


def _known_of(api: str | None, facts: Facts, texts: Texts) -> _KnownOfApi:
    if api is None:
        return _KnownOfApi()
    page = api_page(api, facts)
    return _KnownOfApi(tuple(_known(page, facts, texts)), replacement_of(page, facts, texts))


def _known(page: ApiPage, facts: Facts, texts: Texts) -> Iterator[str]:
    if not page.is_known:
        return
    status = facts.status(page.name)
    if status is not SupportStatus.UNKNOWN:
        shown = texts(f"cli.status.{status.value}")
        yield texts("cli.api.status", version=facts.version, hardware=facts.hardware.value, status=shown)
    yield from replacement(page, texts)
    if page.row is not None:
        yield from restrictions(page, page.row, texts)
    yield from by_release(page, facts, texts)
