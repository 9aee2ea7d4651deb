"""Whether this interpreter can run its own torch_npu on the emulated CANN: asked before a run.

The answer is one line of JSON: the variables of the processes, or why it cannot.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .build import BuildError, NoCompilerError, built
from .elf import NotElf
from .wheel import installed_wheel, needs_of

_MACHINES = ("x86_64", "aarch64")


def prepare(cache: Path) -> dict[str, Any]:
    """The variables and release, or why not: ``platform``, ``wheel``, ``torch``, ``compiler``, ``build``.

    Args:
        cache: the folder that built libraries are kept in.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _MACHINES:
        return _refused("platform", f"{sys.platform} {machine}")
    wheel = installed_wheel()
    if wheel is None:
        return _refused("wheel", "")
    if _release(wheel.version) != _release(wheel.torch):
        return _refused("torch", f"torch {wheel.torch}, torch_npu {wheel.version}")
    try:
        folder = built(needs_of(wheel), cache)
    except NoCompilerError:
        return _refused("compiler", "")
    except (BuildError, NotElf, OSError, subprocess.TimeoutExpired) as error:
        return _refused("build", str(error))
    return {
        "torch_npu": wheel.version,
        "has_cuda": (wheel.torch_package / "lib" / "libc10_cuda.so").exists(),
        "variables": variables_of(folder, os.environ),
    }


def _refused(reason: str, detail: str) -> dict[str, Any]:
    return {"reason": reason, "detail": detail}


def _release(version: str) -> str:
    return ".".join(version.partition("+")[0].split(".")[:2])


def variables_of(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables with which a process finds the emulated CANN in a folder, and none of the machine's."""
    paths = [str(folder), *filter(None, environment.get("LD_LIBRARY_PATH", "").split(os.pathsep))]
    return {
        "ASCEND_HOME_PATH": str(folder),
        "ASCEND_TOOLKIT_HOME": str(folder),
        "ASCEND_OPP_PATH": str(folder / "opp"),
        "LD_LIBRARY_PATH": os.pathsep.join(paths),
        # Operators are computed at once, so nothing that the wheel does may wait in its queue.
        "TASK_QUEUE_ENABLE": "0",
        "GPU2ASCEND_EMULATED": "1",
    }


def main(cache: str) -> None:
    """Print the answer."""
    print(json.dumps(prepare(Path(cache))))
