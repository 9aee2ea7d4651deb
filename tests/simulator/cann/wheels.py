"""torch_npu itself for tests: fetched once from the package index, for the torch that is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from gpu2ascend.verify.environment.emulation import has_wheels

REPOSITORY = Path(__file__).parents[3]
VARIABLE = "GPU2ASCEND_TORCH_NPU_PYTHON"
"""Names an interpreter with another release of torch and torch_npu."""
_SECONDS = 600


@cache
def interpreter() -> Path:
    """An interpreter with the packages of this one, and torch_npu; another one where a variable names it.

    Skips the test where no index has it, or this machine has no torch.
    """
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named)
    try:
        torch = metadata.version("torch").partition("+")[0]
    except metadata.PackageNotFoundError:
        pytest.skip("torch is not installed (`make torch`)")
    if not has_wheels():
        pytest.skip("torch_npu is not made for this machine")
    folder = REPOSITORY / ".cache" / f"torch_npu-{torch}-{sys.implementation.cache_tag}"
    packages = folder / "packages"
    if not (packages / "torch_npu").is_dir():
        with zipfile.ZipFile(_fetched(torch, folder)) as wheel:
            wheel.extractall(packages)
    environment = folder / "environment"
    venv.create(environment, symlinks=True, clear=True)
    site = next((environment / "lib").glob("python*")) / "site-packages"
    (site / "more.pth").write_text(f"{sysconfig.get_path('purelib')}\n{packages}\n", encoding="utf-8")
    return environment / "bin" / "python"


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
