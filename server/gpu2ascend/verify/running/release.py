"""torch_npu of one release, simulated, in a folder for the path of Python."""

from __future__ import annotations

import json
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.api_support import registered_operators
from gpu2ascend_rules.facts.dtype_limits import operators_with_limits
from gpu2ascend_rules.facts.names import npu_names
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version

_SIMULATOR = "gpu2ascend_simulator"
_MODULE = "torch_npu"
FIRST_TO_LOAD_ITSELF = Version(2, 5)
"""From this release on, torch loads torch_npu when it is imported."""

_OF_MATRIX_UNITS = frozenset(
    {"mm", "bmm", "addmm", "addmv", "mv", "addbmm", "baddbmm", "dot", "convolution", "convolution_backward"}
)
"""Computed by the matrix units, which have no double precision in any release: these raise. What else the
lists do not name may be computed on the CPU or in another type, and is only reported."""


def put_torch_npu(folder: Path, version: Version) -> None:
    """Put a module torch_npu with the names of a release into a folder.

    It needs ``gpu2ascend_simulator`` on the path as well. torch loads it by itself as it does the real one:
    from 2.5 on, and unless ``TORCH_DEVICE_BACKEND_AUTOLOAD=0``.
    """
    with as_file(files(_SIMULATOR)) as simulator:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(simulator / _MODULE, folder / _MODULE, ignore=ignored, dirs_exist_ok=True)
    facts = {
        "version": str(version),
        "names": npu_names.all_names(version),
        "operators": registered_operators(version),
        "limits": limits(version),
    }
    (folder / _MODULE / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    _describe(folder, version)


def limits(version: Version) -> dict[str, dict[str, object]]:
    """Which data types operators do not take, and whether the device is known to raise there."""
    facts = Facts.load(version, Hardware.A2)
    limits: dict[str, dict[str, object]] = {
        operator: {"dtypes": sorted(dtypes), "raises": False}
        for operator, dtypes in operators_with_limits(facts).items()
    }
    return limits | {operator: {"dtypes": ["float64"], "raises": True} for operator in _OF_MATRIX_UNITS}


def _describe(folder: Path, version: Version) -> None:
    """What an installer writes, so that the distribution is found by its name."""
    metadata = folder / f"{_MODULE}-{version}.dist-info"
    metadata.mkdir(exist_ok=True)
    text = f"Metadata-Version: 2.1\nName: {_MODULE}\nVersion: {version}\n"
    (metadata / "METADATA").write_text(text, encoding="utf-8")
    if version >= FIRST_TO_LOAD_ITSELF:
        entry = f"[torch.backends]\n{_MODULE} = {_MODULE}:_autoload\n"
        (metadata / "entry_points.txt").write_text(entry, encoding="utf-8")
