"""The folder that is first on PYTHONPATH: torch_npu, the device, and what notes."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from gpu2ascend_rules.model.versions import Version

from .release import put_torch_npu

_PACKAGE = "gpu2ascend_simulator"


def fill_folder(folder: Path, version: Version | None) -> None:
    """Put what takes part in the processes into an empty folder; without a version, no torch_npu."""
    with as_file(files(_PACKAGE)) as package:
        shutil.copytree(package, folder / _PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(package / "session" / "site" / "sitecustomize.py", folder / "sitecustomize.py")
    if version is not None:
        put_torch_npu(folder, version)
