"""The helper file of converted code, as a package that it can import."""

from __future__ import annotations

import sys
import types
from collections.abc import Collection

from gpu2ascend_rules.similar import MINDSPORE
from gpu2ascend_rules.similar.assemble import assemble


def provide(parts: Collection[str]) -> None:
    """Have the package of some parts imported as it would be from a project."""
    package, module = types.ModuleType(MINDSPORE.package), types.ModuleType(MINDSPORE.module)
    name = f"{MINDSPORE.package}.{MINDSPORE.module}"
    module.__name__ = name
    sys.modules[MINDSPORE.package], sys.modules[name] = package, module
    exec(compile(assemble(parts), name, "exec"), module.__dict__)
    setattr(package, MINDSPORE.module, module)
