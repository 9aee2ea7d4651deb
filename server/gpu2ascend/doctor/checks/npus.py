"""What ``npu-smi`` says of the NPUs: their chip, health, memory and processes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..machine import Machine
from ..result import Result, Status, result

_DRIVER = re.compile(r"npu-smi\s+\S+\s+Version:\s*(\S+)")
_BUS = re.compile(r"[0-9A-Fa-fxX]{4}:[0-9A-Fa-fxX]{2}:")
_MEMORY = re.compile(r"(\d+)\s*/\s*(\d+)")
_BUSY_PERCENT = 10
"""Of the memory: idle chips of the A2 and A3 series show about five."""
_KERNELS = (("910B", "ascend910b"), ("310P", "ascend310p"), ("910", "ascend910"), ("950", "ascend950"))


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


def overview(machine: Machine) -> Overview | None:
    """What ``npu-smi info`` says; None if it says nothing."""
    answer = machine.ask("npu-smi", "info")
    if answer is None or answer.code != 0:
        return None
    return read_overview(answer.text)


def kernel_folder(chip: Chip) -> str | None:
    """The name of the folder that holds CANN's kernels for a chip."""
    if chip.has_physical_id and chip.name == "Ascend910":
        return "ascend910_93"
    return next((folder for part, folder in _KERNELS if part in chip.name), None)


def tool(machine: Machine) -> Iterator[Result]:
    """Whether ``npu-smi`` answers."""
    if not machine.has_npu_files:
        return
    answer = machine.ask("npu-smi", "info")
    if answer is None:
        command = "docker run -v /usr/local/bin/npu-smi:/usr/local/bin/npu-smi ..."
        yield result("npu-smi", "missing", Status.ERROR, (command,))
    elif answer.code is None:
        yield result("npu-smi", "hangs", Status.ERROR, ("dmesg | grep -i davinci",))
    elif answer.code != 0 or not read_overview(answer.text).chips:
        said = " ".join(answer.text.split())[:300]
        yield result("npu-smi", "fails", Status.ERROR, ("npu-smi info",), said=said)
    else:
        yield result("npu-smi", "fine", Status.OK, version=read_overview(answer.text).driver or "?")


def health(machine: Machine) -> Iterator[Result]:
    """Chips that are not healthy, or that others use."""
    found = overview(machine)
    if found is None or not found.chips:
        return
    names = ", ".join(sorted({chip.name for chip in found.chips}))
    yield result("chips", "found", Status.INFO, count=len(found.chips), names=names)
    for chip in found.chips:
        if chip.health != "OK":
            command = f"npu-smi info -t health -i {chip.npu}"
            yield result("health", "ill", Status.WARNING, (command,), npu=chip.npu, health=chip.health)
    busy = sorted({chip.npu for chip in found.chips if _is_busy(chip)})
    if found.processes:
        pids = ", ".join(str(pid) for _, pid in found.processes)
        numbers = ", ".join(str(npu) for npu in sorted({npu for npu, _ in found.processes}))
        yield result("health", "used", Status.WARNING, (f"ps -fp {pids}",), npus=numbers, pids=pids)
    elif busy:
        numbers = ", ".join(map(str, busy))
        yield result("health", "full", Status.WARNING, ("npu-smi info",), npus=numbers, percent=_BUSY_PERCENT)


def _is_busy(chip: Chip) -> bool:
    return chip.memory > 0 and chip.used * 100 > chip.memory * _BUSY_PERCENT
