"""The support lists: what they say of a name, under whatever public name they have it.

A look at one name loads the tables and nothing else: the classes of PyTorch are imported when asked for, and
the patterns that look at all rows are compiled then, which takes as long as all the rest of a first look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from ..model.hardware import Hardware
from ..model.versions import SUPPORTED_VERSIONS, Version
from .packed.row_format import unpack
from .packed.rows import SupportRow
from .packed.sorted_table import SortedTable
from .releases.canonical import public_name
from .statuses import SupportStatus
from .version_set import bit_of, read, versions_in

_FIRST_WHEEL = Version(2, 1, 0)
SOURCES_KEY = "#sources"
"""Rows that are no APIs: the names of a table's sources; for the support lists, with the version after it."""


@cache
def _apis() -> SortedTable:
    return SortedTable.packaged("support.tsv")


@cache
def _aliases() -> SortedTable:
    return SortedTable.packaged("aliases.tsv")


@cache
def _operators() -> SortedTable:
    return SortedTable.packaged("operators.tsv")


@cache
def _private() -> SortedTable:
    return SortedTable.packaged("private.tsv")


@cache
def sources_of(version: Version) -> tuple[str, ...]:
    """The public lists that a version's rows are from, the one with the most rows first."""
    return tuple(_apis().find(f"{SOURCES_KEY} {version}") or ())


@lru_cache(maxsize=8192)
def listed(api: str, version: Version) -> SupportRow | None:
    """The row that a version's list has for an API, under this name or another of the same object."""
    for name in (api, *other_names(api)):
        row = _row(name, version)
        if row is not None:
            return row
    return _private_row(api, version)


def rows_by_version(api: str) -> Mapping[Version, SupportRow]:
    """The row of every version whose list has an API, as :func:`listed` gives it, but private APIs."""
    found: dict[Version, SupportRow] = {}
    for name in (api, *other_names(api)):
        for variant in _apis().find(name) or ():
            mask, _, text = variant.partition("=")
            versions = read(mask)
            for version in SUPPORTED_VERSIONS:
                if versions & bit_of(version) and version not in found:
                    found[version] = SupportRow(name, unpack(text, sources_of(version)))
    return found


def is_registered(api: str, version: Version) -> bool:
    """Whether torch_npu registers its own kernel for the operator behind an API."""
    from .operators import operator_of

    operator = operator_of(public_name(api))
    found = _operators().find(operator) if operator is not None else None
    return found is not None and bool(read(found[0]) & bit_of(version))


def registered_operators(version: Version) -> tuple[str, ...]:
    """The ATen operators (without overload) for which torch_npu registers kernels, sorted."""
    bit = bit_of(version)
    return tuple(name for name, versions, *_ in _operators().starting_with("") if read(versions) & bit)


class Kernels(NamedTuple):
    """What torch_npu registers of the operators that an API computes by."""

    missing: tuple[str, ...]
    """The operators that every call needs and that have no kernel on the NPU, sorted."""
    are_complete: bool
    """Whether every operator that any call needs has a kernel."""


@lru_cache(maxsize=4096)
def kernels_behind(api: str, version: Version) -> Kernels | None:
    """The kernels for what an API is made of; None when nothing shows what that is."""
    from .operators import composition_of

    made_of = composition_of(api)
    if made_of is None:
        return None
    missing = tuple(sorted(name for name in made_of.always if not _has_kernel(name, version)))
    are_complete = not missing and all(_has_kernel(name, version) for name in made_of.sometimes)
    return Kernels(missing, are_complete)


def _has_kernel(operator: str, version: Version) -> bool:
    """Whether torch_npu has a kernel for an operator, also by way of its variant that works in place.

    For versions without a wheel the one for 2.1.0 speaks, as everywhere.
    """
    variants = (operator, operator.removesuffix("_"), f"{operator}_")
    found = (_operators().find(name) for name in variants)
    bit = bit_of(version if version in _with_wheel() else _FIRST_WHEEL)
    return any(row is not None and read(row[0]) & bit for row in found)


@cache
def _with_wheel() -> frozenset[Version]:
    row = _operators().find("add") or ["0"]
    return frozenset(versions_in(read(row[0])))


def names_starting_with(prefix: str, version: Version) -> Iterator[str]:
    """The APIs that a version's list has below a prefix, sorted."""
    bit = bit_of(version)
    for name, *variants in _apis().starting_with(prefix):
        if any(read(variant.partition("=")[0]) & bit for variant in variants):
            yield name


WHAT_A_CLASS_IS_FOR = frozenset({"step", "forward", "module"})
"""Members without which a supported class could do nothing: a "no" beside one is a slip of the list."""


@cache
def _troubled_member() -> re.Pattern[str]:
    """A variant of a row of a member that, on some hardware, is not supported or may run on the CPU."""
    return re.compile(r"\t(?P<versions>[0-9a-f]+)=(?P<row>[amu](?:[UF]|.(?:n|.n|..n))[^\t\n]*)")


@cache
def _restricted_member() -> re.Pattern[str]:
    """A variant of a row of a member that is restricted, or has a note on some hardware."""
    return re.compile(r"\t(?P<versions>[0-9a-f]+)=(?P<row>[amu](?:R|S[^\t\n]*:)[^\t\n]*)")


def members_with(status: SupportStatus, version: Version, hardware: Hardware) -> tuple[str, ...]:
    """The methods and attributes of classes whose instances can be recognized, that the version's list gives
    a status which is one of trouble, or restricted. Only rows in which some version says so are unpacked."""
    from ..inference.classes.torch_classes import is_class

    bit = bit_of(version)
    sources = sources_of(version)
    found: list[str] = []
    pattern = _restricted_member() if status is SupportStatus.RESTRICTED else _troubled_member()
    is_known = cache(is_class)
    for api, variants in _apis().rows_with(pattern):
        owner, _, member = api.rpartition(".")
        if not is_known(owner) or member in WHAT_A_CLASS_IS_FOR:
            continue
        for versions, text in variants:
            if read(versions) & bit and SupportRow(api, unpack(text, sources)).status_on(hardware) is status:
                found.append(api)
    return tuple(found)


def unlisted_tensor_methods(version: Version) -> tuple[str, ...]:
    """The methods of tensors of which nothing says how far they work: neither they nor the functions of
    the same name are in the version's list, and torch_npu registers no kernel for them."""
    from ..inference.classes.torch_classes import TENSOR, tensor_methods

    return tuple(f"{TENSOR}.{name}" for name in sorted(tensor_methods()) if not _is_listed_for(name, version))


def _is_listed_for(method: str, version: Version) -> bool:
    name = method.removesuffix("_")
    return any(
        listed(f"{module}.{spelling}", version) is not None or is_registered(f"{module}.{spelling}", version)
        for module in ("torch.Tensor", "torch", "torch.nn.functional", "torch.linalg", "torch.special")
        for spelling in {method, name}
    )


def _row(api: str, version: Version) -> SupportRow | None:
    bit = bit_of(version)
    for variant in _apis().find(api) or ():
        versions, _, text = variant.partition("=")
        if read(versions) & bit:
            return SupportRow(api, unpack(text, sources_of(version)))
    return None


def _private_row(api: str, version: Version) -> SupportRow | None:
    """What the page on private APIs says, which holds for every version from one on."""
    found = _private().find(api)
    if found is None or not read(found[0]) & bit_of(version):
        return None
    return SupportRow(api, unpack(found[1], _private().find(SOURCES_KEY) or ()))


@lru_cache(maxsize=4096)
def _aliases_of(name: str) -> tuple[str, ...]:
    """The other names of exactly this; asked for the same modules and classes again and again."""
    return tuple(_aliases().find(name) or ())


def other_names(api: str) -> Iterator[str]:
    """Other public names of the same object: of itself, else of the class or module that holds it."""
    public = public_name(api)
    if public != api:
        yield public
    head, below = api, ""
    while "." in head:
        for other in _aliases_of(head):
            yield other + below
        head, _, last = head.rpartition(".")
        below = f".{last}{below}"
