"""The helper file of converted code, as a package that it can import."""

from __future__ import annotations

import sys
import types
from collections.abc import Collection

from gpu2ascend_rules.similar import MINDSPORE
from gpu2ascend_rules.similar.assemble import modules


def provide(parts: Collection[str]) -> None:
    """Have the package of some parts imported as it would be from a project."""
    package = types.ModuleType(MINDSPORE.package)
    package.__path__ = []
    sys.modules[MINDSPORE.package] = package
    for last, text in modules(parts).items():
        name = f"{MINDSPORE.package}.{last}"
        module = sys.modules[name] = types.ModuleType(name)
        module.__package__ = MINDSPORE.package
        exec(compile(text, name, "exec"), module.__dict__)
        setattr(package, last, module)
