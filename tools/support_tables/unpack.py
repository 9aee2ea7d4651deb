"""The reverse of step two: from the packed tables to a folder of TSV files.

A new version is added to what there is, so the facts of the other versions must not be collected anew.
Packing what was unpacked gives the same tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from gpu2ascend_rules.facts.api_support import SOURCES_KEY
from gpu2ascend_rules.facts.names.npu_names import WHEELS_KEY
from gpu2ascend_rules.facts.packed.row_format import unpack
from gpu2ascend_rules.facts.packed.sorted_table import SortedTable
from gpu2ascend_rules.facts.version_set import bit_of, read
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version, choose_version

from .columns import ALIASES, COUNTERPARTS, NAMES, OPERATORS, PRIVATE, SUPPORT_COLUMNS, support_file
from .tsv import write_rows

Wheels = Mapping[Version, str]


def unpack_tables(tables: Mapping[str, bytes], folder: Path) -> None:
    """Write what packed tables hold as TSV files into a folder."""
    opened = {name: SortedTable(data) for name, data in tables.items()}
    wheels = _wheels(opened["npu_names.tsv"])
    columns = tuple(wheels.values())
    folder.mkdir(parents=True, exist_ok=True)
    for version in SUPPORTED_VERSIONS:
        rows = _support_rows(opened["support.tsv"], version)
        write_rows(folder / support_file(version), SUPPORT_COLUMNS, rows)
    write_rows(
        folder / COUNTERPARTS,
        ("cuda_name", "kind", "npu_name", "relation", "documented", "first_seen", *columns),
        _counterpart_rows(opened["counterparts.tsv"], wheels),
    )
    write_rows(
        folder / NAMES,
        ("module", "name", *columns, "kind", "in_all"),
        _name_rows(opened["npu_names.tsv"], wheels),
    )
    write_rows(folder / OPERATORS, ("aten_op", *columns), _operator_rows(opened["operators.tsv"], wheels))
    write_rows(folder / ALIASES, ("alias", "documented_api"), _alias_rows(opened["aliases.tsv"]))
    private = (*SUPPORT_COLUMNS[:1], *SUPPORT_COLUMNS[2:9], "min_torch", "public_from", "source")
    write_rows(folder / PRIVATE, private, _private_rows(opened["private.tsv"]))


def _wheels(names: SortedTable) -> dict[Version, str]:
    entries = (entry.split("=") for entry in names.find(WHEELS_KEY) or ())
    return {choose_version(version).version: wheel for version, wheel in entries}


def _rows(table: SortedTable) -> Iterator[list[str]]:
    return (row for row in table.starting_with("") if not row[0].startswith("#"))


def _yes(versions: str, wheels: Wheels) -> dict[str, str]:
    bits = read(versions)
    return {wheel: "yes" for version, wheel in wheels.items() if bits & bit_of(version)}


def _support_rows(table: SortedTable, version: Version) -> Iterator[dict[str, str]]:
    sources = table.find(f"{SOURCES_KEY} {version}") or []
    for api, *variants in _rows(table):
        for variant in variants:
            versions, _, text = variant.partition("=")
            if read(versions) & bit_of(version):
                yield {"api": api, **unpack(text, sources)._asdict()}


def _counterpart_rows(table: SortedTable, wheels: Wheels) -> Iterator[dict[str, str]]:
    for name, versions, relation, npu_name, kind, documented in _rows(table):
        yes = _yes(versions, wheels)
        fixed = {
            "cuda_name": name, "kind": kind, "npu_name": npu_name, "relation": relation,
            "documented": documented, "first_seen": next(iter(yes), ""),
        }  # fmt: skip
        yield {**fixed, **yes}


def _name_rows(table: SortedTable, wheels: Wheels) -> Iterator[dict[str, str]]:
    for full_name, versions, kind, public in _rows(table):
        module, _, name = full_name.rpartition(".")
        yes = _yes(versions, wheels)
        if module and yes:
            yield {"module": module, "name": name, "kind": kind, "in_all": public, **yes}


def _operator_rows(table: SortedTable, wheels: Wheels) -> Iterator[dict[str, str]]:
    for name, versions in _rows(table):
        yield {"aten_op": name, **_yes(versions, wheels)}


def _alias_rows(table: SortedTable) -> Iterator[dict[str, str]]:
    for name, *others in _rows(table):
        for other in others:
            yield {"alias": name, "documented_api": other}


def _private_rows(table: SortedTable) -> Iterator[dict[str, str]]:
    sources = table.find(SOURCES_KEY) or []
    for api, _, text, first, public_from in _rows(table):
        row = unpack(text, sources)._asdict()
        yield {"api": api, **row, "min_torch": first, "public_from": public_from}
