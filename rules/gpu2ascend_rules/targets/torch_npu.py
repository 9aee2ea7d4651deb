"""PyTorch on Ascend NPUs by torch_npu: the ordinary target."""

from __future__ import annotations

from ..model.versions import SUPPORTED_VERSIONS, Version
from .target import Target

_FIRST_AUTOMATIC = Version(1, 11)
"""The first release with transfer_to_npu."""

_TABLES = ("change_list", "unsupported_api", "unknown_api", "restricted_api", "cuda_op_list")
_STEPS = ("environment", "install", "blockers", "others", "smoke", "launch")

_OUT_OF_REACH = (
    "NPU105", "NPU121", "NPU122", "NPU123", "NPU124", "NPU125", "NPU31", "NPU405", "NPU407", "NPU409",
    "NPU410", "NPU411", "NPU414", "NPU507", "NPU512", "NPU522", "NPU806",
)  # fmt: skip
"""Rules on what no name of torch decides, so that transfer_to_npu does not reach it either: attributes of
objects, what HCCL and the NPU cannot do, packages of NVIDIA's."""

AUTOMATIC = Target(
    name="torch_npu_auto",
    flags=("--auto",),
    codes=(
        *(
            "AUTO",
            "NPU0",
            "NPU214",
            "NPU412",
            "NPU6",
            "NPU7",
            "NPU9",
            "NPU10xx",
            "NPU11xx",
            "NPU13xx",
            "NPU14xx",
        ),
        *_OUT_OF_REACH,
    ),
    but_not=("NPU705", "NPU907", "NPU1009", "NPU1012", "NPU1013"),
    only_reports=("NPU0", "NPU214", "NPU6", "NPU7", *_OUT_OF_REACH),
    suffix="_msft",
    device_module="torch_npu",
    versions=tuple(version for version in SUPPORTED_VERSIONS if version >= _FIRST_AUTOMATIC),
    without_options=frozenset(
        {
            "distributed",
            "launcher",
            "from_cpu",
            "amp_transplant",
            "enable_amp",
            "replace_unsupported",
            "api_style",
            "specify_device",
            "mindspore_version",
            "graph",
            "mindspore_api",
        }
    ),
    tables=_TABLES,
    steps=_STEPS,
    texts=(
        ("report.title", "report.title-automatic"),
        ("report.step-start-text", "report.step-start-automatic"),
    ),
    notes=("report.way-static", "report.way-automatic", "report.way-limits", "report.way-both"),
)
"""transfer_to_npu: scripts import what replaces functions of torch when they start."""

TARGET = Target(
    name="torch_npu",
    codes=("NPU", "ADV"),
    suffix="_msft",
    distributed_suffix="_msft_multi",
    device_module="torch_npu",
    tables=_TABLES,
    steps=_STEPS,
    without_options=frozenset({"mindspore_version", "mindspore_api", "graph"}),
    ways=(("auto", AUTOMATIC),),
)
