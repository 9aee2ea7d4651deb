"""Real code to measure on: packages from PyPI, unpacked into a cache, never installed or imported."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "benchmarks"
TORCH_PACKAGES = ("timm==1.0.15", "denoising-diffusion-pytorch==2.1.1", "open-clip-torch==2.32.0")
MIXED_PACKAGES = ("yolov5==7.0.14",)
"""Programs with scripts and configurations, of which a migration is measured."""
OTHER_PACKAGES = ("rich==13.9.4",)
"""Code that has nothing to do with torch."""


def unpacked(requirement: str) -> Path:
    """The folder of a package's wheel, downloaded the first time it is asked for.
    Raises RuntimeError: the package index does not give it."""
    folder = CACHE / requirement.replace("==", "-")
    if folder.is_dir():
        return folder
    wheels = CACHE / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    if subprocess.run([*command, "--dest", str(wheels), requirement], check=False).returncode:
        raise RuntimeError(f"{requirement} could not be downloaded; the benchmarks measure on it")
    name = requirement.partition("==")[0].replace("-", "_")
    (wheel,) = wheels.glob(f"{name}-*.whl")
    aside = folder.with_suffix(".part")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(aside)
    aside.rename(folder)
    return folder


def python_files(folder: Path) -> list[Path]:
    """Every Python file below a folder, in a fixed order."""
    return sorted(folder.rglob("*.py"))
