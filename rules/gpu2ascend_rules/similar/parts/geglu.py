"""GEGLU by ``torch_npu.npu_geglu``."""

import torch

from .npu_loaded import _operator_for


def geglu(x, approximate="none"):
    """``a * F.gelu(b)`` of the halves ``a, b = x.chunk(2, -1)``, on an NPU in one operator."""
    operator = _operator_for("npu_geglu", x)
    if operator is not None:
        return operator(x, dim=-1, approximate=int(approximate == "tanh"))[0]
    value, gate = x.chunk(2, -1)
    if approximate == "none":
        return value * torch.nn.functional.gelu(gate)
    return value * torch.nn.functional.gelu(gate, approximate=approximate)
