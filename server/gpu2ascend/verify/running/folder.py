"""The folder that is first on PYTHONPATH: torch_npu, the device, and what notes."""

from __future__ import annotations

import importlib
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from gpu2ascend_rules.facts.npu_names import all_names
from gpu2ascend_rules.model.versions import Version

_PACKAGE = "gpu2ascend_simulator"


def fill_folder(folder: Path, version: Version | None) -> None:
    """Put what takes part in the processes into an empty folder; without a version, no torch_npu."""
    with as_file(files(_PACKAGE)) as package:
        shutil.copytree(package, folder / _PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(package / "session" / "site" / "sitecustomize.py", folder / "sitecustomize.py")
    if version is not None:
        put_torch_npu(folder, version)


def put_torch_npu(folder: Path, version: Version) -> None:
    """Put a module torch_npu with the names of a release into the folder.

    The simulator is loaded by its name: it belongs to the processes of a project, and only its preparation
    to ours.
    """
    preparation = importlib.import_module(f"{_PACKAGE}.preparation")
    preparation.prepare(folder, preparation.Release(str(version), all_names(version)))
