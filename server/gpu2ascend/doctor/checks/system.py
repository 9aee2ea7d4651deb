"""The operating system: architecture, C library, shared memory, open files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ..machine import Machine
from ..reading.versions import order
from ..result import Result, Status, result

_UMASK = re.compile(r"^Umask:\s*([0-7]{3,4})\s*$", re.M)
_OWNER, _WRITE_OF_OTHERS = 0o700, 0o002
_ARCHITECTURES = ("aarch64", "x86_64")
_GLIBC = "2.28"
"""What the wheels of torch_npu from 2.7 on are built against; those before need 2.17."""
_SHARED_MEMORY_GB = 8
_OPEN_FILES = 4096


def platform(machine: Machine) -> Iterator[Result]:
    """Whether there are wheels of torch_npu for it at all."""
    if machine.system != "linux" or machine.architecture not in _ARCHITECTURES:
        known = ", ".join(_ARCHITECTURES)
        yield result(
            "platform", "other", Status.UNSEEN, system=machine.system, arch=machine.architecture, known=known
        )
        return
    yield result("platform", "found", Status.INFO, arch=machine.architecture, glibc=machine.glibc or "?")
    if machine.glibc is not None and order(machine.glibc) < order(_GLIBC):
        yield result("platform", "glibc", Status.WARNING, glibc=machine.glibc, needed=_GLIBC)


def limits(machine: Machine) -> Iterator[Result]:
    """Shared memory, by which the processes of a DataLoader hand over batches, and open files."""
    size = _gigabytes(machine, "/dev/shm")
    if size is not None and size < _SHARED_MEMORY_GB:
        commands = ("docker run --shm-size=16g ...", "sudo mount -o remount,size=16G /dev/shm")
        yield result("shared-memory", "small", Status.WARNING, commands, size=round(size, 1))
    if machine.open_files is not None and machine.open_files < _OPEN_FILES:
        yield result("open-files", "few", Status.WARNING, ("ulimit -n 65535",), count=machine.open_files)


def umask(machine: Machine) -> Iterator[Result]:
    """Which rights new files lack: kernels that CANN compiles, its logs, and checkpoints."""
    match = _UMASK.search(machine.text("/proc/self/status") or "")
    if match is None:
        return
    value = int(match[1], 8)
    if value & _OWNER:
        yield result("umask", "closed", Status.ERROR, ("umask 027",), value=match[1])
    elif not value & _WRITE_OF_OTHERS:
        yield result("umask", "open", Status.INFO, ("umask 027",), value=match[1])


def _gigabytes(machine: Machine, directory: str) -> float | None:
    if machine.system != "linux":
        return None
    try:
        found = os.statvfs(machine.path(directory))
    except (OSError, AttributeError):
        return None
    return found.f_blocks * found.f_frsize / 2**30
