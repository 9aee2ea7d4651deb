"""What ``migrate --update`` says of the merge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...project.paths import listed
from ...project.report.merge import Conflict, Lines, Merge
from ...texts.catalogue import Texts

_SHOWN = 20
"""Paths that a line names."""


def merge_lines(merge: Merge, texts: Texts) -> Iterator[str]:
    """What was merged, what is in conflict and where, what is new and what is gone."""
    for conflict in merge.conflicts:
        where = ", ".join(_place(lines, texts) for lines in conflict.lines)
        path = f"{conflict.path}:{where}" if where else conflict.path
        yield texts("cli.migrate.conflict", path=path, reason=texts.of(conflict.reason))
    renamed = [f"{old} -> {new}" for old, new in merge.renamed]
    named = {"merged": merge.merged, "new": merge.new, "gone": merge.gone, "renamed": renamed}
    for name, paths in named.items():
        if paths:
            yield texts(f"cli.migrate.update_{name}", count=len(paths), names=listed(paths, _SHOWN))
    for report in merge.kept_reports:
        yield texts("cli.migrate.kept_report", path=report)
    yield texts(
        "cli.migrate.update_counts",
        updated=merge.updated,
        merged=len(merge.merged),
        conflicts=len(merge.conflicts),
        new=len(merge.new),
        gone=len(merge.gone),
        yours=merge.yours,
    )


def merge_json(merge: Merge | None, texts: Texts) -> dict[str, Any] | None:
    """The same for programs."""
    if merge is None:
        return None
    return {
        "merged": list(merge.merged),
        "conflicts": [_conflict(conflict, texts) for conflict in merge.conflicts],
        "new": list(merge.new),
        "gone": list(merge.gone),
        "renamed": [{"from": old, "to": new} for old, new in merge.renamed],
        "updated": merge.updated,
        "yours": merge.yours,
        "kept_reports": list(merge.kept_reports),
    }


def _conflict(conflict: Conflict, texts: Texts) -> dict[str, Any]:
    places = [lines._asdict() for lines in conflict.lines]
    return {"path": conflict.path, "reason": texts.of(conflict.reason), "lines": places}


def _place(lines: Lines, texts: Texts) -> str:
    place = f"{lines.start}-{lines.end}"
    return place if lines.cell is None else texts("cli.migrate.cell_place", cell=lines.cell, lines=place)
