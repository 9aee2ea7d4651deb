"""What the device noted, judged by the tables of the release that is simulated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gpu2ascend_rules.facts import Facts

from ..running.records import Record
from .failures import place_in
from .model import OperatorUse, Place, Refusal


class Observed(NamedTuple):
    """What ran on the device, over all processes."""

    operators: int
    unregistered: tuple[OperatorUse, ...]
    refusals: tuple[Refusal, ...]


def observed(records: Iterable[Record], project: Path, facts: Facts) -> Observed:
    """The operators and refusals of all processes; an operator with its overloads counts once."""
    uses: dict[str, OperatorUse] = {}
    refusals: dict[tuple[str, str, str, Place | None], int] = {}
    for record in records:
        for item in record.notes.get("operators", ()):
            name = _plain(item["name"])
            before = uses.get(name)
            place = before.place if before is not None and before.place else _place(item["line"], project)
            uses[name] = OperatorUse(name, item["count"] + (before.count if before else 0), place)
        for item in record.notes.get("refusals", ()):
            key = (item["kind"], _plain(item["operator"]), item["detail"], _place(item["line"], project))
            refusals[key] = refusals.get(key, 0) + item["count"]
    return Observed(
        len(uses),
        tuple(sorted(_unregistered(uses, facts), key=lambda use: (-use.count, use.name))),
        tuple(
            Refusal(kind, name, detail, count, place)
            for (kind, name, detail, place), count in refusals.items()
        ),
    )


def _unregistered(uses: Mapping[str, OperatorUse], facts: Facts) -> Iterator[OperatorUse]:
    """Those for which torch_npu has no kernel. Without a table of a release nothing can be said."""
    if facts.wheel is None:
        return
    for use in uses.values():
        namespace, _, name = use.name.partition("::")
        if namespace == "aten" and not facts.has_kernel(f"torch.ops.aten.{name}"):
            yield use


def _plain(name: str) -> str:
    return name.partition(".")[0]


def _place(line: Any, project: Path) -> Place | None:
    return None if line is None else place_in(project, str(line[0]), int(line[1]))
