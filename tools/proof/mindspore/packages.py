"""The packages: pinned, downloaded by pip when they are needed, unpacked once and never installed."""

from __future__ import annotations

import csv
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

from tools.archives import unpack

from ..projects import CACHE, MissingProjectError

_TABLE = Path(__file__).with_name("packages.tsv")


class Package(NamedTuple):
    """A wheel or a source distribution on PyPI."""

    name: str
    version: str

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"


def packages() -> tuple[Package, ...]:
    """All packages of the table."""
    with _TABLE.open(encoding="utf-8", newline="") as stream:
        return tuple(Package(**row) for row in csv.DictReader(stream, delimiter="\t"))


def unpacked(package: Package) -> Path:
    """The folder that holds a package as an installation would.
    Raises MissingProjectError: pip cannot download it."""
    target = CACHE / "mindspore" / f"{package.name}-{package.version}"
    if not target.is_dir():
        archives = CACHE / "archives" / f"{package.name}-{package.version}"
        archives.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f"{target.name}.partial")
        _unpack(_downloaded(package, archives), partial).rename(target)
    return target


def _downloaded(package: Package, folder: Path) -> Path:
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"),
        *("--dest", str(folder), f"{package.name}=={package.version}"),
    ]
    found = sorted(folder.iterdir())
    done = None if found else subprocess.run(command, capture_output=True, text=True, check=False)
    found = sorted(folder.iterdir())
    if not found:
        reason = done.stderr.strip()[-300:] if done is not None else ""
        raise MissingProjectError(f"cannot download {package.title}: {reason}")
    return found[0]


def _unpack(archive: Path, folder: Path) -> Path:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)
        return folder
    with tarfile.open(archive) as source:
        unpack(source, folder)
    inner = [path for path in folder.iterdir() if path.is_dir()]
    return inner[0] if len(inner) == 1 else folder
