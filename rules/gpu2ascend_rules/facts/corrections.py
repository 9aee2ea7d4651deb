"""Names that one version's list calls unsupported although the releases before and after it have them."""

from __future__ import annotations

from ..model.versions import Version

_EXIST = {"get_device_properties": frozenset({Version(1, 11, 0)})}
"""By the name below ``torch.cuda`` and below the NPU's module."""
_MODULES = ("torch.cuda", "torch_npu.npu", "torch.npu")


def exists_anyway(name: str, version: Version) -> bool:
    """Whether a name exists in a version, whatever its list says."""
    module, _, last = name.rpartition(".")
    return module in _MODULES and version in _EXIST.get(last, ())
