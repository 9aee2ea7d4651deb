"""Every row of the table of what a doctor must see, and the check that sees it.

The names of the rows are those of the table from which the doctor was built; each has a host on which the
check says so, and one on which it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import attrs
import pytest

from gpu2ascend.doctor.diagnose import diagnose
from gpu2ascend.doctor.machine import Machine

from .host import CANN, NEEDED, SOURCED, answering, environment, ready, sample, write

SMI = {"npu-smi info": sample("npu_smi_910b2")}
FIRST = ("torch-2.8.0+cpu", "torch_npu-2.8.0")


class Row(NamedTuple):
    """A row of the table."""

    name: str
    message: str
    """What a check says."""
    host: Callable[[Path], Machine]
    """On this host."""


def packages(root: Path, names: Iterable[str], cuda: str | None = None) -> Machine:
    machine = ready(root)
    return attrs.evolve(machine, python=environment(root / "other", names, cuda))


def without(root: Path, *paths: str, **changes: object) -> Machine:
    machine = ready(root, **changes)
    for path in paths:
        (root / path.lstrip("/")).unlink()
    return machine


def having(root: Path, path: str, text: str, **changes: object) -> Machine:
    machine = ready(root, **changes)
    write(root, {path: text})
    return machine


def with_libgomp(root: Path) -> Machine:
    write(root, {"env/lib/python3.11/site-packages/torch.libs/libgomp-d22c30c5.so.1": ""})
    return ready(root, architecture="aarch64")


def driver_only(root: Path) -> Machine:
    write(root, {"/dev/davinci_manager": ""})
    return Machine(root=root, environ={}, ask=answering({}))


def with_torchvision(root: Path) -> Machine:
    machine = packages(root, (*FIRST, *NEEDED, "torchvision-0.22.1"))
    metadata = "other/lib/python3.11/site-packages/torchvision-0.22.1.dist-info/METADATA"
    write(root, {metadata: "Name: torchvision\nRequires-Dist: torch==2.7.1\n"})
    return machine


def variables(**values: str) -> dict[str, str]:
    return {**SOURCED, **values}


_ASCEND = "/usr/local/Ascend"
_STATUS = "/proc/self/status"
_CANN_INFO = f"{CANN}/x86_64-linux/ascend_toolkit_install.info"
ROWS = (
    Row("npu-smi in PATH", "npu-smi.missing", lambda at: ready(at, ask=answering({}))),
    Row("devices", "devices.missing", lambda at: without(at, "/dev/hisi_hdc")),
    Row("driver version", "driver.unseen", lambda at: without(at, f"{_ASCEND}/driver/version.info")),
    Row("firmware version", "firmware.unseen", lambda at: without(at, f"{_ASCEND}/firmware/version.info")),
    Row("health", "health.ill", lambda at: ready(at, ask=answering(
        {"npu-smi info": sample("npu_smi_910b2").replace("| OK ", "| Warning ")}))),
    Row("chip", "chips.found", ready),
    Row("CANN root", "cann.missing", driver_only),
    Row("CANN version", "cann.no-version", lambda at: without(at, _CANN_INFO)),
    Row("kernels/ops package", "kernels.missing", lambda at: ready(at, ask=answering(
        {"npu-smi info": sample("npu_smi_a3")}))),
    Row("nnal", "nnal.missing", lambda at: without(at, "/usr/local/Ascend/nnal/atb/set_env.sh")),
    Row("set_env.sh sourced", "set_env.missing", lambda at: ready(at, environ={"ASCEND_HOME_PATH": CANN})),
    Row("torch build", "torch.cuda", lambda at: packages(at, (*FIRST, *NEEDED), cuda="12.4")),
    Row("torch vs torch_npu", "torch_npu.pair",
        lambda at: packages(at, ("torch-2.7.1", "torch_npu-2.8.0", *NEEDED))),
    Row("torch_npu vs CANN", "matrix.cann", lambda at: having(at, _CANN_INFO, "version=7.0.0\n")),
    Row("python", "matrix.python", lambda at: attrs.evolve(
        ready(at), python=attrs.evolve(environment(at / "p", FIRST), python="3.6"))),
    Row("numpy", "numpy.new",
        lambda at: packages(at, ("torch-2.1.0", "torch_npu-2.1.0", "numpy-2.0.1"))),
    Row("numpy", "numpy.other", lambda at: packages(at, (*FIRST, "numpy-1.24.0"))),
    Row("python deps of CANN", "cann-python.missing", lambda at: packages(at, FIRST)),
    Row("import", "import.sources", lambda at: having(
        at, "/srv/torch_npu/__init__.py", "", environ=variables(PWD="/srv"))),
    Row("import", "import.sources", lambda at: having(
        at, "/src/torch_npu/__init__.py", "", environ=variables(PYTHONPATH="x:/src/"))),
    Row("import", "import.libgomp", with_libgomp),
    Row("first op", "first-operator.run", ready),
    Row("hccl", "hccl.interface", lambda at: ready(at, nodes=2)),
    Row("hccl", "ports.unseen", lambda at: ready(at, nodes=2)),
    Row("visible devices", "visible.order",
        lambda at: ready(at, environ=variables(ASCEND_RT_VISIBLE_DEVICES="1,0"))),
    Row("triton", "triton.both",
        lambda at: packages(at, (*FIRST, *NEEDED, "triton-3.2.0", "triton_ascend-3.2.0"))),
    Row("torchvision", "companions.pair", with_torchvision),
    Row("file system", "open-files.few", lambda at: ready(at, open_files=1024)),
    Row("file system", "umask.closed", lambda at: having(at, _STATUS, "Name:\tx\nUmask:\t0777\n")),
    Row("file system", "umask.open", lambda at: having(at, _STATUS, "Name:\tx\nUmask:\t0000\n")),
    Row("glibc / kernel", "platform.glibc", lambda at: ready(at, glibc="2.17")),
)  # fmt: skip
TABLE = (
    *("npu-smi in PATH", "devices", "driver version", "firmware version", "health", "chip", "CANN root"),
    *("CANN version", "kernels/ops package", "nnal", "set_env.sh sourced", "torch build"),
    *("torch vs torch_npu", "torch_npu vs CANN", "python", "numpy", "python deps of CANN", "import"),
    *("first op", "hccl", "visible devices", "triton", "torchvision", "file system", "glibc / kernel"),
)
"""The names of the rows."""


def ids(machine: Machine) -> list[str]:
    return [found.message.id.removeprefix("doctor.") for found in diagnose(machine)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}: {row.message}")
def test_each_row_is_said_where_it_is_so(row: Row, tmp_path: Path) -> None:
    assert row.message in ids(row.host(tmp_path))


ALWAYS = ("chips.found", "first-operator.run")


@pytest.mark.parametrize("message", sorted({row.message for row in ROWS} - {*ALWAYS}))
def test_a_host_on_which_all_fits_hears_none_of_them(message: str, tmp_path: Path) -> None:
    write(tmp_path, {"/proc/self/status": "Name:\tx\nUmask:\t0027\n"})
    found = [one for one in ids(ready(tmp_path)) if not one.startswith("numpy.other")]
    assert message not in found


def test_no_row_of_the_table_is_without_a_check() -> None:
    assert set(TABLE) == {row.name for row in ROWS}
    assert len(TABLE) == 25


def test_where_no_version_is_seen_torch_npu_can_be_asked(tmp_path: Path) -> None:
    machine = without(tmp_path, f"{_ASCEND}/driver/version.info")
    (found,) = (one for one in diagnose(machine) if one.message.id == "doctor.driver.unseen")
    assert any("get_cann_version(module='DRIVER')" in command for command in found.commands)


def test_the_driver_is_looked_for_where_it_was_installed(tmp_path: Path) -> None:
    machine = having(tmp_path, "/etc/ascend_install.info", "UserName=x\nDriver_Install_Path_Param=/opt/npu\n")
    write(tmp_path, {"/opt/npu/driver/version.info": "Version=24.1.0\n"})
    (found,) = (one for one in diagnose(machine) if one.message.id == "doctor.driver.version")
    assert dict(found.message.arguments)["version"] == "24.1.0"
