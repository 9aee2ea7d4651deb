"""``torch.set_default_tensor_type`` for types of a device."""

import warnings

import torch

_WITHOUT_DEFAULT_DEVICE = ("1.", "2.0.", "2.2.")
"""Releases that have none, or whose support list says that the NPU's is not one."""
_DEVICE_TYPES = ("torch.cuda.", "torch.npu.", "torch_npu.npu.")


def set_default_tensor_type(t):
    """The same as ``torch.set_default_tensor_type``; a type of CUDA or the NPU, which it does not take on
    an NPU, becomes the default dtype and, from torch 2.1 on but for 2.2, the default device.

    Where there is no default device, new tensors are on the CPU and must be given ``device=``.
    """
    name = t if isinstance(t, str) else f"{t.__module__}.{t.__name__}"
    on_device = name.startswith(_DEVICE_TYPES)
    torch.set_default_tensor_type("torch." + name.rpartition(".")[2] if on_device else t)
    if not torch.__version__.startswith(_WITHOUT_DEFAULT_DEVICE):
        if on_device or hasattr(set_default_tensor_type, "has_set_device"):
            set_default_tensor_type.has_set_device = True
            torch.set_default_device("npu" if on_device else "cpu")
    elif on_device:
        warnings.warn(
            f"{name}: this torch has no default device; new tensors are on the CPU unless they are created "
            "with device='npu'",
            stacklevel=2,
        )
