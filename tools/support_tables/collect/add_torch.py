"""Enter the public names of ``torch.cuda`` from a PyTorch wheel into the file of counterparts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..columns import COUNTERPARTS, CUDA
from ..tsv import read_rows, write_rows
from .wheel import Wheel


def add_torch(folder: Path, wheel: Wheel) -> list[str]:
    """Enter the names that the file lacks, without counterpart yet; the names entered."""
    path = folder / COUNTERPARTS
    rows = read_rows(path)
    columns = list(rows[0])
    known = {row["cuda_name"] for row in rows}
    new = {name: kind for name, kind in cuda_names(wheel).items() if name not in known}
    rows.extend({"cuda_name": name, "kind": kind, "relation": "none"} for name, kind in new.items())
    rows.sort(key=lambda row: row["cuda_name"])
    write_rows(path, columns, rows)
    return sorted(new)


def cuda_names(wheel: Wheel) -> dict[str, str]:
    """The public names below ``torch.cuda``, with those of its modules and the members of its classes.

    Where a module writes ``__all__``, that decides. Members that native code defines are not seen.
    """
    found: dict[str, str] = {}
    for module in (CUDA, *(f"{CUDA}.{name}" for name in sorted(wheel.submodules(CUDA)))):
        for name, kind in _exported(wheel, module):
            found[f"{module}.{name}"] = kind
            if kind == "class":
                members = wheel.members(f"{module}.{name}")
                found.update((f"{module}.{name}.{member}", "method") for member in members)
    return found


def _exported(wheel: Wheel, module: str) -> Iterator[tuple[str, str]]:
    names = wheel.module(module)
    submodules = wheel.submodules(module)
    for name, kind in wheel.public_names(module).items():
        if names is None or names.exported is None or name in names.exported or name in submodules:
            yield name, kind
