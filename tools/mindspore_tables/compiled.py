"""``python -m tools.mindspore_tables.compiled``: make the rows for compiled code anew.

``sources/compiled.tsv`` says what is written otherwise where code is compiled, and why. A row is written as
verified where the samples that it translates give the same compiled as torch gives; a row without a target
says that nothing is written for an API there. It needs torch and mindspore, and prints what is refuted.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpu2ascend_mindspore.correspondences.entry import Entry
from gpu2ascend_mindspore.correspondences.table import entries as usual
from gpu2ascend_rules.text.source_file import SourceFile

from .build import COLUMNS, NO_TARGET, SOURCES
from .prove import Bench, Row, entries
from .running import Agreement, of_mindspore_compiled
from .samples import calls
from .translate import uses

TABLE = Path(__file__).parents[2] / "rules" / "gpu2ascend_mindspore" / "data" / "mindspore_compiled_apis.tsv"


def written() -> dict[str, list[Row]]:
    """The rows by API, none verified yet."""
    found: dict[str, list[Row]] = defaultdict(list)
    with (SOURCES / "compiled.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            found[row["api"]].append({**dict.fromkeys(COLUMNS, ""), **row, "verified": "no"})
    return dict(found)


def made() -> tuple[list[str], dict[str, list[str]]]:
    """The lines of the table, and what refutes the rows of an API."""
    rows = written()
    refuted: dict[str, list[str]] = {}
    proven: set[str] = set()
    bench = Bench()
    table = _table(rows)
    for sample, inputs in calls():
        apis = {use.api for use in uses(SourceFile(sample, "sample.py").root)}
        if not apis & rows.keys() or not apis <= table.keys():
            continue
        proof = bench.run(sample, inputs, table, of_mindspore_compiled)
        if proof is None or proof.outcome is None:
            continue
        if proof.outcome.agreement is Agreement.EQUAL:
            proven |= apis & rows.keys()
        else:
            for api in apis & rows.keys():
                refuted.setdefault(api, []).append(f"{proof.sample} -> {proof.text}: {proof.outcome.detail}")
    lines = ["\t".join(COLUMNS)]
    for api, forms in sorted(rows.items()):
        verified = "yes" if api in proven and api not in refuted else "no"
        lines += ["\t".join({**row, "verified": verified}[one] for one in COLUMNS) for row in forms]
    return lines, refuted


def main() -> int:
    """Write the table; 1 if a row is refuted."""
    lines, refuted = made()
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for api, proofs in refuted.items():
        print(f"{api}: {'; '.join(proofs)}")
    print(f"{len(lines) - 1} rows, {sum(line.split(chr(9))[5] == 'yes' for line in lines)} verified")
    return 1 if refuted else 0


def _table(rows: Mapping[str, Sequence[Row]]) -> dict[str, list[Entry]]:
    """The entries of compiled code: those of the rows, else the usual ones."""
    own = {api: [row for row in forms if row["target"] != NO_TARGET] for api, forms in rows.items()}
    known = entries([row for forms in own.values() for row in forms])
    return {
        **{api: list(forms) for api, forms in usual(compiled=True).items()},
        **{api: known.get(api, []) for api in own},
    }


if __name__ == "__main__":
    raise SystemExit(main())
