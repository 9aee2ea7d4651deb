"""torch_npu of one release, simulated on torch's CPU build: the device ``npu`` in memory of the host.

Tensors really live on the device, so that what is left on the CPU by mistake fails as it would on an
Ascend NPU; and every public name that the chosen release lacks is missing. What the real one has and this
one does not simulate fails loudly and differently (:class:`._surface.NotSimulated`).

Environment:
    GPU2ASCEND_NPU_COUNT    how many devices the machine has (8, of which 2 or one for each rank are visible
                            where ASCEND_RT_VISIBLE_DEVICES does not choose)
    GPU2ASCEND_NPU_MEMORY   bytes of memory of each device (2 GiB; `verify` gives more where the host has it)
"""

from __future__ import annotations

# ruff: noqa: E402, F401  (the device must have its name before the modules that use it)
import os

_autoloads = os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD")
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # torch would ask for this module, which begins here

import torch

if _autoloads is None:
    del os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"]
else:
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = _autoloads

from . import _C, _extension, npu
from ._version import RELEASE

torch._register_device_module("npu", npu)

from gpu2ascend_simulator.fused import activations, attention, moving, norms

from ._implementation import hccl
from ._implementation.profiling import activity
from ._implementation.tensors import methods, types_of_tensors

methods.install()
types_of_tensors.install()
activity.install()
hccl.install()

from . import contrib, distributed, optim, profiler, utils
from ._surface import explain_missing_modules, publish

__version__ = RELEASE

explain_missing_modules()

publish(
    __name__,
    *(activations, attention, moving, norms),
    keep=("_C", "contrib", "distributed", "npu", "optim", "profiler", "utils"),
)


def _autoload() -> None:
    """What torch calls when it loads its back ends: importing has done all."""
