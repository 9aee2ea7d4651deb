"""The two tables of names: what torch_npu has, and what stands for the names below ``torch.cuda``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ...versions import Version
from ..npu_names import NAMESPACE, OTHER_SPELLING
from ..version_set import bit_of, set_of
from .additions import Addition, read_additions
from .columns import (
    ALIASES,
    COUNTERPARTS,
    NAMES,
    OLDEST_WHEEL,
    WITHOUT_TORCH_NPU,
    WITHOUT_WHEEL,
    support_file,
    versions_with_yes,
    wheel_columns,
)  # fmt: skip
from .tsv import Row, TsvError, read_rows

CUDA = "torch.cuda"


class Name(NamedTuple):
    """A name below ``torch_npu``."""

    kind: str
    is_public: bool
    versions: int


class CudaName(NamedTuple):
    """A name below ``torch.cuda``, and what stands for it in which versions."""

    kind: str
    npu_name: str
    relation: str
    is_documented: bool
    versions: int


class NameTables(NamedTuple):
    """Both tables, by name."""

    npu: dict[str, Name]
    cuda: dict[str, CudaName]


def name_tables(folder: Path) -> NameTables:
    """The tables that a TSV folder and our own additions make.

    Raises:
        TsvError: the files contradict each other.
    """
    additions = read_additions()
    cuda_rows = [*read_rows(folder / COUNTERPARTS)]
    names = _names_of_wheels(read_rows(folder / NAMES), cuda_rows, additions)
    names = _with_parents(names)
    lacking = {version: _lacking(folder, version, cuda_rows) for version in WITHOUT_WHEEL}
    names = {name: _in_versions_without_wheel(name, entry, lacking) for name, entry in names.items()}
    for name in _names_of_the_torch_build(folder):
        entry = names.get(name, Name("unknown", True, 0))
        names[name] = entry._replace(versions=entry.versions | bit_of(WITHOUT_TORCH_NPU))
    return NameTables(names, _cuda_names(cuda_rows, additions, names))


def _names_of_wheels(
    name_rows: list[dict[str, str]], cuda_rows: list[dict[str, str]], additions: Iterable[Addition]
) -> dict[str, Name]:
    names: dict[str, Name] = {}
    wheels = wheel_columns(name_rows[0])
    for row in name_rows:
        versions = set_of(versions_with_yes(row, wheels))
        _add(names, row["module"], Name("module", True, versions))
        _add(names, f"{row['module']}.{row['name']}", Name(row["kind"], row["in_all"] == "yes", versions))
    wheels = wheel_columns(cuda_rows[0])
    for row in cuda_rows:
        if row["npu_name"]:
            _add(names, row["npu_name"], Name(row["kind"], False, set_of(versions_with_yes(row, wheels))))
    for addition in additions:
        if addition.npu_name:
            _add(names, addition.npu_name, Name(addition.kind, False, set_of(addition.versions)))
    return names


def _add(names: dict[str, Name], name: str, entry: Name) -> None:
    """Add a name, or to what is known of it the versions and what was unknown."""
    before = names.get(name)
    if before is None:
        names[name] = entry
    else:
        kind = before.kind if before.kind != "unknown" else entry.kind
        is_public = before.is_public or entry.is_public
        names[name] = Name(kind, is_public, before.versions | entry.versions)


def _with_parents(names: dict[str, Name]) -> dict[str, Name]:
    """The modules, too, that hold a name: ``torch_npu.npu._sanitizer`` for what is in it."""
    complete = dict(names)
    for name, entry in names.items():
        parent = name.rpartition(".")[0]
        while parent:
            _add(complete, parent, Name("module", False, entry.versions))
            parent = parent.rpartition(".")[0]
    return complete


def _lacking(folder: Path, version: Version, cuda_rows: Iterable[Row]) -> frozenset[str]:
    """The NPU names that a version's own support list calls unsupported, by whatever name of the API."""
    known = {row["cuda_name"]: row["npu_name"] for row in cuda_rows}
    same = _same_objects(folder)
    lacking = set()
    for row in read_rows(folder / support_file(version)):
        if row["status"] == "unsupported" and row["api"].startswith(f"{CUDA}."):
            for api in (row["api"], *same.get(row["api"], ())):
                lacking.add(known.get(api) or NAMESPACE + api.removeprefix(CUDA))
    return frozenset(lacking)


def _same_objects(folder: Path) -> dict[str, list[str]]:
    same: dict[str, list[str]] = {}
    for row in read_rows(folder / ALIASES):
        same.setdefault(row["documented_api"], []).append(row["alias"])
        same.setdefault(row["alias"], []).append(row["documented_api"])
    return same


def _in_versions_without_wheel(name: str, entry: Name, lacking: dict[Version, frozenset[str]]) -> Name:
    if not entry.versions & bit_of(OLDEST_WHEEL):
        return entry
    chain = {name, *_parents(name)}
    present = [version for version, names in lacking.items() if names.isdisjoint(chain)]
    return entry._replace(versions=entry.versions | set_of(present))


def _parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _names_of_the_torch_build(folder: Path) -> Iterator[str]:
    """The NPU names of the version without torch_npu, as the tables spell them."""
    yield NAMESPACE
    for row in read_rows(folder / support_file(WITHOUT_TORCH_NPU)):
        if not row["api"].startswith(f"{CUDA}.") or row["status"] == "unsupported":
            continue
        if row["npu_name"] != OTHER_SPELLING + row["api"].removeprefix(CUDA):
            raise TsvError(f"{row['api']} of {WITHOUT_TORCH_NPU} has another NPU name: {row['npu_name']}")
        yield NAMESPACE + row["api"].removeprefix(CUDA)


def _cuda_names(
    rows: Iterable[Row], additions: Iterable[Addition], names: dict[str, Name]
) -> dict[str, CudaName]:
    found: dict[str, CudaName] = {}
    for row in rows:
        npu_name, relation, documented = row["npu_name"], row["relation"], row["documented"] == "yes"
        versions = names[npu_name].versions if npu_name else 0
        found[row["cuda_name"]] = CudaName(row["kind"], npu_name, relation, documented, versions)
    for addition in additions:
        if addition.cuda_name:
            versions = names[addition.npu_name].versions if addition.npu_name else 0
            found[addition.cuda_name] = CudaName(
                addition.kind, addition.npu_name, addition.relation, False, versions
            )
    return found
