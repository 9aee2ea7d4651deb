"""The two tables of names: what torch_npu has, and what stands for the names below ``torch.cuda``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.facts.names.npu_names import NAMESPACE, OTHER_SPELLING
from gpu2ascend_rules.facts.version_set import bit_of, set_of
from gpu2ascend_rules.model.versions import Version

from .additions import additions
from .columns import (
    COUNTERPARTS,
    CUDA,
    NAMES,
    OLDEST_WHEEL,
    WITHOUT_TORCH_NPU,
    WITHOUT_WHEEL,
    support_file,
    versions_with_yes,
    wheel_columns,
)
from .tsv import Row, TsvError, read_rows
from .without_wheel import CudaLists

ROOT = "torch_npu"


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
    wheels: dict[Version, str]


def name_tables(folder: Path) -> NameTables:
    """The tables that a TSV folder and what we know beside it make.
    Raises TsvError: the files contradict each other."""
    cuda_rows = read_rows(folder / COUNTERPARTS)
    names = _with_parents(_names_of_wheels(read_rows(folder / NAMES), cuda_rows))
    lists = CudaLists(folder, {row["cuda_name"]: row["npu_name"] for row in cuda_rows})
    lacking = {version: lists.lacking(version) for version in WITHOUT_WHEEL}
    names = {name: _in_versions_without_wheel(name, entry, lacking) for name, entry in names.items()}
    for name in _names_of_the_torch_build(folder):
        entry = names.get(name, Name("unknown", True, 0))
        names[name] = entry._replace(versions=entry.versions | bit_of(WITHOUT_TORCH_NPU))
    return NameTables(names, _cuda_names(cuda_rows, names), wheel_columns(cuda_rows[0]))


def _names_of_wheels(name_rows: list[dict[str, str]], cuda_rows: list[dict[str, str]]) -> dict[str, Name]:
    names: dict[str, Name] = {}
    wheels = wheel_columns(name_rows[0])
    for row in name_rows:
        versions = set_of(versions_with_yes(row, wheels))
        _add(names, f"{row['module']}.{row['name']}", Name(row["kind"], row["in_all"] == "yes", versions))
    wheels = wheel_columns(cuda_rows[0])
    for row in cuda_rows:
        if row["npu_name"]:
            _add(names, row["npu_name"], Name(row["kind"], False, set_of(versions_with_yes(row, wheels))))
    for addition in additions():
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
        for parent in _parents(name) if name.startswith(f"{ROOT}.") else ():
            before = complete.get(parent, Name("module", False, 0))
            complete[parent] = before._replace(versions=before.versions | entry.versions)
    return complete


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


def _cuda_names(rows: Iterable[Row], names: dict[str, Name]) -> dict[str, CudaName]:
    found: dict[str, CudaName] = {}
    for row in rows:
        npu_name, relation, documented = row["npu_name"], row["relation"], row["documented"] == "yes"
        versions = names[npu_name].versions if npu_name else 0
        found[row["cuda_name"]] = CudaName(row["kind"], npu_name, relation, documented, versions)
    for addition in additions():
        if addition.cuda_name and addition.cuda_name not in found:
            versions = names[addition.npu_name].versions if addition.npu_name else 0
            found[addition.cuda_name] = CudaName(
                addition.kind, addition.npu_name, addition.relation, False, versions
            )
    return found
