"""What the support lists restrict in a file, and what is only advice, in separate lists of the reports.

The findings of :mod:`.catalog.support.restricted_apis` would drown all others, so a report takes them out and
counts them separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from .model.defects import is_defect
from .model.finding import Finding

_RESTRICTED_API, _RESTRICTED_DTYPE = "NPU006", "NPU005"
"""The codes of the rules that find them."""
_Item = TypeVar("_Item")


class Advisable(Protocol):
    """What may be advice."""

    @property
    def is_advice(self) -> bool:
        """Whether code runs as well without it."""


def split_restricted(
    items: Iterable[_Item], finding_of: Callable[[_Item], Finding]
) -> tuple[tuple[_Item, ...], tuple[_Item, ...]]:
    """The findings of a file without its uses of restricted APIs, and these uses.

    Where another finding says that the data type is evidently none of those that the list names, the use
    is not listed again.
    """
    findings = [(finding_of(item), item) for item in items]
    evident = {(found.end, found.api) for found, _ in findings if found.code == _RESTRICTED_DTYPE}
    others = tuple(item for found, item in findings if not _is_restricted(found))
    restricted = tuple(
        item for found, item in findings if _is_restricted(found) and (found.end, found.api) not in evident
    )
    return others, restricted


def _is_restricted(finding: Finding) -> bool:
    return finding.code == _RESTRICTED_API and not is_defect(finding)


def split_advice(
    items: Iterable[_Item], finding_of: Callable[[_Item], Advisable]
) -> tuple[tuple[_Item, ...], tuple[_Item, ...]]:
    """The findings of a file without the advice, and the advice: nothing counts it as left to do."""
    found = tuple(items)
    others = tuple(item for item in found if not finding_of(item).is_advice)
    return others, tuple(item for item in found if finding_of(item).is_advice)
