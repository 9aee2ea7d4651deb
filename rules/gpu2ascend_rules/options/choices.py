"""What may be chosen where an option is one of several."""

from __future__ import annotations

import enum

from ..model.versions import Version

MINDSPORE_RELEASES = (Version(2, 7), Version(2, 8), Version(2, 9), Version(2, 10))
"""The releases of MindSpore that there are facts for, the oldest first."""


class ApiStyle(enum.Enum):
    """How a renamed API is spelt where it is used as an attribute. Both name the same object."""

    TORCH_NPU = "torch_npu.npu"
    TORCH = "torch.npu"


class MindsporeApi(enum.Enum):
    """The functions and layers of MindSpore that new code calls where there are several."""

    OPS = "ops"
    """Those that compute on every device."""
    MINT = "mint"
    """Those with torch's names and arguments, of which most compute on Ascend only."""


class Launcher(enum.Enum):
    """A way to start the processes of a distributed training."""

    TORCHRUN = "torchrun"
    SPAWN = "spawn"
    LAUNCH = "launch"
    SHELL = "shell"
    TORCH_NPU_RUN = "torch_npu_run"


class LargeFiles(enum.Enum):
    """What becomes of large files that nothing is changed in: data, weights."""

    LINK = "link"
    COPY = "copy"


class AnalysisMode(enum.Enum):
    """What an analysis looks at. The values are those of the vendor's tool."""

    TORCH_APIS = "torch_apis"
    THIRD_PARTY = "third_party"
    AFFINITY_APIS = "affinity_apis"
    DYNAMIC_SHAPE = "dynamic_shape"
    """Writes a copy of the project that is to be run, so nobody gets it without asking."""
    ADVICE = "advice"
