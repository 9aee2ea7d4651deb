"""Work orders: one for a cause of what is left, with its places, what is known, and how it is checked."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules import rule_by_code
from gpu2ascend_rules.explaining import documentation
from gpu2ascend_rules.facts import Facts, SupportStatus
from gpu2ascend_rules.model.finding import Applicability, Message, Severity

from ...texts.api_page import api_page, replacement, restrictions
from ...texts.catalogue import Texts
from ...texts.rule_title import title_of
from ...texts.shell import command_line
from ..examination import Examination
from ..report.result import FileOutcome
from .effort import Effort, effort_of
from .left import Chosen, Left, Place, chosen_in, left_in, left_of

SHOWN_PLACES = 50
"""Places that are kept of an order; it counts all."""
_CHECKED_PATHS = 5
"""Paths that the command of an order names; with more, it checks the whole project."""
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
    write: str
    """What to write instead."""
    fix: str | None
    """The command that makes the offered fixes; None where a place has none."""
    check: str
    """The command that ends with 0 once the order is done."""
    total: int
    """Places, of which :attr:`places` lists the first ones."""
    places: tuple[Place, ...]


@attrs.define
class Cause:
    """Findings of one rule that says the same of the same API. What it holds does not grow with a project."""

    items: list[Left] = attrs.field(factory=list)
    """The first ones."""
    total: int = 0
    paths: dict[str, None] = attrs.field(factory=dict)
    """Those of all items, up to one more than a command names."""

    def add(self, item: Left) -> None:
        """Note a finding."""
        self.total += 1
        if len(self.items) < SHOWN_PLACES:
            self.items.append(item)
        if len(self.paths) <= _CHECKED_PATHS:
            self.paths[item.place.path] = None


@attrs.define
class Causes:
    """Collects what is left."""

    directory: Path
    """Of the project."""
    unread: dict[str, Message] = attrs.field(factory=dict)
    """Files that could not be examined, or not as a whole, by path, with the reason."""
    _found: dict[tuple[str, str, str | None], Cause] = attrs.field(factory=dict)

    def _add(self, items: Iterable[Left]) -> None:
        for item in items:
            finding = item.finding
            key = (finding.code, finding.message.id, finding.api)
            self._found.setdefault(key, Cause()).add(item)

    def add_outcome(self, outcome: FileOutcome) -> None:
        """Note what a migrated file has left, whose new text lies in the directory."""
        self._add(left_of(outcome, self.directory))
        if outcome.problem is not None:
            self.unread[outcome.path] = outcome.problem

    def add_file(self, file: Examination, chosen: Collection[Chosen] | None = None) -> None:
        """Note what an examined file of the directory has left, or what is chosen of it."""
        path = Path(file.path).relative_to(self.directory).as_posix()
        self._add(left_in(file, path) if chosen is None else chosen_in(file, path, chosen))
        if file.problem is not None:
            self.unread[path] = file.problem

    def orders(self, facts: Facts, texts: Texts) -> tuple[WorkOrder, ...]:
        """What is left as orders, the gravest on the way of the training first."""
        orders = [_order(cause, facts, texts) for cause in self._found.values()]
        return tuple(sorted(orders, key=lambda it: (not it.on_the_way, _ORDER.index(it.severity), -it.total)))


def _order(cause: Cause, facts: Facts, texts: Texts) -> WorkOrder:
    items = cause.items
    finding = items[0].finding
    rule = rule_by_code(finding.code)
    message = texts.of(finding.message)
    parts = documentation(rule, texts.language) if rule is not None else {}
    has_fixes = all(item.finding.applicability is not Applicability.MANUAL for item in items)
    key = "\0".join((finding.code, finding.message.id, finding.api or ""))
    return WorkOrder(
        id=f"{finding.code}-{hashlib.sha256(key.encode()).hexdigest()[:8]}",
        code=finding.code,
        name=rule.name if rule is not None else "",
        title=title_of(rule, texts) if rule is not None else message,
        severity=min((item.finding.severity for item in items), key=_ORDER.index),
        effort=effort_of([item.finding for item in items], cause.total),
        on_the_way=any(not item.way.is_beside for item in items),
        reached_from=tuple(dict.fromkeys(entry for item in items for entry in item.way.reached_from)),
        message=message,
        api=finding.api,
        why=_joined(parts.get("why", "")),
        known=tuple(_known(finding.api, facts, texts)) if finding.api is not None else (),
        write=_joined(parts.get("instead", "")),
        fix=_command(finding.code, cause, "--fix", "--unsafe-fixes") if has_fixes else None,
        check=_command(finding.code, cause),
        total=cause.total,
        places=tuple(item.place for item in items),
    )


def _known(api: str, facts: Facts, texts: Texts) -> Iterator[str]:
    page = api_page(api, facts)
    if not page.is_known:
        return
    status = facts.status(page.name)
    if status is not SupportStatus.UNKNOWN:
        shown = texts(f"cli.status.{status.value}")
        yield texts("cli.api.status", version=facts.version, hardware=facts.hardware.value, status=shown)
    yield from replacement(page, texts)
    if page.row is not None:
        yield from restrictions(page, page.row, texts)


def _command(code: str, cause: Cause, *flags: str) -> str:
    named = [f"./{path}" if path.startswith("-") else path for path in cause.paths]
    named = named if len(cause.paths) <= _CHECKED_PATHS else ["."]
    return command_line("gpu2ascend", "check", "--select", code, *flags, *named)


def _joined(text: str) -> str:
    """A part of a docstring as one line, with the marks of code that messages have."""
    return " ".join(text.replace("``", "`").split())
