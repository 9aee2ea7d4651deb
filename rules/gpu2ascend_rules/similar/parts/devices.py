"""Devices, their types, and the operators of torch_npu."""

import os
import warnings

import torch

# npu_loaded: ``torch.npu`` and the operators of torch_npu, where there are any.
try:
    import torch_npu  # the package that makes torch.npu; torch 1.5 for the NPU has it built in
except ImportError:
    torch_npu = None


def _npu():
    return getattr(torch, "npu", None)


def _operator_for(name, tensor):
    """An operator of torch_npu, if it is there and the tensor is on an NPU; else None."""
    return getattr(torch_npu, name, None) if tensor.device.type == "npu" else None


# device_properties: ``torch.cuda.get_device_properties`` for a device that is no GPU.
MEMORY_VARIABLE = "NPU_TOTAL_MEMORY"
"""Environment variable with the memory of a device in bytes, for releases that cannot tell it."""


def get_device_properties(device=None):
    """The properties of an NPU, as the release of torch_npu knows them, with some of a GPU's besides.

    ``name`` and ``total_memory`` (in bytes) are there in every release. ``major`` and ``minor`` are 0,
    with a warning: an NPU has no compute capability. Anything else that it lacks raises AttributeError.
    """
    npu = _npu()
    if device is None:
        device = npu.current_device() if npu is not None else 0
    native = getattr(npu, "get_device_properties", None)
    return _DeviceProperties(device, native(device) if native is not None else None)


class _DeviceProperties:
    def __init__(self, device, native):
        self._device = device
        self._native = native

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if self._native is not None and hasattr(self._native, name):
            return getattr(self._native, name)
        if name in ("major", "minor"):
            warnings.warn(f"an NPU has no compute capability: {name} is 0", stacklevel=2)
            return 0
        if name == "total_memory":
            return _stated_memory()
        if name == "name":
            ask = getattr(_npu(), "get_device_name", None)
            return ask(self._device) if ask is not None else "Ascend NPU"
        raise AttributeError(f"an NPU has no device property '{name}'")

    def __repr__(self):
        if self._native is not None:
            return repr(self._native)
        return f"_NPUDeviceProperties(name='{self.name}')"


def _stated_memory():
    stated = os.environ.get(MEMORY_VARIABLE)
    if stated is None:
        raise AttributeError(
            "this release cannot tell the memory of an NPU; set the environment variable "
            f"{MEMORY_VARIABLE} to its number of bytes"
        )
    return int(stated)


# set_default_tensor_type: ``torch.set_default_tensor_type`` for types of a device.
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
