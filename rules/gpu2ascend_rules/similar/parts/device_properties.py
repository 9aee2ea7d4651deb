"""``torch.cuda.get_device_properties`` for a device that is no GPU."""

import os
import warnings

from .npu_loaded import _npu

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
