"""What a new set of packed tables changes, for a person to read before committing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpu2ascend_rules.facts.api_support import SOURCES_KEY
from gpu2ascend_rules.facts.packed.row_format import unpack
from gpu2ascend_rules.facts.packed.sorted_table import SortedTable
from gpu2ascend_rules.facts.version_set import read, versions_in
from gpu2ascend_rules.model.versions import Version

Facts = dict[str, dict[str, str]]
"""What a table says: by version (or ``all versions``), by name."""

ALL = "all versions"


def summary(before: Mapping[str, bytes], after: Mapping[str, bytes], limit: int) -> Iterator[str]:
    """Lines that list, per table and version, what is new, gone and different; ``limit`` names of each."""
    for name in sorted({*before, *after}):
        old, new = (_facts(name, tables.get(name, b"")) for tables in (before, after))
        lines = [
            line for version in sorted({*old, *new}, key=_order) for line in _of(version, old, new, limit)
        ]
        yield f"{name}: {'no change' if not lines else ''}".rstrip()
        yield from lines


def _of(version: str, before: Facts, after: Facts, limit: int) -> Iterator[str]:
    old, new = before.get(version, {}), after.get(version, {})
    added = [f"    + {name}  {new[name]}".rstrip() for name in sorted(new.keys() - old.keys())]
    removed = [f"    - {name}  {old[name]}".rstrip() for name in sorted(old.keys() - new.keys())]
    common = sorted(old.keys() & new.keys())
    changed = [f"    ~ {name}  {old[name]} -> {new[name]}" for name in common if old[name] != new[name]]
    if not added and not removed and not changed:
        return
    yield f"  {version}: {len(added)} added, {len(removed)} removed, {len(changed)} changed"
    for lines in (added, removed, changed):
        yield from lines[:limit]
        if len(lines) > limit:
            yield f"    {lines[0].strip()[0]} ... and {len(lines) - limit} more"


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")) if version != ALL else ()


def _facts(table: str, data: bytes) -> Facts:
    opened = SortedTable(data)
    facts: Facts = {}
    for name, *columns in opened.starting_with(""):
        if name.startswith("#"):
            continue
        for versions, text in _said(table, columns, opened):
            for version in versions or (ALL,):
                facts.setdefault(str(version), {})[name] = text
    return facts


def _said(table: str, columns: list[str], opened: SortedTable) -> Iterator[tuple[tuple[Version, ...], str]]:
    """What a row says of which versions."""
    if table == "support.tsv":
        for variant in columns:
            versions, _, text = variant.partition("=")
            for version in versions_in(read(versions)):
                row = unpack(text, opened.find(f"{SOURCES_KEY} {version}") or [])
                details = (
                    row.status,
                    row.a2,
                    row.a3,
                    row.dt950,
                    row.dtypes,
                    row.flags,
                    row.hw_notes,
                    row.conflict,
                )
                yield (version,), " ".join(filter(None, details))
    elif table == "aliases.tsv":
        yield (), " ".join(columns)
    else:
        yield versions_in(read(columns[0])), " ".join(filter(None, columns[1:]))
