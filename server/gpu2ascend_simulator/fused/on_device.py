"""What every fused operator asks first."""

from __future__ import annotations

from typing import Any


def require_npu(name: str, *tensors: Any) -> None:
    """The operators exist for tensors of the NPU only.

    Raises:
        RuntimeError: a tensor is elsewhere.
    """
    for tensor in tensors:
        if tensor is not None and tensor.device.type != "npu":
            raise RuntimeError(
                f"{name}: Expected all tensors to be on the same device, but found at least two devices, "
                f"npu and {tensor.device}!"
            )
