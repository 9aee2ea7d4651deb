"""Layers and schedulers that the helper file of the project has, with torch's names and arguments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from gpu2ascend_rules.engine.scan import narrowed, scan_names
from gpu2ascend_rules.facts.releases.canonical import public_name
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.similar.assemble import stand_ins
from gpu2ascend_rules.text.names import Certainty
from gpu2ascend_rules.text.scopes import BindingKind

from ....helpers import MINDSPORE
from ...evidence import ROOTS, Evidence
from ...use import Reason, Use, changed, helped, refused

_INSTEAD = frozenset({"torch.nn.ModuleDict"})
"""What MindSpore has in a form that refuses what torch's takes; a graph can call that form alone."""


@cache
def _places() -> frozenset[str]:
    return frozenset(name for name in stand_ins(MINDSPORE) if name.startswith(("torch.nn.", "torch.optim.")))


def _is_of_helper(evidence: Evidence, name: str) -> bool:
    """Whether the helper file has what a name stands for, and nothing else does."""
    if name in _INSTEAD:
        return not evidence.context.options.graph
    return name in _places() and not evidence.entries.get(name)


def uses_of_helpers(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each name for which the helper file has the same: called, derived from or handed on."""
    for ref in scan_names(evidence.source, ROOTS):
        if evidence.is_taken_care_of(ref.node):
            continue
        for count in range(ref.name.count(".") + 1, 1, -1):
            cut = narrowed(ref, count)
            name = public_name(cut.name) if cut is not None else ""
            if cut is None or not _is_of_helper(evidence, name):
                continue
            evidence.take_care_of(cut.node)
            if ref.binding is not None and ref.binding.kind is BindingKind.ASSIGNMENT:
                break  # a name that the file gave to it
            if ref.certainty is Certainty.AMBIGUOUS:
                yield refused(name, cut.node, Reason.AMBIGUOUS)
                break
            written = f"{MINDSPORE.module}.{name.rpartition('.')[2]}"
            edits = [Edit(cut.node.start_byte, cut.node.end_byte, written)]
            yield helped(name, changed(name, ref.call or cut.node, edits))
            break
