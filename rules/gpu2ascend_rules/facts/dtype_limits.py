"""Which dtypes an operator certainly does not take on the NPU, by all that the support lists say.

The dtype lists are in part lists of what was tested. A dtype counts as not taken only where it is one that
the hardware is known to be short of, torch_npu has a kernel for the operator, so that the list speaks of
that, and no list of any version, under any name of the same operator, names the dtype.
"""

from __future__ import annotations

from functools import lru_cache

from ..model.hardware import Hardware
from ..model.versions import Version
from . import Facts, SupportStatus
from .api_support import registered_operators, rows_by_version
from .packed.rows import SupportRow

SCARCE = frozenset({"float64", "complex64", "complex128"})
"""Dtypes that kernels of the NPU often lack."""
FIRST_WITH_DTYPES = Version(2, 6)
"""The lists of earlier versions from 2.0 on are names alone."""
_WORKS = (SupportStatus.SUPPORTED, SupportStatus.RESTRICTED)
_NO_ARITHMETIC = frozenset(
    {
        "contiguous",
        "is_pinned",
        "is_set_to",
        "record_stream",
        "resize",
        "resize_as",
        "set",
        "put",
        "eye",
        "unfold",
    }
)
"""Operators that move or describe memory, to which the dtype is all the same."""
_MODULES = ("torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft")


@lru_cache(maxsize=4096)
def dtypes_not_taken(api: str, facts: Facts) -> frozenset[str]:
    """The scarce dtypes that an operator does not take in this version on this hardware."""
    module, _, name = api.rpartition(".")
    row = facts.row(api)
    if module not in _MODULES or row is None or not facts.has_kernel(api) or _plain(name) in _NO_ARITHMETIC:
        return frozenset()
    if not row.dtypes_on(facts.hardware):
        return frozenset()
    return SCARCE - _taken_anywhere(_plain(name), facts.hardware)


def operators_with_limits(facts: Facts) -> dict[str, frozenset[str]]:
    """The scarce dtypes that operators of ATen (without overload) do not take, under any of their names."""
    found = {}
    for operator in registered_operators(facts.version):
        kinds = [dtypes_not_taken(f"{module}.{operator}", facts) for module in _MODULES]
        limits = frozenset[str]().union(*kinds)
        if limits:
            found[operator] = limits
    return found


def _plain(name: str) -> str:
    return name.removesuffix("_")


@lru_cache(maxsize=4096)
def _taken_anywhere(name: str, hardware: Hardware) -> frozenset[str]:
    """The dtypes that some list names for an operator, under any of its names."""
    taken: set[str] = set()
    for module in _MODULES:
        for spelling in (name, f"{name}_"):
            for version, row in rows_by_version(f"{module}.{spelling}").items():
                taken |= _named(row, version, hardware)
    return frozenset(taken)


def _named(row: SupportRow, version: Version, hardware: Hardware) -> frozenset[str]:
    """The dtypes of a row; all for a row without limits, where the version's list has limits at all."""
    limits = row.dtypes_on(hardware)
    if not limits and version >= FIRST_WITH_DTYPES and row.status_on(hardware) in _WORKS:
        return SCARCE
    return frozenset(dtype for dtypes in limits.values() for dtype in dtypes)
