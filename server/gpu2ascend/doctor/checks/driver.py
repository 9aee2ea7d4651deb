"""The driver, its devices and its firmware."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..machine import Machine
from ..reading.install_info import installed_version
from ..result import Result, Status, result

_COMMON = ("/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc")
_HUAWEI, _ACCELERATOR = "0x19e5", "0x1200"
_PCI = "/sys/bus/pci/devices"
_INSTALLED = "/etc/ascend_install.info"
_USUAL = "/usr/local/Ascend"
_PATH = re.compile(r"^Driver_Install_Path_Param=(/\S+)$", re.M)
_MODULE_VERSION = "import torch_npu; print(torch_npu.utils.get_cann_version(module='{}'))"
_GROUP = "HwHiAiUser"


def presence(machine: Machine) -> Iterator[Result]:
    """Whether there are NPUs at all, as far as the system shows."""
    count = _accelerators(machine)
    if machine.has_npu_files:
        return
    if count:
        command = "docker run --device=/dev/davinci0 --device=/dev/davinci_manager ..."
        yield result("npus", "no-driver", Status.ERROR, (command,), count=count)
    else:
        yield result("npus", "none", Status.UNSEEN)


def _accelerators(machine: Machine) -> int:
    """Processing accelerators of the maker on the PCI bus; shown in containers, too."""

    def says(device: str, name: str, value: str) -> bool:
        return (machine.text(f"{_PCI}/{device}/{name}") or "").startswith(value)

    return sum(
        says(device, "vendor", _HUAWEI) and says(device, "class", _ACCELERATOR)
        for device in machine.names(_PCI)
    )


def devices(machine: Machine) -> Iterator[Result]:
    """The device files: there, readable and writable."""
    if not machine.has_npu_files:
        return
    numbered = [f"/dev/{name}" for name in machine.names("/dev") if re.fullmatch(r"davinci\d+", name)]
    missing = [path for path in _COMMON if not machine.exists(path)]
    if not numbered:
        missing.insert(0, "/dev/davinci0")
    if missing:
        options = " ".join(f"--device={path}" for path in missing)
        yield result(
            "devices", "missing", Status.ERROR, (f"docker run {options} ...",), paths=", ".join(missing)
        )
    closed = [path for path in (*numbered, *_COMMON) if machine.exists(path) and not machine.is_usable(path)]
    if closed:
        command = f"sudo usermod -aG {_GROUP} $USER"
        yield result("devices", "closed", Status.ERROR, (command,), paths=", ".join(closed), group=_GROUP)
    if not missing and not closed:
        yield result("devices", "fine", Status.OK, count=len(numbered))


def version_file(machine: Machine, part: str) -> str:
    """Where the driver or the firmware names its version: below the directory that it was installed into."""
    installed = _PATH.search(machine.text(_INSTALLED) or "")
    return f"{installed[1].rstrip('/') if installed is not None else _USUAL}/{part}/version.info"


def version_command(module: str) -> str:
    """What asks torch_npu itself: it answers from CANN 8.1.RC1 on, and is empty before."""
    return f'python -c "{_MODULE_VERSION.format(module)}"'


def versions(machine: Machine) -> Iterator[Result]:
    """Which driver and firmware are installed."""
    if not machine.has_npu_files:
        return
    more = {"driver": version_command("DRIVER"), "firmware": "npu-smi info -t board -i 0"}
    for check, command in more.items():
        path = version_file(machine, check)
        version = installed_version(machine.text(path))
        if version is not None:
            yield result(check, "version", Status.INFO, version=version)
        else:
            commands = (f"docker run -v {path}:{path} ...", command)
            yield result(check, "unseen", Status.UNSEEN, commands, path=path)
