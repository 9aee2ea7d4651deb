"""What ``npu-smi info`` prints: a table with two lines for each chip, and one of processes."""

from __future__ import annotations

import re
from typing import NamedTuple

_DRIVER = re.compile(r"npu-smi\s+\S+\s+Version:\s*(\S+)")
_BUS = re.compile(r"[0-9A-Fa-fxX]{4}:[0-9A-Fa-fxX]{2}:")
_MEMORY = re.compile(r"(\d+)\s*/\s*(\d+)")


class Chip(NamedTuple):
    """One chip."""

    npu: int
    name: str
    health: str
    used: int
    """MB of memory in use."""
    memory: int
    """MB of memory; 0 if it is not said."""
    has_physical_id: bool
    """Whether the table numbers chips apart from NPUs, as on hosts whose NPUs have two."""


class Overview(NamedTuple):
    """The whole table."""

    driver: str | None
    chips: tuple[Chip, ...]
    processes: tuple[tuple[int, int], ...]
    """Number of the NPU, and of the process."""


def read_overview(text: str) -> Overview:
    """The table that ``npu-smi info`` prints; what is no line of it is passed over."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines()]
    driver = _DRIVER.search(text)
    has_physical_id = "Phy-ID" in text
    chips: list[Chip] = []
    processes: list[tuple[int, int]] = []
    first: list[str] | None = None
    for row in rows:
        if len(row) == 4 and row[1].isdigit():
            processes.append((_leading(row[0]), int(row[1])))
        elif len(row) == 3 and _BUS.match(row[1]) and first is not None:
            chips.append(_chip(first, row, has_physical_id))
            first = None
        elif len(row) == 3 and re.match(r"\d+\s+\S", row[0]):
            first = row
    return Overview(driver[1] if driver is not None else None, tuple(chips), tuple(processes))


def _chip(first: list[str], second: list[str], has_physical_id: bool) -> Chip:
    number, _, name = first[0].partition(" ")
    memories = _MEMORY.findall(second[2])
    used, memory = memories[-1] if memories else (0, 0)
    return Chip(int(number), name.strip(), first[1], int(used), int(memory), has_physical_id)


def _leading(cell: str) -> int:
    return int(cell.split()[0])
