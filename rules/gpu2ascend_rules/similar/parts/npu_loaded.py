"""``torch.npu`` and the operators of torch_npu, where there are any."""

import torch

try:
    import torch_npu  # the package that makes torch.npu; torch 1.5 for the NPU has it built in
except ImportError:
    torch_npu = None


def _npu():
    return getattr(torch, "npu", None)


def _operator_for(name, tensor):
    """An operator of torch_npu, if it is there and the tensor is on an NPU; else None."""
    return getattr(torch_npu, name, None) if tensor.device.type == "npu" else None
