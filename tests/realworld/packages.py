"""Real packages from PyPI that use CUDA in earnest: pinned, downloaded when a test asks, never installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

CACHE = Path(os.environ.get("GPU2ASCEND_TEST_CACHE", Path(__file__).parents[2] / ".cache" / "realworld"))


class Package(NamedTuple):
    """A wheel on PyPI; ``foreign`` makes pip take one for another interpreter."""

    name: str
    version: str
    folder: str
    foreign: tuple[str, ...] = ()

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


_CP38 = (
    "--python-version", "38", "--implementation", "cp", "--abi", "cp38",
    "--platform", "manylinux1_x86_64",
)  # fmt: skip

PACKAGES = (
    Package("fairseq", "0.12.2", "fairseq", _CP38),
    Package("yolov5", "7.0.14", "yolov5"),
    Package("timm", "1.0.9", "timm"),
    Package("open-clip-torch", "2.26.1", "open_clip_train"),
    Package("denoising-diffusion-pytorch", "2.1.1", "denoising_diffusion_pytorch"),
    Package("speechbrain", "1.0.2", "speechbrain"),
    Package("pytorch-lightning", "2.4.0", "pytorch_lightning"),
    Package("torch-geometric", "2.6.1", "torch_geometric"),
)


def unpacked(package: Package) -> Path:
    """The folder with the package's sources, downloaded and unpacked at most once.

    Without a network the test is skipped, but in CI, where it fails.
    """
    target = CACHE / f"{package.name}-{package.version}"
    if not target.is_dir():
        wheel = wheel_of(package)
        partial = target.with_suffix(f".partial{os.getpid()}")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(partial)
        try:
            partial.rename(target)
        except OSError:  # another test process was first
            if not target.is_dir():
                raise
    return target / package.folder


def wheel_of(package: Package) -> Path:
    """The wheel of a package, downloaded when asked; skips or fails as :func:`unpacked` does."""
    kept = sorted((CACHE / "wheels").glob(f"{package.name}-{package.version}-*/*.whl"))
    if kept:
        return kept[0]
    wheels = CACHE / "wheels" / f"{package.name}-{package.version}-{os.getpid()}"
    wheels.mkdir(parents=True, exist_ok=True)
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"),
        *("--only-binary=:all:", *package.foreign, "--dest", str(wheels), package.requirement),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = sorted(wheels.glob("*.whl"))
    if not found:
        reason = f"cannot download {package.requirement}: {done.stderr.strip()[-300:]}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found[0]
