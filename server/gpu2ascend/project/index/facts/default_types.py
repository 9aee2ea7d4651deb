"""The default tensor types that a file sets, found by pattern."""

from __future__ import annotations

import re

_SET = re.compile(rb"set_default_tensor_type\s*\(([^()]{0,300})\)")
_DEVICE = re.compile(rb"set_default_device\s*\(\s*[\"']?([^()\"']{0,300})")
_TYPE = re.compile(rb"(cuda\.|npu\.)?\b(\w{1,20}Tensor)\b")


def default_types(data: bytes) -> tuple[str, ...]:
    """``cuda.HalfTensor``, ``FloatTensor``, each once.

    Also ``dtype`` where the default dtype is set by itself, and ``device`` where the default device is set to
    another than the CPU.
    """
    if b"set_default_" not in data:
        return ()
    found: dict[str, None] = {}
    for given in _SET.findall(data):
        for device, name in _TYPE.findall(given):
            found[("cuda." if device else "") + name.decode()] = None
    if b"set_default_dtype" in data:
        found["dtype"] = None
    if any(given != b"cpu" for given in _DEVICE.findall(data)):
        found["device"] = None
    return tuple(found)
