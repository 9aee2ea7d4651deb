"""The packed support lists: one line an API, rows that versions share written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gpu2ascend_rules.facts.api_support import SOURCES_KEY
from gpu2ascend_rules.facts.packed.row_format import ListedRow, pack
from gpu2ascend_rules.facts.version_set import bit_of, set_of, written
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version, choose_version

from .columns import ALIASES, OPERATORS, PRIVATE, support_file, versions_with_yes, wheel_columns
from .tsv import TsvError, read_rows

_OWN_PAGE_SINCE = Version(2, 7, 1)
"""The first version of the documentation that has a page on private APIs, which is not split by version."""


def support_lines(folder: Path) -> Iterator[list[str]]:
    """The sources of every version, and every API with its rows: ``<versions>=<row>``."""
    variants: dict[str, dict[str, int]] = {}
    for version in SUPPORTED_VERSIONS:
        rows = read_rows(folder / support_file(version))
        sources = [source for source, _ in Counter(row["source"] for row in rows).most_common()]
        yield [f"{SOURCES_KEY} {version}", *sources]
        seen: set[str] = set()
        for row in rows:
            api = row.pop("api")
            if api in seen:
                raise TsvError(f"{support_file(version)}: {api} twice")
            seen.add(api)
            text = pack(ListedRow(**row), sources)
            of_api = variants.setdefault(api, {})
            of_api[text] = of_api.get(text, 0) | bit_of(version)
    for api, of_api in variants.items():
        yield [api, *(f"{written(bits)}={text}" for text, bits in of_api.items())]


def alias_lines(folder: Path) -> Iterator[list[str]]:
    """Every name of an object that has several, with the others; the documented ones first."""
    others: dict[str, dict[str, None]] = {}
    rows = read_rows(folder / ALIASES)
    for row in rows:
        others.setdefault(row["alias"], {})[row["documented_api"]] = None
    for row in rows:
        others.setdefault(row["documented_api"], {})[row["alias"]] = None
    for name, names in others.items():
        yield [name, *names]


def operator_lines(folder: Path) -> Iterator[list[str]]:
    """Every ATen operator of which the wheels register an overload that computes it forward."""
    operators: dict[str, int] = {}
    rows = read_rows(folder / OPERATORS)
    wheels = wheel_columns(rows[0])
    for row in rows:
        name = row["aten_op"].partition(".")[0]
        operators[name] = operators.get(name, 0) | set_of(versions_with_yes(row, wheels))
    for name, bits in operators.items():
        yield [name, written(bits)]


def private_lines(folder: Path) -> Iterator[list[str]]:
    """Every private API with the versions for which its page speaks, and what it says."""
    rows = read_rows(folder / PRIVATE)
    sources = sorted({row["source"] for row in rows})
    yield [SOURCES_KEY, *sources]
    for row in rows:
        api, first, public_from = row.pop("api"), row.pop("min_torch"), row.pop("public_from")
        since = max(_OWN_PAGE_SINCE, choose_version(first).version if first else _OWN_PAGE_SINCE)
        bits = set_of(version for version in SUPPORTED_VERSIONS if version >= since)
        text = pack(ListedRow(kind="unknown", hw_notes="", tags="", conflict="", **row), sources)
        yield [api, written(bits), text, first, public_from]
