"""Fixes with their own edits, chosen so that none overlap, and what they make of a file together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..limits.checkpoints import checkpoint
from ..model.finding import Edit, Finding, Fix
from ..rewrite import RewriteDeclined, RewriteFailed
from ..text.plain.text_file import TextFile
from .fix_edits import ClaimedPlaces, distinct_edits, needed_imports, own_edits
from .offsets import edited
from .refusals import Refusals


class Planned(NamedTuple):
    """A fix with its own edits; the imports that it needs are added for all fixes together."""

    finding: Finding
    fix: Fix
    edits: tuple[Edit, ...]


class Made(NamedTuple):
    """What fixes make of a file."""

    source: TextFile
    edits: frozenset[Edit]
    imports: tuple[Edit, ...]


def planned(source: TextFile, findings: Iterable[Finding], refusals: Refusals) -> Iterator[Planned]:
    """The fixes of findings that can be made by themselves; one that fails is refused."""
    for finding in findings:
        if finding.fix is None or refusals.holds(finding):
            continue
        checkpoint()
        try:
            edits = own_edits(source, finding.fix)
        except RewriteFailed as error:
            refusals.note(finding.code, error)
            refusals.refuse(finding, str(error))
            continue
        except RewriteDeclined:
            continue
        if edits or finding.fix.plan.requires:
            yield Planned(finding, finding.fix, edits)


def without_overlaps(items: Iterable[Planned]) -> list[Planned]:
    """Of fixes that overlap, the first."""
    claimed = ClaimedPlaces()
    return [item for item in items if claimed.takes(item.edits)]


def made_of(source: TextFile, chosen: Sequence[Planned]) -> Made:
    """A file after fixes that do not overlap, with the imports that they need, each once."""
    imports = needed_imports(source, [(item.fix, item.edits) for item in chosen])
    edits = frozenset((*distinct_edits(item.edits for item in chosen), *imports))
    return Made(edited(source, edits), edits, imports)
