"""The folder that is first on PYTHONPATH: the device, and what notes."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

_PACKAGE = "gpu2ascend_simulator"


def fill_folder(folder: Path) -> None:
    """Put what takes part in the processes into an empty folder."""
    with as_file(files(_PACKAGE)) as package:
        shutil.copytree(package, folder / _PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(package / "session" / "site" / "sitecustomize.py", folder / "sitecustomize.py")
