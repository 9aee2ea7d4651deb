"""Whether the device must be mapped to the CPU, because this torch is too old for a simulated one."""

from __future__ import annotations

import os
import re

import torch

VARIABLE = "GPU2ASCEND_NPU_MAPPED"
"""Has the device mapped on a newer torch as well, if it is 1."""
FIRST_WITH_DEVICE = (2, 10)
"""The first torch on which a device can be made in Python."""

_VERSION = tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])
IS_MAPPED = _VERSION < FIRST_WITH_DEVICE or os.environ.get(VARIABLE) == "1"
