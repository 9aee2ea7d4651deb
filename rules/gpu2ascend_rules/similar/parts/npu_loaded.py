"""``torch.npu`` where there is one."""

import torch

try:
    import torch_npu  # the package that makes torch.npu; torch 1.5 for the NPU has it built in
except ImportError:
    torch_npu = None


def _npu():
    return getattr(torch, "npu", None)
