"""The counterpart of ``torch.cuda``; ``torch.npu`` is this module."""

from torch_npu._implementation import devices, graphs, marks, random_state, settings, stream_api, tensor_types
from torch_npu._implementation import memory_api as _memory_api
from torch_npu._surface import publish
from . import amp, memory, random, streams

publish(
    __name__,
    devices,
    graphs,
    marks,
    _memory_api,
    random_state,
    settings,
    stream_api,
    tensor_types,
    keep=("amp", "memory", "random", "streams"),
)
