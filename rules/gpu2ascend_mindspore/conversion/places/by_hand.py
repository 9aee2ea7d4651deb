"""What to write by hand in a place that is not converted."""

from __future__ import annotations

from collections.abc import Iterator

from gpu2ascend_rules.text.syntax import arguments_of, call_of

from ...correspondences.table import by_hand, shown
from ..evidence import Evidence
from ..use import Reason, Use

_STEP = "torch.optim.Optimizer.step"
_OF_NAME = frozenset({Reason.NO_TARGET, Reason.LIBRARY, Reason.ARGUMENTS, Reason.FREED})


def with_text(evidence: Evidence, use: Use) -> Use:
    """A use that nothing is written for, with what to write by hand where that is known."""
    for key in _keys(evidence, use):
        if key in by_hand():
            return use._replace(by_hand=shown(by_hand()[key]))
    return use


def _keys(evidence: Evidence, use: Use) -> Iterator[str]:
    """What the table may call it, the closest first."""
    if use.reason in _OF_NAME:
        yield use.api
    elif use.reason is Reason.ARGUMENT:
        yield f"{use.api}({use.detail})"
        yield f"({use.detail})"
    elif use.reason is Reason.STEP and use.api == _STEP and _has_arguments(evidence, use):
        yield f"{_STEP}(closure)"


def _has_arguments(evidence: Evidence, use: Use) -> bool:
    node = evidence.source.node_at(use.start, use.end)
    call = node if node is None or node.type == "call" else call_of(node)
    return call is not None and bool(arguments_of(call).items)
