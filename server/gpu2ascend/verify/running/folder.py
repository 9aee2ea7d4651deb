"""The folder that is first on PYTHONPATH: torch_npu, the device, and what notes."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from gpu2ascend_rules.model.versions import Version

_PACKAGE = "gpu2ascend_simulator"
FIRST_TO_LOAD_ITSELF = Version(2, 5)
"""From this release on, torch loads torch_npu when it is imported."""


def fill_folder(folder: Path, version: Version) -> None:
    """Put what takes part in the processes into an empty folder."""
    with as_file(files(_PACKAGE)) as package:
        shutil.copytree(package, folder / _PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(package / "session" / "site" / "sitecustomize.py", folder / "sitecustomize.py")
    put_torch_npu(folder, version)


def put_torch_npu(folder: Path, version: Version) -> None:
    """Put a module torch_npu with the names of a release into the folder."""
    raise NotImplementedError
