"""What tensors, modules and storages gain: ``.npu()``, ``.is_npu``."""

import torch

from gpu2ascend_rules.model.versions import Version

from .._version import VERSION
from .devices import current_device

# Here Module.npu(device) takes an int and goes there; in the other versions it ignores what it is given.
_HEEDS_DEVICE = Version(2, 7, 1) == VERSION or Version(2, 9) <= VERSION


def _module_npu(self, device=None):
    """Moves all parameters and buffers to the NPU."""
    target = torch.device("npu", current_device())
    if device is not None and _HEEDS_DEVICE:
        target = torch.device("npu", device)
    return self._apply(lambda tensor: tensor.to(target))


def install():
    """Puts the methods on torch's classes."""
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True
    )
    torch.nn.Module.npu = _module_npu
