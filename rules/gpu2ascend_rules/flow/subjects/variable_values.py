"""Values of environment variables: which the counterparts take, and what becomes of the others."""

from __future__ import annotations

import re

from ...data import load_tsv
from ...model.hardware import Hardware
from ...model.versions import Version, choose_version

_LOG_LEVELS = {"TRACE": "0", "INFO": "1", "WARN": "2"}
_MEGABYTE = 1 << 20
_LIST = re.compile(r"\s*\d+\s*(?:,\s*\d+\s*)*")
_NONE_AT_ALL = frozenset({"", "-1", "none", "nodevfiles"})


def allocator_keys(version: Version, hardware: Hardware) -> list[str]:
    """The settings that the allocator of the version's torch_npu has on some hardware."""
    on_950dt = hardware is Hardware.DT950
    rows = (row for row in load_tsv("allocator_keys") if row["on_950dt"] == "yes" or not on_950dt)
    firsts = {row["key"]: row["since"] for row in rows}
    return [key for key, since in firsts.items() if not since or version >= choose_version(since).version]


def has_foreign_keys(text: str, version: Version, hardware: Hardware) -> bool:
    """Whether a value for the allocator has settings that torch_npu's does not have."""
    keys = {part.partition(":")[0].strip() for part in text.split(",") if part.strip()}
    return not keys <= set(allocator_keys(version, hardware))


def converted(advice: str, text: str) -> str | None:
    """A value in the meaning or unit of the counterpart; None where it is the same, or has none."""
    if advice == "log":
        return _LOG_LEVELS.get(text.upper())
    if advice == "megabytes" and text.isdigit():
        return str(max(1, int(text) // _MEGABYTE))
    return None


def is_device_list(text: str) -> bool:
    """Whether a value is a list of device numbers, in whatever order."""
    return _LIST.fullmatch(text) is not None


def is_no_device(text: str) -> bool:
    """Whether a value is one of the usual texts for no device at all."""
    return text.strip().lower() in _NONE_AT_ALL


def in_order(devices: str) -> str:
    """A list of device numbers as the NPU's runtime takes it: ascending, each once, without spaces."""
    return ",".join(str(number) for number in sorted({int(part) for part in devices.split(",")}))
