"""Packages that gpu2ascend depends on and that a small installation may lack (docs/offline.md)."""

from __future__ import annotations

import importlib.util
import re
from functools import cache

LOOK_UP = "jedi"
"""What looks up types across a project."""
EDITORS = "pygls"
"""What the language server is built on."""
_DISTRIBUTION = "gpu2ascend"


@cache
def is_installed(package: str) -> bool:
    """Whether a package can be imported."""
    return importlib.util.find_spec(package) is not None


def requirement(package: str) -> str:
    """What our metadata asks of a package, such as ``pygls>=2.0,<2.2``; without metadata, its name."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        asked = requires(_DISTRIBUTION) or ()
    except PackageNotFoundError:
        asked = ()
    specifiers = (line.partition(";")[0].strip() for line in asked)
    pattern = re.compile(rf"{re.escape(package)}\b(?!-)")
    return next((line for line in specifiers if pattern.match(line)), package)
