"""What a survey knows of each project, and of all of them together."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules import rule_by_code

from ..texts.plain_data import plain_data


class State(enum.Enum):
    """How a project stands, the worst first."""

    FAILED = "failed"
    """It could not be looked at."""
    BLOCKED = "blocked"
    """Something is left that raises, could not be examined, or keeps the whole from training."""
    OPEN = "open"
    """It moves; a person has something to decide."""
    READY = "ready"
    """It moves, and nothing is known that is left."""
    UNTOUCHED = "untouched"
    """There is nothing to migrate."""


class Left(NamedTuple):
    """Findings of one cause that a migration leaves in a project."""

    code: str
    severity: str
    text: str
    api: str | None
    places: int


@attrs.frozen(kw_only=True)
class Surveyed:
    """One project."""

    path: str
    """As text that can be shown."""
    state: State
    version: str = ""
    """Of PyTorch, that it was looked at with."""
    chosen: str = ""
    """Which version that is and why, where no option names it."""
    counts: Mapping[str, int] = attrs.field(factory=dict)
    """Those of a migration's summary."""
    obstacles: tuple[str, ...] = ()
    """What keeps the whole from training."""
    left: tuple[Left, ...] = ()
    unexamined: tuple[str, ...] = ()
    """Files that could not be examined, each with the reason."""
    problem: str | None = None
    """Why it could not be looked at."""

    def document(self) -> dict[str, Any]:
        """As plain data."""
        found: dict[str, Any] = plain_data(self)
        return found

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Surveyed:
        """From such data. Raises KeyError, TypeError, ValueError: it is no project."""
        left = tuple(Left(**item) for item in document["left"])
        texts = {name: tuple(document[name]) for name in ("obstacles", "unexamined")}
        return cls(**{**document, **texts, "state": State(document["state"]), "left": left})


class Ranked(NamedTuple):
    """A cause, or an API, over all projects."""

    name: str
    about: str
    projects: int
    places: int


@attrs.frozen
class Survey:
    """All projects, in the order in which they were named."""

    projects: tuple[Surveyed, ...]

    def in_state(self, state: State) -> int:
        """How many stand so."""
        return sum(project.state is state for project in self.projects)

    @property
    def moving(self) -> int:
        """How many can move as they are."""
        return sum(self.in_state(state) for state in (State.READY, State.OPEN, State.UNTOUCHED))

    def blockers(self) -> list[Ranked]:
        """The rules whose errors are left, those of the most projects first."""
        return self._ranked(lambda left: left.code if left.severity == "error" else None, _rule_name)

    def apis(self) -> list[Ranked]:
        """The APIs that the NPU lacks, or has in part, where a migration leaves them."""
        severe = ("error", "warning", "information")
        return self._ranked(
            lambda left: left.api if left.severity in severe else None, lambda left: left.code
        )

    def _ranked(self, name: Callable[[Left], str | None], about: Callable[[Left], str]) -> list[Ranked]:
        projects: Counter[str] = Counter()
        places: Counter[str] = Counter()
        said: dict[str, str] = {}
        for project in self.projects:
            names = {item: name(item) for item in project.left}
            projects.update({key for key in names.values() if key})
            for item, key in names.items():
                if key:
                    places[key] += item.places
                    said.setdefault(key, about(item))
        ranked = [Ranked(key, said[key], projects[key], places[key]) for key in projects]
        return sorted(ranked, key=lambda item: (-item.projects, -item.places, item.name))


def _rule_name(left: Left) -> str:
    rule = rule_by_code(left.code)
    return rule.name if rule is not None else ""


def survey_of(projects: Iterable[Surveyed]) -> Survey:
    """The survey of projects."""
    return Survey(tuple(projects))
