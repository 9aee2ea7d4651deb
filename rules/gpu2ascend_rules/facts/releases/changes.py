"""What later releases of PyTorch and its companions do otherwise, by the form of code that relies on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ...data import load_tsv
from ...model.finding import Applicability, Message
from ...model.versions import Version


class Change(NamedTuple):
    """One change of behaviour; data/changes.tsv says what the columns mean."""

    id: str
    """The end of the id of the message."""
    names: tuple[str, ...]
    """The names that it is about."""
    since: Version | None
    """The first PyTorch that behaves so; None for packages that do not follow PyTorch."""
    pinned: str
    """A requirement with which the code is right as it is: ``numpy<1.24``; empty for none."""
    keyword: str
    position: int | None
    """That of the keyword, where a call may give it by position."""
    becomes: str
    """The new name, or the value of the keyword; empty where a person must decide."""
    fix: Applicability

    def concerns(self, version: Version) -> bool:
        """Whether a version behaves so."""
        return self.since is None or version >= self.since


_RULES = {"name": "NPU008", **dict.fromkeys(("lacks", "given", "real", "kind"), "NPU009")}
"""The rules that report the forms of code which name something."""


def change_named(name: str) -> Message | None:
    """What is said of a qualified name that behaves otherwise, or is not there, in later releases."""
    for form, rule in _RULES.items():
        change = changes(form).get(name)
        if change is not None:
            return Message.of(f"{rule}.{change.id}", api=name, instead=change.becomes)
    return None


@cache
def changes(form: str) -> Mapping[str, Change]:
    """The changes of a form by each name that they are about."""
    rows = (row for row in load_tsv("changes") if row["form"] == form)
    return {name: change for change in map(_read, rows) for name in change.names}


def change_of(form: str) -> Change:
    """The one change of an idiom."""
    return next(iter(changes(form).values()))


def _read(row: Mapping[str, str]) -> Change:
    since = tuple(map(int, row["since"].split("."))) if row["since"] else ()
    return Change(
        row["id"],
        tuple(row["names"].split()),
        Version(*since) if since else None,
        row["pinned"],
        row["keyword"],
        int(row["position"]) if row["position"] else None,
        row["becomes"],
        Applicability(row["fix"] or "manual"),
    )
