"""Some of a file's fixes, and those that must not be left behind when these are made.

A name spelt for the NPU in one place shows the rules that the code was ported by hand, so that they report
nothing about the places beside it: fixes made one by one would end in another text than all of them made at
once. A fix therefore brings every fix that it would silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .checking import check
from .edits.offsets import OffsetMap, edited
from .edits.planned import made_of, planned, without_overlaps
from .edits.refusals import Refusals
from .model.finding import Applicability, Edit, Finding
from .model.project.project_view import STANDALONE, ProjectView
from .options.options import MigrationOptions
from .text.plain.text_file import TextFile


def closure_edits(
    source: TextFile,
    wanted: Iterable[Finding],
    findings: Iterable[Finding],
    options: MigrationOptions,
    project: ProjectView = STANDALONE,
    refusals: Refusals | None = None,
) -> tuple[Edit, ...]:
    """The edits of the fixes of ``wanted``, with the safe fixes that nothing would offer any more after them.

    Of fixes that overlap the earlier in ``wanted`` is made. Those that cannot be made here are left out, as
    are those that ``refusals`` admits not, which then say so; there are no edits if none can be made.
    """
    refusals = refusals or Refusals()
    chosen = list(wanted)
    others = [
        item
        for item in findings
        if item.fix is not None and item.applicability is Applicability.SAFE and item not in chosen
    ]
    while True:
        edits = _edits_of(source, chosen, refusals)
        left = _left_behind(source, edits, others, options, project) if edits else []
        if not left:
            return edits
        chosen += left
        others = [item for item in others if item not in left]


def _edits_of(source: TextFile, findings: Iterable[Finding], refusals: Refusals) -> tuple[Edit, ...]:
    """The edits of the fixes of findings, with the imports that they need, each once."""
    wanted = without_overlaps(planned(source, findings, refusals))
    chosen = refusals.admitted(wanted, lambda items: made_of(source, items)[:2])
    return tuple(sorted(made_of(source, chosen).edits))


def _left_behind(
    source: TextFile,
    edits: Sequence[Edit],
    others: Sequence[Finding],
    options: MigrationOptions,
    project: ProjectView,
) -> list[Finding]:
    """The findings that the edits do not touch, and of which nothing is found after them."""
    if not others:
        return []
    after = check(edited(source, edits), options, project)
    found = Counter(item.start for item in after if item.applicability is Applicability.SAFE)
    moves = OffsetMap(edits)
    by_place: dict[int, list[Finding]] = {}
    for finding in others:
        if not moves.replaces(finding.start):
            by_place.setdefault(moves.present(finding.start), []).append(finding)
    return [item for start, here in by_place.items() if found[start] < len(here) for item in here]
