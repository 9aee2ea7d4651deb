"""What is known of a rule before its module is imported: a check imports the rules that it may call.

``data/rules.jsonl`` has a line for each module of rules, made from the rules themselves by
``python -m tools.rule_outlines``; a test compares both. A module whose size is not that in its line is
imported, and all are where a table of facts has another size: a new or changed rule needs no registration.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from ..model.versions import Version
from .events import Need
from .rule import Event, Family, Handler, Rule, holds_between

PACKAGES = ("catalog", "custom")
_ROOT = __name__.partition(".")[0]
_TOP = Path(__file__).parents[1]
FILE = _TOP / "data" / "rules.jsonl"
_FAMILIES = {family.value: family for family in Family}
_PLAIN = ("code", "name", "is_exclusive", "is_specific", "only_with", "only_with_option", "leaves_tests")
_FIELDS = (*_PLAIN, "family", "first_version", "last_version", "only_importing", "words")


class Want(NamedTuple):
    """An event that a handler of a rule is called for."""

    event: Event
    pattern: str
    needs: str | None
    """As in the subscription; None for a function, which only the rule has."""
    number: int
    """The place among all of the rule's subscriptions."""
    handler: int
    """The place of the first one of the same handler."""


@attrs.frozen(eq=False, kw_only=True)
class Outline:
    """A rule as far as it is to be known before anything in a file concerns it; see :class:`Rule`."""

    module: str
    class_name: str
    code: str
    name: str
    family: Family
    first_version: Version | None = None
    last_version: Version | None = None
    is_exclusive: bool = False
    is_specific: bool = True
    only_with: str | None = None
    only_importing: frozenset[str] = frozenset()
    only_with_option: str = ""
    leaves_tests: bool = False
    words: tuple[str, ...] = ()
    wants: tuple[Want, ...] = ()
    places: tuple[str, ...] = ()
    """The class of places, by :func:`place_name`, that each handler for files of other kinds wants."""

    @property
    def rule(self) -> Rule:
        """The rule itself; its module is imported now."""
        return instance(self.module, self.class_name)

    def holds_for(self, version: Version) -> bool:
        """Whether the rule says anything about code for that PyTorch version."""
        return holds_between(self.first_version, self.last_version, version)

    def handler(self, want: Want) -> tuple[Handler, Need]:
        """What is to be called for an event, and what a file must have for it."""
        wanted, handler = list(self.rule.handlers())[want.number]
        return handler, wanted.needs

    def place_handler(self, number: int) -> Handler:
        """What is to be called for the class of places with that number."""
        return list(self.rule.place_handlers())[number][1]


@cache
def instance(module: str, class_name: str) -> Rule:
    """The one instance of a rule."""
    made: Rule = getattr(import_module(module), class_name)()
    return made


def place_name(place: type) -> str:
    """A class of places, by its module and name."""
    return f"{place.__module__}.{place.__qualname__}"


def outline_of(rule: Rule) -> Outline:
    """The outline of a rule that is imported."""
    subscriptions = list(rule.handlers())
    handlers = [handler for _, handler in subscriptions]
    wants = [
        Want(event, pattern, needs if isinstance(needs, str) else None, number, handlers.index(handler))
        for number, ((event, pattern, needs), handler) in enumerate(subscriptions)
    ]
    return Outline(
        module=type(rule).__module__,
        class_name=type(rule).__qualname__,
        wants=tuple(wants),
        places=tuple(place_name(place) for place, _ in rule.place_handlers()),
        **{name: getattr(rule, name) for name in _FIELDS},
    )


def own_outlines() -> Iterator[Outline]:
    """The rules of this package. Modules are imported for those only of which the file says nothing."""
    known, tables = _recorded()
    is_current = tables == sizes_of_tables()
    for module, size in modules().items():
        recorded = known.get(module)
        if is_current and recorded is not None and recorded["size"] == size:
            for rule in recorded["rules"]:
                yield _read(module, rule)
        else:
            yield from map(outline_of, rules_in(module))


def rules_in(module: str) -> Iterator[Rule]:
    """The rules that a module defines."""
    for name, item in vars(import_module(module)).items():
        is_rule = isinstance(item, type) and issubclass(item, Rule) and "code" in vars(item)
        if is_rule and item.__module__ == module:
            yield instance(module, name)


def modules() -> dict[str, int]:
    """Each module that may define rules, with its size."""
    found = (one for name in PACKAGES for one in _modules(str(_TOP / name), f"{_ROOT}.{name}"))
    return dict(sorted(found))


def _modules(folder: str, package: str) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            stem, dot, suffix = entry.name.partition(".")
            if suffix == "py":
                yield package if stem == "__init__" else f"{package}.{stem}", entry.stat().st_size
            elif not dot and stem != "__pycache__":
                yield from _modules(entry.path, f"{package}.{stem}")


def sizes_of_tables() -> dict[str, int]:
    """The tables that rules take names from, with their sizes."""
    with os.scandir(_TOP / "data") as entries:
        return dict(sorted((item.name, item.stat().st_size) for item in entries if _is_table(item.name)))


def _is_table(name: str) -> bool:
    return name.endswith((".tsv", ".json"))


def written() -> str:
    """The text of the file as it is to be."""
    lines: list[dict[str, Any]] = [{"tables": sizes_of_tables()}]
    for module, size in modules().items():
        lines.append({"module": module, "size": size, "rules": [_plain(rule) for rule in rules_in(module)]})
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _recorded() -> tuple[dict[str, Any], dict[str, int]]:
    try:
        tables, *lines = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        return {}, {}
    return {line["module"]: line for line in lines}, tables["tables"]


def _plain(rule: Rule) -> dict[str, Any]:
    """An outline as the file has it: what is as in :class:`Rule` is left out."""
    outline = outline_of(rule)
    found: dict[str, Any] = {"class": outline.class_name, "family": outline.family.value}
    for name in _PLAIN:
        if (value := getattr(outline, name)) != getattr(Rule, name, None):
            found[name] = value
    for name in ("first_version", "last_version", "only_importing", "words", "places"):
        if value := getattr(outline, name):
            found[name] = sorted(value) if isinstance(value, frozenset) else list(value)
    alike = groupby(outline.wants, key=lambda want: (want.event.value, want.needs, want.handler))
    if wants := [[*key, *(want.pattern for want in group)] for key, group in alike]:
        found["wants"] = wants
    return found


def _read(module: str, rule: dict[str, Any]) -> Outline:
    first, last = rule.get("first_version"), rule.get("last_version")
    return Outline(
        module=module,
        class_name=rule["class"],
        family=_FAMILIES[rule["family"]],
        first_version=Version(*first) if first else None,
        last_version=Version(*last) if last else None,
        only_importing=frozenset(rule.get("only_importing", ())),
        words=tuple(rule.get("words", ())),
        places=tuple(rule.get("places", ())),
        wants=tuple(_wants(rule.get("wants", ()))),
        **{name: rule[name] for name in _PLAIN if name in rule},
    )


def _wants(groups: Iterable[list[Any]]) -> Iterator[Want]:
    number = 0
    for event, needs, handler, *patterns in groups:
        for pattern in patterns:
            yield Want(Event(event), pattern, needs, number, handler)
            number += 1
