"""PyTorch on Ascend NPUs by torch_npu: the ordinary target."""

from __future__ import annotations

from .target import Target

TARGET = Target(
    name="torch_npu",
    codes=("NPU", "ADV"),
    suffix="_msft",
    distributed_suffix="_msft_multi",
    device_module="torch_npu",
    tables=("change_list", "unsupported_api", "unknown_api", "restricted_api", "cuda_op_list"),
    steps=("environment", "install", "blockers", "others", "smoke", "launch"),
)
