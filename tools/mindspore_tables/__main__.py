"""``python -m tools.mindspore_tables PAIRS.tsv``: make the table of correspondences anew.

PAIRS.tsv names what may stand for an API of torch, in the columns ``torch_api`` and ``mindspore_api`` (the
public mapping of MindSpore's documentation). It needs torch and mindspore (with numpy < 2), takes about a
minute, and prints what the samples refute.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

from .build import COLUMNS, Builder, rows_of

TABLE = Path(__file__).parents[2] / "rules" / "gpu2ascend_mindspore" / "data" / "mindspore_apis.tsv"


def main() -> int:
    """Write the table; 1 if a hand-written entry is refuted."""
    parser = argparse.ArgumentParser(prog="python -m tools.mindspore_tables", description=__doc__)
    parser.add_argument("pairs", type=Path)
    arguments = parser.parse_args()
    pairs: dict[str, list[str]] = defaultdict(list)
    with arguments.pairs.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            pairs[row["torch_api"]].append(row["mindspore_api"])
    found = Builder(pairs).build()
    rows = rows_of(found)
    lines = ["\t".join(COLUMNS), *("\t".join(row[column] for column in COLUMNS) for row in rows)]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    refuted = {api: one.refuted for api, one in found.items() if one.refuted}
    for api, proofs in refuted.items():
        for proof in proofs:
            detail = proof.outcome.detail if proof.outcome is not None else ""
            print(f"{api}: {proof.sample} -> {proof.text}: {detail}")
    verified = sum(row["verified"] == "yes" for row in rows)
    without = sum(not one.rows for one in found.values())
    print(f"{len(rows) - without} entries, {verified} verified; {without} APIs without")
    return 1 if refuted else 0


if __name__ == "__main__":
    raise SystemExit(main())
