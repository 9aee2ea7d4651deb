"""CANN: where it is, its version, its kernels, and whether its set_env.sh was sourced."""

from __future__ import annotations

from collections.abc import Iterator

from ..machine import Machine
from ..reading.install_info import configured_version, first_version, installed_version
from ..reading.versions import at_least, same_release
from ..result import Result, Status, result
from ..tables import rows
from .driver import version_command, version_file
from .npus import kernel_folder, overview

_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
_SYSTEM = ("/usr/local/Ascend/cann", "/usr/local/Ascend/ascend-toolkit/latest")
_OWN = ("Ascend/cann", "Ascend/ascend-toolkit/latest")
_KERNELS = "opp/built-in/op_impl/ai_core/tbe/kernel"
_NNAL = "/usr/local/Ascend/nnal/atb/set_env.sh"
_SOURCED = ("ASCEND_OPP_PATH", "ASCEND_AICPU_PATH")


def root_of(machine: Machine) -> str | None:
    """CANN's directory: where the variables say, else where it is usually installed."""
    home = machine.environ.get("HOME", "")
    named = [machine.environ[name] for name in _VARIABLES if machine.environ.get(name)]
    places = [*named, *_SYSTEM, *(f"{home}/{place}" for place in _OWN if home)]
    return next((place for place in places if machine.is_directory(place)), None)


def version_of(machine: Machine, root: str) -> str | None:
    """CANN's version, found as torch_npu finds it; else what its version.cfg names."""
    for pattern in ("ascend_*_install.info", "*/ascend_*_install.info"):
        version = first_version(machine.texts_below(root, pattern))
        if version is not None:
            return version
    return configured_version(machine.text(f"{root}/version.cfg"))


def set_env_of(machine: Machine, root: str) -> str:
    """The script that sets CANN's variables."""
    above = root.rstrip("/").rpartition("/")[0]
    inside = f"{root}/set_env.sh"
    return (
        inside
        if machine.exists(inside) or not machine.exists(f"{above}/set_env.sh")
        else f"{above}/set_env.sh"
    )


def installation(machine: Machine) -> Iterator[Result]:
    """Whether CANN is there, and which."""
    root = root_of(machine)
    if root is None:
        seen = machine.has_npu_files
        yield result("cann", "missing" if seen else "unseen", Status.ERROR if seen else Status.UNSEEN)
        return
    version = version_of(machine, root)
    if version is None:
        yield result("cann", "no-version", Status.WARNING, (f"ls {root}", version_command("CANN")), root=root)
    else:
        yield result("cann", "version", Status.INFO, version=version, root=root)


def sourced(machine: Machine) -> Iterator[Result]:
    """Whether set_env.sh was sourced in this shell."""
    root = root_of(machine)
    if root is None:
        return
    command = f"source {set_env_of(machine, root)}"
    missing = [name for name in _SOURCED if not machine.environ.get(name)]
    libraries = machine.environ.get("LD_LIBRARY_PATH", "").split(":")
    if not any(place.rstrip("/").endswith("lib64") and "scend" in place for place in libraries):
        missing.append("LD_LIBRARY_PATH")
    if missing:
        yield result("set_env", "missing", Status.ERROR, (command,), names=", ".join(missing))
    else:
        yield result("set_env", "fine", Status.OK)


def kernels(machine: Machine) -> Iterator[Result]:
    """The package of compiled operators for the chips of this machine, and the fused ones of NNAL."""
    root, found = root_of(machine), overview(machine)
    if root is None or found is None:
        return
    folders = {folder for chip in found.chips if (folder := kernel_folder(chip)) is not None}
    for folder in sorted(folders):
        if not machine.is_directory(f"{root}/{_KERNELS}/{folder}"):
            chip = folder.removeprefix("ascend")
            yield result("kernels", "missing", Status.ERROR, folder=folder, chip=chip, root=root)
    if not machine.exists(_NNAL):
        yield result("nnal", "missing", Status.WARNING, path=_NNAL)


def driver_for_cann(machine: Machine) -> Iterator[Result]:
    """Whether the driver is at least the one that this CANN is documented with."""
    root = root_of(machine)
    cann = version_of(machine, root) if root is not None else None
    driver = installed_version(machine.text(version_file(machine, "driver")))
    if cann is None or driver is None:
        return
    documented = [row["driver"] for row in rows("drivers") if same_release(cann, row["cann"])]
    if not documented:
        yield result("driver", "unlisted", Status.INFO, cann=cann, driver=driver)
        return
    lowest = next(one for one in documented if all(at_least(other, one) for other in documented))
    if not at_least(driver, lowest):
        yield result("driver", "old", Status.ERROR, driver=driver, cann=cann, lowest=lowest)
