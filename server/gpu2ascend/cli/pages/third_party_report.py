"""The mode third_party of an analysis, as lines for people and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...project.inspect.library.affected import Need
from ...project.inspect.modes import ThirdParty
from ...project.inspect.packages import PackageUse
from ...project.paths import listed, shown
from ...texts.catalogue import Texts
from ...texts.package_page import advice_text, package_data, status_text

_MOST_APIS = 3
"""APIs that a line about a function names."""


def third_party_lines(found: ThirdParty, texts: Texts) -> Iterator[str]:
    """A line for each affected function, and for each package that the table has; others are counted."""
    for row in found.affected:
        apis = list(dict.fromkeys(use.api for use in row.reaches if use.need is not Need.UNKNOWN))
        if apis:
            named = listed(apis, _MOST_APIS)
            place = f"{shown(row.path)}:{row.line}"
            yield texts("cli.third_party.affected", place=place, name=row.names[0], apis=named)
    others = 0
    for use in found.packages:
        if use.verdict is None:
            others += 1
            continue
        status, advice = package_texts(use, texts)
        place = f"{shown(use.path)}:{use.line}"
        yield texts(
            "cli.third_party.package", place=place, name=use.name, status=status, advice=advice
        ).rstrip()
    if others:
        yield texts("cli.third_party.others", count=others)


def package_texts(use: PackageUse, texts: Texts) -> tuple[str, str]:
    """The verdict on a package, with releases and replacement, and what to do."""
    verdict = use.verdict
    if verdict is None:
        return texts("cli.third_party.unlisted"), ""
    parts = [status_text(verdict, texts)]
    if verdict.replacement:
        parts.append(texts("package.replacement", name=verdict.replacement))
    elif verdict.works_from:
        parts.append(texts("package.from", version=verdict.works_from))
    if use.is_too_old:
        parts.append(texts("cli.third_party.too-old", versions=use.versions))
    return "; ".join(parts), advice_text(verdict, texts)


def third_party_data(found: ThirdParty, texts: Texts) -> dict[str, Any]:
    """The same as plain data; ``--api-files`` reads it."""
    return {
        "affected": [
            {
                "path": shown(row.path),
                "line": row.line,
                "names": list(row.names),
                "reaches": [
                    {"need": use.need.value, "api": use.api, "path": shown(use.path), "line": use.line}
                    for use in row.reaches
                ],
            }
            for row in found.affected
        ],
        "packages": [_package(use, texts) for use in found.packages],
    }


def _package(use: PackageUse, texts: Texts) -> dict[str, Any]:
    known = package_data(use.verdict, texts) if use.verdict is not None else {"status": "unlisted"}
    return {
        **known,
        "name": use.name,
        "path": shown(use.path),
        "line": use.line,
        "imported": use.is_import,
        "guarded": use.is_guarded,
        "requested": use.versions or None,
        "too_old": use.is_too_old,
    }
