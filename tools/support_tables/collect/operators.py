"""The operators that a torch_npu wheel registers, from the YAML files in it.

The files are machine-made and flat, so reading them line by line is enough, and no YAML parser is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .wheel import Wheel

_FILES = (
    "torch_npu/csrc/aten/npu_native_functions.yaml",
    "torch_npu/csrc/aten/npu_native_functions_by_codegen.yaml",
)
_SECTION = re.compile(r"(\w+):\s*$")
_ITEM = re.compile(r"\s*-\s+(?P<name>[\w.]+)\s*$")
_FUNCTION = re.compile(r"(?:\s*-)?\s+func:\s*(?P<name>[\w.]+)|-\s+func:\s*(?P<first>[\w.]+)")


def registered_operators(wheel: Wheel) -> frozenset[str]:
    """The ATen operators, with overloads, for which the wheel has its own kernel."""
    return frozenset(name for section, name in _entries(wheel) if section == "supported")


def custom_operators(wheel: Wheel) -> frozenset[str]:
    """The operators that only torch_npu has; each is a function of the module ``torch_npu``."""
    names = (name for section, name in _entries(wheel) if section == "custom")
    return frozenset(name.partition(".")[0] for name in names)


def _entries(wheel: Wheel) -> Iterator[tuple[str, str]]:
    """Every operator with the section of the file that it stands in."""
    for file in _FILES:
        section = ""
        for line in (wheel.read(file) or b"").decode().splitlines():
            heading = _SECTION.match(line)
            if heading is not None:
                section = heading[1]
                continue
            found = _ITEM.match(line) or _FUNCTION.match(line)
            if found is not None:
                yield section, next(name for name in found.groups() if name)
