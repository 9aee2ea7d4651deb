"""Code that asks torch for the machine's accelerator, whichever it is, and runs without one."""

from __future__ import annotations

from ..model.finding import Message
from ..model.versions import SUPPORTED_VERSIONS, Version
from .target import Target

FIRST = Version(2, 6)
"""The first release with ``torch.accelerator``."""

TARGET = Target(
    name="accelerator",
    codes=("ACC",),
    flags=("--target", "accelerator"),
    suffix="_accelerator",
    versions=tuple(version for version in SUPPORTED_VERSIONS if version >= FIRST),
    default_version=SUPPORTED_VERSIONS[-1],
    without_options=frozenset(
        {
            "api_style", "replace_unsupported", "from_cpu", "specify_device", "distributed", "launcher",
            "amp_transplant", "enable_amp",
        }
    ),
    sets_environment=False,
    steps=("blockers", "others", "launch"),
    not_yet=Message.of("option.error.target_not_yet", target="accelerator"),
)  # fmt: skip
