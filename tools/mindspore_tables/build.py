"""The table: hand-written entries first, then the first proposal for each API that no sample refutes."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_mindspore.correspondences.entry import Entry
from gpu2ascend_rules.text.source_file import SourceFile

from .propose import proposals
from .prove import Bench, Proof, Row, entries
from .running import Agreement
from .samples import calls
from .translate import uses

SOURCES = Path(__file__).parent / "sources"
COLUMNS = ("api", "parameters", "target", "dropped", "since", "verified", "note")
NO_TARGET = "none"
"""Written in the place of a target: MindSpore has none, or none that gives the same results."""
_AGREE = (Agreement.EQUAL,)
Sample = tuple[str, tuple[str, ...]]


class Judged(NamedTuple):
    """Entries of an API, and what the samples show of them."""

    rows: tuple[Row, ...]
    proofs: tuple[Proof, ...]

    entries: tuple[Entry, ...] = ()
    """What the rows say, in their order."""

    @property
    def agreeing(self) -> int:
        """How many samples agree."""
        return len(self._agree())

    def _agree(self) -> list[Proof]:
        return [one for one in self.proofs if one.outcome is not None and one.outcome.agreement in _AGREE]

    @property
    def unproven(self) -> list[Row]:
        """The rows that made no translation of an agreeing sample."""
        used = {id(entry) for proof in self._agree() for entry in proof.used}
        return [row for row, entry in zip(self.rows, self.entries, strict=True) if id(entry) not in used]

    @property
    def refuted(self) -> list[Proof]:
        """The samples that MindSpore computes differently, or refuses."""
        return [one for one in self.proofs if one.outcome is not None and one.outcome.agreement not in _AGREE]


class Builder:
    """Makes the table; ``pairs`` are the names that may stand for each API."""

    def __init__(self, pairs: Mapping[str, Sequence[str]]) -> None:
        self._pairs = pairs
        self._bench = Bench()
        self._uses: dict[Sample, frozenset[str]] = {
            sample: frozenset(use.api for use in uses(SourceFile(sample[0], "sample.py").root))
            for sample in calls()
        }
        self._samples: dict[str, list[Sample]] = defaultdict(list)
        for sample, apis in self._uses.items():
            for api in apis:
                self._samples[api].append(sample)
        self.table: dict[str, list[Entry]] = {}

    def build(self) -> dict[str, Judged]:
        """The entries of every API. Twice, because a sample may need the entries of several."""
        written = hand_written()
        self.table = {api: entries(rows)[api] if rows else [] for api, rows in written.items()}
        found: dict[str, Judged] = {}
        for _ in range(2):
            found = {api: self._judged(api, written) for api in sorted({*self._samples, *written})}
            self.table.update(entries([row for one in found.values() for row in one.rows]))
        return found

    def _judged(self, api: str, written: Mapping[str, Sequence[Row]]) -> Judged:
        if api in written:
            return self.judge(api, written[api])
        chosen: list[Row] = []
        for forms in self._by_form(api).values():
            judged = [self.judge(api, [*chosen, *rows]) for rows in forms]
            good = [one for one in judged if one.agreeing and not one.refuted]
            if good:
                chosen = list(max(good, key=lambda one: one.agreeing).rows)
        return self.judge(api, chosen) if chosen else Judged((), ())

    def _by_form(self, api: str) -> Mapping[str, list[list[Row]]]:
        forms: dict[str, list[list[Row]]] = defaultdict(list)
        try:
            for rows in proposals(api, self._pairs.get(api, ())):
                forms[rows[0]["parameters"]].append(rows)
        except AttributeError:
            return {}  # no such name in the torch that is installed
        return forms

    def judge(self, api: str, rows: Sequence[Row]) -> Judged:
        """What the samples show of entries of an API, beside the table as it stands."""
        if not rows:
            return Judged((), ())
        own = entries(rows)
        table = {**self.table, **own}
        proofs = []
        for sample in self._samples.get(api, ()):
            if all(used in table for used in self._uses[sample]):
                proof = self._bench.run(*sample, table)
                proofs += [proof] if proof is not None else []
        return Judged(tuple(rows), tuple(proofs), tuple(own[api]))


def hand_written() -> dict[str, list[Row]]:
    """The entries of ``sources/entries.tsv`` by API; none for an API that has no target."""
    found: dict[str, list[Row]] = {}
    with (SOURCES / "entries.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            rows = found.setdefault(row["api"], [])
            if row["target"] != NO_TARGET:
                rows.append({**row, "since": row.get("since") or "", "verified": "no"})
    return found


def rows_of(found: Mapping[str, Judged]) -> list[Row]:
    """The rows of the table, with what was verified."""
    rows: list[Row] = []
    for api, one in sorted(found.items()):
        unproven = one.rows if one.refuted else one.unproven
        rows += [{**row, "verified": "no" if row in unproven else "yes"} for row in one.rows]
        if not one.rows:
            rows.append({**dict.fromkeys(COLUMNS, ""), "api": api, "target": NO_TARGET, "verified": "no"})
    return rows
