"""MindSpore, for projects that must run without PyTorch."""

from __future__ import annotations

from ..model.finding import Message
from ..model.versions import SUPPORTED_VERSIONS
from .target import Target

TARGET = Target(
    name="mindspore",
    codes=("MS",),
    flags=("--target", "mindspore"),
    suffix="_x2ms",
    distributed_suffix="_x2ms_multi",
    default_version=SUPPORTED_VERSIONS[-1],
    log_stem="x2mindspore",
    not_yet=Message.of("option.error.target_not_yet", target="mindspore"),
)
