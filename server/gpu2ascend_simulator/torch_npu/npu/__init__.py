"""The counterpart of ``torch.cuda``; ``torch.npu`` is this module."""

from __future__ import annotations

from torch_npu._implementation import devices, graphs, random_state, settings, stream_api
from torch_npu._implementation import memory_api as _memory_api
from torch_npu._implementation.profiling import marks
from torch_npu._implementation.tensors import types_of_tensors
from torch_npu._surface import publish

from . import amp as amp
from . import memory as memory
from . import random as random
from . import streams as streams

publish(
    __name__,
    devices,
    graphs,
    marks,
    _memory_api,
    random_state,
    settings,
    stream_api,
    types_of_tensors,
    keep=("amp", "memory", "random", "streams"),
    # torch asks for it where it saves random state, in activation checkpointing for one.
    variables={"_initialized": devices.is_initialized},
)
