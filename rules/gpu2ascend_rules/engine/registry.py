"""The rules, a module per family. A module in this package that defines a rule is all it takes."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from functools import lru_cache

from .. import custom
from .rule import Rule


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """One instance of every rule, by code."""
    for package in (sys.modules[__name__], custom):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found = {rule_class.code: rule_class() for rule_class in _concrete(Rule)}
    return tuple(found[code] for code in sorted(found))


@lru_cache(maxsize=1)
def all_codes() -> tuple[Rule, ...]:
    """Every rule and every step of a codemod: these have codes, and are documented as rules are."""
    from ..codemods.amp.documentation import STEPS as AMP_STEPS
    from ..codemods.distributed.documentation import STEPS

    return (*all_rules(), *AMP_STEPS, *STEPS)


def rule_by_code(code: str) -> Rule | None:
    """The rule, or the step of a codemod, of a code or of a name."""
    return next((rule for rule in all_codes() if code.upper() == rule.code or code == rule.name), None)


def _concrete(base: type[Rule]) -> list[type[Rule]]:
    classes: list[type[Rule]] = []
    for child in base.__subclasses__():
        if "code" in vars(child) and child.__module__.startswith((__name__, custom.__name__)):
            classes.append(child)
        classes.extend(_concrete(child))
    return classes
