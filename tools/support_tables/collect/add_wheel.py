"""Enter what a torch_npu wheel has into the TSV files of names and operators."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.facts.names.npu_names import NAMESPACE
from gpu2ascend_rules.model.versions import Version, choose_version

from ..columns import COUNTERPARTS, CUDA, NAMES, OPERATORS, wheel_columns
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


class _Table:
    """A TSV file that has a column for every wheel, with a column for one more."""

    def __init__(self, path: Path, wheel: Wheel) -> None:
        self.path = path
        self.rows: list[Row] = read_rows(path)
        self.wheel = wheel
        self.version = choose_version(wheel.version).version
        self.columns = list(self.rows[0])
        wheels = wheel_columns(self.columns)
        self.before = wheels.get(self.version)
        """The column that the new one replaces."""
        if self.before is not None:
            self.columns[self.columns.index(self.before)] = wheel.version
        else:
            older = [column for version, column in wheels.items() if version < self.version]
            place = self.columns.index(older[-1]) + 1 if older else self.columns.index(min(wheels.values()))
            self.columns.insert(place, wheel.version)
        self.wheels = wheel_columns(self.columns)

    def enter(self, row: Row, kind: str | None) -> None:
        """Enter whether the wheel has the name of a row.

        For what the wheel does not show, what was entered before for its version stays; else the nearest
        other wheel's word is taken, an older one's first.
        """
        known = row.get(self.before or "", "")
        if kind != UNCERTAIN:
            answer = "yes" if kind is not None else ""
        elif self.before is not None:
            answer = known
        else:
            others = [version for version in self.wheels if version != self.version]
            older = [version for version in others if version < self.version]
            nearest = max(older) if older else min(others)
            answer = row.get(self.wheels[nearest], "")
        row[self.wheel.version] = answer

    def write(self, *key: str) -> None:
        """Write the file, sorted by some columns."""
        write_rows(self.path, self.columns, sorted(self.rows, key=lambda row: [row[name] for name in key]))


class Undecided(NamedTuple):
    """What a person should look at after a wheel was entered."""

    unknown_members: tuple[str, ...]
    """Names of which the wheel alone does not show whether it has them."""
    candidates: tuple[str, ...]
    """Names without a counterpart for which the wheel has one by the custom of names."""


def add_wheel(folder: Path, wheel: Wheel) -> Undecided:
    """Enter a wheel into the files of a folder."""
    _add_names(_Table(folder / NAMES, wheel))
    _add_operators(_Table(folder / OPERATORS, wheel))
    return _add_counterparts(_Table(folder / COUNTERPARTS, wheel))


def public_names(wheel: Wheel) -> Iterator[tuple[str, str, str]]:
    """Every public name of the modules that the tables have: module, name, kind."""
    for module in MODULES:
        names = wheel.public_names(module)
        if module == MODULES[0]:
            names.update((name, "op") for name in custom_operators(wheel) if name not in names)
        for name, kind in sorted(names.items()):
            yield module, name, kind


def _add_names(table: _Table) -> None:
    wheel = table.wheel
    rows = {(row["module"], row["name"]): row for row in table.rows}
    offered = {(module, name): kind for module, name, kind in public_names(wheel)}
    for (module, name), kind in offered.items():
        if (module, name) not in rows:
            rows[module, name] = {"module": module, "name": name, "kind": kind, "in_all": ""}
            table.rows.append(rows[module, name])
    for (module, name), row in rows.items():
        table.enter(row, offered.get((module, name)) or wheel.kind_of(f"{module}.{name}"))
        syntax = wheel.module(module) if module in MODULES else None
        if syntax is not None and name in (syntax.exported or ()):
            row["in_all"] = "yes"
    table.write("module", "name")


def _add_operators(table: _Table) -> None:
    registered = registered_operators(table.wheel)
    known = {row["aten_op"] for row in table.rows}
    table.rows.extend({"aten_op": name} for name in registered - known)
    for row in table.rows:
        row[table.wheel.version] = "yes" if row["aten_op"] in registered else ""
    table.write("aten_op")


def _add_counterparts(table: _Table) -> Undecided:
    wheel = table.wheel
    by_name = {row["cuda_name"]: row for row in table.rows}
    unknown_members: list[str] = []
    candidates: list[str] = []
    for row in table.rows:
        if not row["npu_name"]:
            candidates.extend(_find_counterpart(row, by_name, wheel))
        kind = wheel.kind_of(row["npu_name"]) if row["npu_name"] else None
        table.enter(row, kind)
        if kind == UNCERTAIN:
            unknown_members.append(f"{row['npu_name']}: {row[wheel.version] or 'no'}")
        row["first_seen"] = next((name for name in table.wheels.values() if row.get(name) == "yes"), "")
    table.write("cuda_name")
    return Undecided(tuple(unknown_members), tuple(candidates))


def _find_counterpart(row: Row, by_name: dict[str, Row], wheel: Wheel) -> Iterator[str]:
    """Give a name of ``torch.cuda`` the counterpart of the same name; a person decides on any other.

    A member of what has a counterpart already is looked for there.
    """
    parent, _, last = row["cuda_name"].rpartition(".")
    above = by_name.get(parent, {}).get("npu_name") or NAMESPACE + parent.removeprefix(CUDA)
    if wheel.kind_of(f"{above}.{last}") not in (None, UNCERTAIN):
        row["npu_name"] = f"{above}.{last}"
        is_same = above == NAMESPACE + parent.removeprefix(CUDA)
        row["relation"] = "same_name" if is_same else by_name[parent]["relation"]
        return
    renamed = f"{above}.{last.replace('CUDA', 'NPU').replace('cuda', 'npu')}"
    if renamed != f"{above}.{last}" and wheel.kind_of(renamed) is not None:
        yield f"{row['cuda_name']}: {renamed}"


def differences(folder: Path, wheel: Wheel) -> Iterator[str]:
    """Everything in which a wheel and the files' column for its version disagree."""
    version = choose_version(wheel.version).version
    names = {f"{module}.{name}" for module, name, _ in public_names(wheel)}
    listed = _listed(folder / NAMES, version)
    yield from (f"{NAMES}: only in the wheel: {name}" for name in sorted(names - listed))
    gone = (name for name in listed - names if wheel.kind_of(name) is None)
    yield from (f"{NAMES}: only in the file: {name}" for name in sorted(gone))
    # By operator, without overloads: files unpacked from the tables have no more.
    operators = {name.partition(".")[0] for name in registered_operators(wheel)}
    listed = {name.partition(".")[0] for name in _listed(folder / OPERATORS, version)}
    yield from (f"{OPERATORS}: only in the wheel: {name}" for name in sorted(operators - listed))
    yield from (f"{OPERATORS}: only in the file: {name}" for name in sorted(listed - operators))


def _listed(path: Path, version: Version) -> set[str]:
    rows = read_rows(path)
    column = wheel_columns(rows[0])[version]
    keys = [key for key in ("module", "name", "aten_op") if key in rows[0]]
    return {".".join(row[key] for key in keys) for row in rows if row[column] == "yes"}
