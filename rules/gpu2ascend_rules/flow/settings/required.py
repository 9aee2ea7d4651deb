"""What a project requires of a package: which releases its code was written for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ...options.specifiers import Clause, parse_clauses

if TYPE_CHECKING:
    from ...engine.context import Context
    from ...engine.places.context import PlaceContext

_LISTS = (
    "requirements.txt", "requirements/base.txt", "requirements/runtime.txt", "pyproject.toml", "setup.py",
    "setup.cfg", "environment.yml", "environment.yaml", "conda.yaml",
)  # fmt: skip
"""Where projects say what they require, as seen from their root."""
Release = tuple[int, ...]


def is_written_for(ctx: Context | PlaceContext, package: str, release: Release) -> bool:
    """Whether a project requires a release of a package or a later one, whose behaviour its code knows."""
    lowest = [
        clause.release for clause in _clauses(ctx, package) if clause.operator not in ("<", "<=", "!=", "^")
    ]
    return bool(lowest) and max(lowest) >= release


def is_kept_below(ctx: Context | PlaceContext, package: str, release: Release) -> bool:
    """Whether a project requires a release of a package that is older than the given one."""
    for clause in _clauses(ctx, package):
        is_before = clause.release < release or (clause.operator == "<" and clause.release == release)
        if clause.operator not in (">", ">=", "!=") and is_before:
            return True
    return False


def _clauses(ctx: Context | PlaceContext, package: str) -> tuple[Clause, ...]:
    return ctx.once(("required", package), lambda: tuple(_read(ctx, package)))


def _read(ctx: Context | PlaceContext, package: str) -> Iterator[Clause]:
    for path in _LISTS:
        text = ctx.project.text_at(path)
        for found in _condition(package).finditer(text) if text else ():
            yield from parse_clauses(found[1])


@lru_cache(maxsize=8)
def _condition(package: str) -> re.Pattern[str]:
    """``torch>=1.7,<2`` and ``pytorch=1.7`` as a requirement, a text in a list, or a line of conda's."""
    name = f"(?:py)?{package}" if package == "torch" else re.escape(package)
    return re.compile(
        rf"(?mi)(?:^|[\"'\s-]){name}\s*(?:=\s*[\"'](?=[\d^~<>=]))?\(?((?:[=<>~!^]*\s*\d[\w.*]*\s*,?\s*)+)"
    )
