"""torch_npu itself for tests: fetched once from the package index, for the torch that is installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from gpu2ascend.verify.environment.emulation import has_wheels
from gpu2ascend_simulator.cann.build import built
from gpu2ascend_simulator.cann.prepare import variables_of
from gpu2ascend_simulator.cann.wheel import Wheel, needs_of

REPOSITORY = Path(__file__).parents[3]
VARIABLE = "GPU2ASCEND_TORCH_NPU_PYTHON"
"""Names an interpreter with another release of torch and torch_npu."""
ON_WHEEL = "GPU2ASCEND_ON_WHEEL" in os.environ
"""Whether what is executed has torch_npu itself, where it can be had, and not the device in Python."""
_SECONDS = 600


@cache
def interpreter() -> Path:
    """An interpreter with the packages of this one, and torch_npu; another one where a variable names it.

    Skips the test where no index has it, or this machine has no torch.
    """
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named)
    found = _unpacked()
    folder = found.parent
    environment = folder / "environment"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    more = environment / "lib" / version / "site-packages" / "more.pth"
    text = f"{sysconfig.get_path('purelib')}\n{found}\n"
    with _alone(folder):
        if not more.is_file() or more.read_text(encoding="utf-8") != text:
            venv.create(environment, symlinks=True, clear=True)
            more.write_text(text, encoding="utf-8")
    return environment / "bin" / "python"


@cache
def _unpacked() -> Path:
    """The folder that has torch_npu for the torch of this interpreter."""
    try:
        torch = metadata.version("torch").partition("+")[0]
    except metadata.PackageNotFoundError:
        pytest.skip("torch is not installed (`make torch`)")
    if not has_wheels():
        pytest.skip("torch_npu is not made for this machine")
    folder = REPOSITORY / ".cache" / f"torch_npu-{torch}-{sys.implementation.cache_tag}"
    packages = folder / "packages"
    with _alone(folder):
        if not (packages / "torch_npu").is_dir():
            with zipfile.ZipFile(_fetched(torch, folder)) as wheel:
                wheel.extractall(packages)
    return packages


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other worker of the test run makes something in a folder."""
    import fcntl  # which Windows does not have, where there are no wheels either

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def packages() -> tuple[Path, ...]:
    """What the path of an executed program has of torch_npu itself; nothing for the device in Python."""
    return (_unpacked(),) if ON_WHEEL else ()


@cache
def emulated() -> dict[str, str]:
    """The variables of an executed program with torch_npu itself; none for the device in Python."""
    if not ON_WHEEL:
        return {}
    spec = importlib.util.find_spec("torch")
    assert spec is not None and spec.origin is not None
    release = metadata.version("torch")
    wheel = Wheel(release, release, _unpacked() / "torch_npu", Path(spec.origin).parent)
    return variables_of(built(needs_of(wheel), REPOSITORY / ".cache" / "cann"), {})


def _fetched(torch: str, folder: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        f"torch-npu=={torch}.*",
        "-d",
        str(folder),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode != 0:
        pytest.skip(f"no package index gives torch_npu {torch}: {done.stderr.strip()[-300:]}")
    return next(folder.glob("torch_npu-*.whl"))
