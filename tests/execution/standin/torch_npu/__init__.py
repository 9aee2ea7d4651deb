"""A stand-in for torch_npu, for tests only: the device ``npu`` in memory of the host.

Tensors really live on the device, so what is left on the CPU by mistake fails here as it would on an
Ascend NPU; and every public name that the chosen version of torch_npu lacks is missing here too.
What the real one has and this one does not fails loudly (:class:`NotInStandIn`).

Environment:
    STANDIN_TORCH_NPU_VERSION   the version of torch_npu to be, such as ``2.8.0``
    STANDIN_EXTENSION           the compiled extension (see tests/execution/extension/build.py)
    STANDIN_NPU_COUNT           how many devices the machine has (2)
    STANDIN_NPU_MEMORY          bytes of memory of each device (2 GiB)
"""

# ruff: noqa: E402, F401  (the device must have its name before the modules that use it)

import torch

from . import _extension
from ._version import VERSION

torch.utils.rename_privateuse1_backend("npu")

from . import _C, npu

torch._register_device_module("npu", npu)

from ._implementation import hccl, methods, operators, profiler_activity, tensor_types

methods.install()
tensor_types.install()
profiler_activity.install()
hccl.install()

from . import contrib, distributed, optim, profiler, utils
from ._surface import publish

__version__ = str(VERSION)

publish(__name__, operators, keep=("_C", "contrib", "distributed", "npu", "optim", "profiler", "utils"))
