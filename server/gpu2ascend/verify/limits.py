"""Which data types the operators of a release do not take, for the device to note or to refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.dtype_limits import dtypes_not_taken
from gpu2ascend_rules.facts.operators import operator_of

_PRODUCTS = ("mm", "bmm", "addmm", "addmm_", "baddbmm", "baddbmm_", "matmul", "dot", "mv", "addmv")
"""Products of matrices run in units of the NPU that have no other data types."""


class Limits(NamedTuple):
    """The limits of a release."""

    restrictions: Mapping[str, frozenset[str]]
    """The data types that each operator does not take, by its name without overload."""
    raising: frozenset[str]
    """Those of the operators that fail with such a type."""


def limits_of(facts: Facts) -> Limits:
    """What the support lists of a release certainly do not name."""
    found: dict[str, set[str]] = {}
    for api in facts.listed_names("torch."):
        operator = operator_of(api)
        dtypes = dtypes_not_taken(api, facts) if operator is not None else frozenset()
        if operator is not None and dtypes:
            found.setdefault(operator, set()).update(dtypes)
    restrictions = {name: frozenset(dtypes) for name, dtypes in found.items()}
    return Limits(restrictions, frozenset(_PRODUCTS) & restrictions.keys())
