"""What ``npu-smi`` says of the NPUs: their chip, health, memory and processes."""

from __future__ import annotations

from collections.abc import Iterator

from ..machine import Machine
from ..reading.npu_smi import Chip, Overview, read_overview
from ..result import Result, Status, result

_BUSY_PERCENT = 10
"""Of the memory: idle chips of the A2 and A3 series show about five."""
_KERNELS = (("910B", "ascend910b"), ("310P", "ascend310p"), ("910", "ascend910"), ("950", "ascend950"))


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
