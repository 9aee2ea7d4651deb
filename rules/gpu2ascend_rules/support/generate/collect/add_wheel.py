"""Enter what a torch_npu wheel has into the TSV files of names and operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ....versions import Version, choose_version
from ..columns import COUNTERPARTS, NAMES, OPERATORS, wheel_columns
from ..tsv import read_rows, write_rows
from .operators import custom_operators, registered_operators
from .wheel import UNCERTAIN, Wheel

Row = dict[str, str]

MODULES = (
    "torch_npu", "torch_npu.contrib", "torch_npu.contrib.function", "torch_npu.contrib.module",
    "torch_npu.distributed", "torch_npu.npu", "torch_npu.npu.amp", "torch_npu.optim", "torch_npu.profiler",
    "torch_npu.utils",
)  # fmt: skip
"""The modules whose public names the tables have."""


class _Table(NamedTuple):
    """A TSV file that has a column for every wheel."""

    path: Path
    columns: list[str]
    rows: list[Row]

    @classmethod
    def read(cls, path: Path) -> _Table:
        rows = read_rows(path)
        return cls(path, list(rows[0]), rows)

    def with_column(self, wheel: Wheel) -> dict[Version, str]:
        """Make a column for a wheel in the place of the same PyTorch version's; all wheels, oldest first."""
        version = choose_version(wheel.version).version
        columns = wheel_columns(self.columns)
        if version in columns:
            place = self.columns.index(columns[version])
            del self.columns[place]
        else:
            older = [self.columns.index(column) for v, column in columns.items() if v < version]
            place = max(older, default=min(map(self.columns.index, columns.values()), default=1) - 1) + 1
        self.columns.insert(place, wheel.version)
        return wheel_columns(self.columns)

    def write(self) -> None:
        write_rows(self.path, self.columns, self.rows)


def add_wheel(folder: Path, wheel: Wheel) -> list[str]:
    """Enter a wheel into the files of a folder; the names of which the wheel alone does not tell.

    For such a name the nearest other wheel's word is taken, an older one's first.
    """
    _add_names(_Table.read(folder / NAMES), wheel)
    _add_operators(_Table.read(folder / OPERATORS), wheel)
    return _add_counterparts(_Table.read(folder / COUNTERPARTS), wheel)


def public_names(wheel: Wheel) -> Iterator[tuple[str, str, str]]:
    """Every public name of the modules that the tables have: module, name, kind."""
    for module in MODULES:
        names = wheel.public_names(module)
        if module == MODULES[0]:
            names.update((name, "op") for name in custom_operators(wheel) if name not in names)
        for name, kind in sorted(names.items()):
            yield module, name, kind


def _add_names(table: _Table, wheel: Wheel) -> None:
    wheels = table.with_column(wheel)
    known = {(row["module"], row["name"]): row for row in table.rows}
    found = {(module, name): kind for module, name, kind in public_names(wheel)}
    for (module, name), kind in found.items():
        if (module, name) not in known:
            row = {"module": module, "name": name, "kind": kind, "in_all": ""}
            known[module, name] = row
            table.rows.append(row)
    for (module, name), row in known.items():
        is_there = (module, name) in found or bool(
            _told(row, wheel.kind_of(f"{module}.{name}"), wheels, wheel)
        )
        row[wheel.version] = "yes" if is_there else ""
        exported = wheel.module(module)
        if exported is not None and exported.exported is not None and is_there:
            row["in_all"] = "yes" if name in exported.exported else row["in_all"]
    table.rows.sort(key=lambda row: (row["module"], row["name"]))
    table.write()


def _add_operators(table: _Table, wheel: Wheel) -> None:
    table.with_column(wheel)
    registered = registered_operators(wheel)
    known = {row["aten_op"] for row in table.rows}
    table.rows.extend({"aten_op": name} for name in registered - known)
    for row in table.rows:
        row[wheel.version] = "yes" if row["aten_op"] in registered else ""
    table.rows.sort(key=lambda row: row["aten_op"])
    table.write()


def _add_counterparts(table: _Table, wheel: Wheel) -> list[str]:
    wheels = table.with_column(wheel)
    uncertain = []
    for row in table.rows:
        if not row["npu_name"]:
            _find_counterpart(row, wheel)
        kind = wheel.kind_of(row["npu_name"]) if row["npu_name"] else None
        row[wheel.version] = _told(row, kind, wheels, wheel)
        if kind == UNCERTAIN:
            uncertain.append(f"{row['npu_name']}: {row[wheel.version] or 'no'}")
        row["first_seen"] = next((column for column in wheels.values() if row.get(column) == "yes"), "")
    table.write()
    return uncertain


def _find_counterpart(row: Row, wheel: Wheel) -> None:
    """Give a name of ``torch.cuda`` that had no counterpart the one that the wheel has, if any."""
    same = "torch_npu.npu" + row["cuda_name"].removeprefix("torch.cuda")
    renamed = same.replace("CUDA", "NPU").replace("cuda", "npu")
    for name, relation in ((same, "same_name"), (renamed, "renamed")):
        if wheel.kind_of(name) not in (None, UNCERTAIN):
            row["npu_name"], row["relation"] = name, relation
            return


def _told(row: Row, kind: str | None, wheels: dict[Version, str], wheel: Wheel) -> str:
    """``yes`` or nothing; for what the wheel does not tell, what the nearest other wheel's column says."""
    if kind != UNCERTAIN:
        return "yes" if kind is not None else ""
    version = choose_version(wheel.version).version
    others = [other for other in wheels if other != version and wheels[other] in row]
    older = [other for other in others if other < version]
    newer = [other for other in others if other > version]
    if not others:
        return "yes"
    return row[wheels[max(older) if older else min(newer)]]


def compare(folder: Path, wheel: Wheel, report: Callable[[str], None]) -> int:
    """Report every difference between a wheel and its version's column; the number of differences."""
    version = choose_version(wheel.version).version
    differences = [
        *_differences(folder / NAMES, version, _all_names(wheel)),
        *_differences(folder / OPERATORS, version, registered_operators(wheel)),
    ]
    for line in differences:
        report(line)
    return len(differences)


def _all_names(wheel: Wheel) -> set[str]:
    return {f"{module}.{name}" for module, name, _ in public_names(wheel)}


def _differences(path: Path, version: Version, found: Iterable[str]) -> Iterator[str]:
    rows = read_rows(path)
    column = wheel_columns(rows[0])[version]
    listed = {_name(row) for row in rows if row[column] == "yes"}
    yield from (f"{path.name}: only in the wheel: {name}" for name in sorted(set(found) - listed))
    yield from (f"{path.name}: only in the file: {name}" for name in sorted(listed - set(found)))


def _name(row: Row) -> str:
    names: Sequence[str] = [row[column] for column in ("module", "name", "aten_op") if column in row]
    return ".".join(names)
