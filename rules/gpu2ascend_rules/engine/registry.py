"""Every rule and every documented step of a codemod, found by package name.

This is the one place that knows which packages define rules: two of this package, and those that a target
names (:attr:`Target.rules`). They lie above the engine, so they are imported
by name when the rules are first needed: no module of the engine imports them. A module in one of these
packages that defines a rule needs no other registration.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

from ..targets.registry import DEFAULT, all_targets
from ..targets.target import Target
from .outlines import PACKAGES, Outline, instance, outline_of, own_outlines
from .rule import Event, Family, Rule, Step

_ROOT = __name__.partition(".")[0]
_OWN = tuple(f"{_ROOT}.{name}" for name in PACKAGES)
_CODEMODS = f"{_ROOT}.codemods"
_R = TypeVar("_R", bound=Rule)


@lru_cache(maxsize=8)
def _rules_in(*packages: str) -> tuple[Rule, ...]:
    """One instance of every rule that some packages define, by code."""
    for name in packages:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            importlib.import_module(module.name)
    found = {kind.code: instance(kind.__module__, kind.__qualname__) for kind in _concrete(Rule, *packages)}
    return tuple(found[code] for code in sorted(found))


def own_rules() -> tuple[Rule, ...]:
    """The rules of this package, by code: of its own targets, and those that hold for every target."""
    return _rules_in(*_OWN)


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """The rules of all targets, by code. This imports the packages of them all."""
    return _by_code(own_rules(), *(_rules_in(*target.rules) for target in all_targets()))


@lru_cache(maxsize=8)
def rules_of(target: Target) -> tuple[Rule, ...]:
    """The rules of a target's catalogue, by code."""
    return tuple(rule for rule in rules_for(target) if target.owns(rule.code))


def rules_for(target: Target) -> tuple[Rule, ...]:
    """The rules of this package and of a target's own ones, by code: its catalogue is among them."""
    return _by_code(own_rules(), _rules_in(*target.rules))


@lru_cache(maxsize=8)
def outlines_of(target: Target) -> tuple[Outline, ...]:
    """The rules of a target's catalogue, by code, before they are imported."""
    return tuple(outline for outline in outlines_for(target) if target.owns(outline.code))


@lru_cache(maxsize=8)
def outlines_for(target: Target) -> tuple[Outline, ...]:
    """Those of :func:`rules_for`, before they are imported, but for a target's own."""
    found = {outline.code: outline for outline in own_outlines()}
    found |= {rule.code: outline_of(rule) for rule in _rules_in(*target.rules)}
    return tuple(found[code] for code in sorted(found))


@lru_cache(maxsize=1)
def methods_asked_for() -> frozenset[str]:
    """The members and definitions that rules of any version ask about, such as ``cuda`` and ``to``."""
    wants = (want for outline in outlines_for(DEFAULT) for want in outline.wants)
    return frozenset(want.pattern for want in wants if want.event in (Event.MEMBER, Event.DEFINITION))


@lru_cache(maxsize=1)
def steps() -> tuple[Step, ...]:
    """Every step of what is done on request, by code: the classes of the modules ``on_request``."""
    package = importlib.import_module(_CODEMODS)
    for child in pkgutil.iter_modules(package.__path__, f"{_CODEMODS}."):
        name = f"{child.name}.on_request"
        if child.ispkg and importlib.util.find_spec(name) is not None:
            importlib.import_module(name)
    return tuple(sorted((step() for step in _concrete(Step, _CODEMODS)), key=lambda step: step.code))


def all_codes() -> tuple[Rule, ...]:
    """The rules of all targets, and every step."""
    return (*all_rules(), *steps())


def rule_by_code(code: str) -> Rule | None:
    """The rule, or the step of a codemod, with a code or a name. Packages of targets are imported only for
    one that is not here."""
    outline = _outlines_by_code().get(code.upper()) or _outlines_by_code().get(code)
    if outline is not None:
        return outline.rule
    for rules in (steps, all_rules):
        for rule in rules():
            if code.upper() == rule.code or code == rule.name:
                return rule
    return None


@lru_cache(maxsize=1)
def _outlines_by_code() -> Mapping[str, Outline]:
    """Those of the default target, by code and by name; names are in lower case."""
    outlines = outlines_for(DEFAULT)
    return {key: outline for outline in outlines for key in (outline.code, outline.name)}


def _by_code(*parts: tuple[Rule, ...]) -> tuple[Rule, ...]:
    return tuple(sorted((rule for part in parts for rule in part), key=lambda rule: rule.code))


@lru_cache(maxsize=4096)
def has_specific_rule(name: str) -> bool:
    """Whether a rule of another family than the support lists' covers a dotted name."""
    return _is_below(name, _specific_names())


@lru_cache(maxsize=1)
def members_with_rules() -> frozenset[str]:
    """The names of members that rules of other families than the support lists' cover."""
    return _patterns(Event.MEMBER, _specific())


@lru_cache(maxsize=4096)
def has_exclusive_rule(name: str, event: Event) -> bool:
    """Whether the general rules leave an event on a name to a rule that is exclusive."""
    return _is_below(name, _exclusive_names(event))


@lru_cache(maxsize=1)
def _specific_names() -> frozenset[str]:
    return frozenset(name for name in _patterns(Event.NAME, _specific()) if "." in name)


@lru_cache(maxsize=len(Event))
def _exclusive_names(event: Event) -> frozenset[str]:
    return _patterns(event, (outline for outline in outlines_of(DEFAULT) if outline.is_exclusive))


def _specific() -> Iterator[Outline]:
    """Of the catalogue that has the support lists' own: what other targets look at is no reason for these."""
    return (item for item in outlines_of(DEFAULT) if item.family is not Family.SUPPORT and item.is_specific)


def _patterns(event: Event, outlines: Iterable[Outline]) -> frozenset[str]:
    """What rules ask for by an event, without the mark for everything below."""
    wants = (want for outline in outlines for want in outline.wants)
    return frozenset(want.pattern.removesuffix(".**") for want in wants if want.event is event)


def _is_below(name: str, known: frozenset[str]) -> bool:
    """Whether a dotted name is one of those known, or below one. Of a long one the beginning decides."""
    most = _most_parts(known)
    name = ".".join(name.split(".", most)[:most])
    while name:
        if name in known:
            return True
        name = name.rpartition(".")[0]
    return False


@lru_cache(maxsize=len(Event) + 1)
def _most_parts(names: frozenset[str]) -> int:
    return max((name.count(".") + 1 for name in names), default=0)


def _concrete(base: type[_R], *packages: str) -> list[type[_R]]:
    classes: list[type[_R]] = []
    for child in base.__subclasses__():
        if "code" in vars(child) and child.__module__.startswith(packages):
            classes.append(child)
        classes.extend(_concrete(child, *packages))
    return classes
