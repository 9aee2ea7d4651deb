"""What a person reads of findings: each cause once, with its places."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple, TypeVar

import attrs

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import REPLACEMENT, Applicability, Finding, Message, Severity

SHOWN_PLACES = 5
"""Further places that are named beside the first; the reports for programs have all."""

T = TypeVar("T")


class CauseDetails(NamedTuple):
    """What else is known of a cause."""

    api: str | None = None
    """The API that it is about."""
    kind: str = ""
    """As of :class:`~gpu2ascend_rules.model.finding.Finding`."""
    applicability: Applicability = Applicability.MANUAL
    replaces: bool = False
    """Whether an equivalent of ours can take the place of the API."""

    @classmethod
    def of(cls, finding: Finding) -> CauseDetails:
        """What a finding says."""
        replaces = finding.fix is not None and finding.fix.kind == REPLACEMENT
        return cls(finding.api, finding.kind, finding.applicability, replaces)


NO_DETAILS = CauseDetails()


@attrs.define
class Cause:
    """One thing to know, which holds at one or more places. What it holds does not grow with the project."""

    code: str
    severity: Severity
    text: str
    place: str
    """The first one."""
    more: list[str] = attrs.field(factory=list)
    """The next ones, up to the number that is named."""
    count: int = 1
    about: CauseDetails = NO_DETAILS
    is_outside: bool = False
    """Whether its places are in files that no training reaches."""

    def add(self, place: str, named: int = SHOWN_PLACES) -> None:
        """Note a further place."""
        self.count += 1
        if len(self.more) < named:
            self.more.append(place)


@attrs.define
class Causes:
    """Collects findings by their cause: the rule, the severity and the message, with the API."""

    named: int = SHOWN_PLACES
    """Further places of a cause that are kept beside the first."""
    _found: dict[Hashable, Cause] = attrs.field(factory=dict)

    def add(
        self,
        code: str,
        severity: Severity,
        text: str,
        place: str,
        about: CauseDetails = NO_DETAILS,
        *,
        is_outside: bool = False,
    ) -> None:
        """Note a finding."""
        key = (code, severity, text, is_outside)
        known = self._found.get(key)
        if known is None:
            self._found[key] = Cause(code, severity, text, place, about=about, is_outside=is_outside)
        else:
            known.add(place, self.named)

    def in_order(self) -> tuple[Cause, ...]:
        """Each cause, in the order of their first places, those on the way of the training first."""
        return tuple(sorted(self._found.values(), key=lambda cause: cause.is_outside))


def by_cause(items: Iterable[T], cause: Callable[[T], Hashable]) -> list[list[T]]:
    """The items that have a cause in common together, in the order of the first of each."""
    found: dict[Hashable, list[T]] = {}
    for item in items:
        found.setdefault(cause(item), []).append(item)
    return list(found.values())


def further_places(places: Iterable[str], count: int, language: str) -> str:
    """What follows the first place, or the text, of a cause with ``count`` further places."""
    if not count:
        return ""
    named = list(places)[:SHOWN_PLACES]
    listed = ", ".join(named) + (", …" if count > len(named) else "")
    return render(Message.of("project.further-places", count=count, places=listed), language)
