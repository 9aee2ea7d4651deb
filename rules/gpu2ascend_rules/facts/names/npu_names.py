"""Which names torch_npu has in which version, and which of them replace names below ``torch.cuda``.

The NPU namespace is ``torch_npu.npu``, and ``torch.npu`` is the same module. PyTorch 1.5.0 has no torch_npu
package: there torch itself is built for the NPU, and ``torch.npu`` is the only spelling.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ...model.versions import Version
from ..packed.sorted_table import SortedTable
from ..version_set import bit_of, read, versions_in

NAMESPACE = "torch_npu.npu"
OTHER_SPELLING = "torch.npu"
BEFORE_TORCH_NPU = Version(1, 5, 0)
"""The one version whose NPU names are all below ``torch.npu``."""
WHEELS_KEY = "#wheels"
"""A row of the table of names that is no name: the wheels that it was read from, ``<version>=<wheel>``."""


_EXIST = {"get_device_properties": frozenset({Version(1, 11, 0)})}
"""Names that one version's list calls unsupported although the releases before and after it have them."""
_CALLED = ("function", "method", "class")
_MODULES = ("torch.cuda", NAMESPACE, OTHER_SPELLING)


class Counterpart(NamedTuple):
    """What replaces a name below ``torch.cuda`` on the NPU."""

    name: str
    """The full name, as the version spells it: ``torch_npu.npu.empty_cache``."""
    relation: str
    """``same_name``, ``renamed``, ``moved`` (to another module) or ``similar`` (another meaning)."""
    is_called: bool = False
    """Whether it is a function, a method or a class, which have a signature."""


@cache
def _counterparts() -> SortedTable:
    return SortedTable.packaged("counterparts.tsv")


@cache
def _names() -> SortedTable:
    return SortedTable.packaged("npu_names.tsv")


def is_known_cuda_name(name: str) -> bool:
    """Whether the tables have a name below ``torch.cuda`` at all, in whatever version."""
    return _counterparts().find(name) is not None


def counterpart(name: str, version: Version) -> Counterpart | None:
    """What replaces ``name`` in ``version``; None when nothing does or the name is unknown."""
    row = _counterparts().find(name)
    if row is None:
        return None
    versions, relation, npu_name, kind = row[:4]
    if not read(versions) & bit_of(version) and not _exists_anyway(name, version):
        return None
    if version == BEFORE_TORCH_NPU:
        npu_name = OTHER_SPELLING + npu_name.removeprefix(NAMESPACE)
    return Counterpart(npu_name, relation, kind in _CALLED)


def versions_with(npu_name: str) -> int:
    """The versions that have a name below ``torch_npu`` or ``torch.npu``."""
    canonical = _canonical(npu_name)
    row = _names().find(canonical)
    if row is None:
        return 0
    versions = read(row[0])
    return versions if canonical != npu_name else versions & ~bit_of(BEFORE_TORCH_NPU)


def exists(npu_name: str, version: Version) -> bool:
    """Whether ``version`` has a name below ``torch_npu`` or ``torch.npu``; both modules exist too."""
    return bool(versions_with(npu_name) & bit_of(version)) or _exists_anyway(npu_name, version)


def first_version_with(npu_name: str) -> Version | None:
    """The oldest supported version that has a name; None when none has."""
    versions = versions_in(versions_with(npu_name))
    return versions[0] if versions else None


def public_names(module: str, version: Version) -> tuple[str, ...]:
    """The public names directly below a module (or class) of ``version``, sorted."""
    prefix = f"{_canonical(module)}."
    if not exists(module, version):
        return ()
    return tuple(
        name
        for key, versions, _, public, *_ in _names().starting_with(prefix)
        if "." not in (name := key.removeprefix(prefix))
        and read(versions) & bit_of(version)
        and (public or not name.startswith("_"))
    )


def all_names(version: Version) -> tuple[str, ...]:
    """Every qualified name that ``version`` has below ``torch_npu``, sorted; private ones, too."""
    bit = bit_of(version)
    keys = (key for key, versions, *_ in _names().starting_with("torch_npu") if read(versions) & bit)
    return tuple(
        sorted({*keys, *(f"{NAMESPACE}.{name}" for name in _EXIST if exists(f"{NAMESPACE}.{name}", version))})
    )


def kind(npu_name: str) -> str | None:
    """What a name is: ``module``, ``class``, ``function``, ``method`` or ``attribute``; None if unknown."""
    row = _names().find(_canonical(npu_name))
    return row[1] if row is not None and len(row) > 1 else None


@cache
def wheels() -> dict[str, str]:
    """The torch_npu wheel whose names a version has, for the versions of which there is a wheel."""
    return dict(entry.split("=") for entry in _names().find(WHEELS_KEY) or ())


def _exists_anyway(name: str, version: Version) -> bool:
    """Whether a name exists in a version, whatever its list says."""
    module, _, last = name.rpartition(".")
    return module in _MODULES and version in _EXIST.get(last, ())


def _canonical(npu_name: str) -> str:
    """The spelling below ``torch_npu``, under which the table has it."""
    if npu_name == OTHER_SPELLING or npu_name.startswith(f"{OTHER_SPELLING}."):
        return NAMESPACE + npu_name.removeprefix(OTHER_SPELLING)
    return npu_name
