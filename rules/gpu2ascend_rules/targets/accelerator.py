"""Code that asks torch for the machine's accelerator, whichever it is, and runs without one."""

from __future__ import annotations

from ..model.finding import Message
from ..model.versions import NEWEST, SUPPORTED_VERSIONS, Version
from .target import Target, own_texts

FIRST = Version(2, 6)
"""The first release with ``torch.accelerator``."""


def _explained(name: str, version: Version | None) -> tuple[Message, ...]:
    from ..facts.releases.neutral import explained  # the table is not needed where nobody asks

    return explained(name, version)


TARGET = Target(
    name="accelerator",
    codes=("ACC",),
    also=("NPU007", "NPU008", "NPU009", "NPU010"),
    flags=("--target", "accelerator"),
    suffix="_accelerator",
    versions=tuple(version for version in SUPPORTED_VERSIONS if version >= FIRST),
    default_version=NEWEST,
    without_options=frozenset(
        {
            "auto", "api_style", "replace_unsupported", "from_cpu", "specify_device", "distributed",
            "launcher", "amp_transplant", "enable_amp", "hardware", "image", "mindspore_version",
            "mindspore_api", "graph",
        }
    ),
    sets_environment=False,
    steps=("blockers", "others", "launch"),
    texts=own_texts("neutral"),
    explains=_explained,
)  # fmt: skip
