"""Judges every row of the table of MindSpore by its samples, each run in both frameworks.

``python -m tests.execution.mindspore.rows`` prints as JSON the verified rows that made no translation of an
agreeing sample, and the samples that refute one.
"""

from __future__ import annotations

import json
from collections import defaultdict

from gpu2ascend_mindspore.data import load_tsv
from tools.mindspore_tables.build import NO_TARGET, Builder
from tools.mindspore_tables.prove import Row, entries


def main() -> None:
    """Judge the committed table."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in load_tsv("mindspore_apis"):
        if row["target"] != NO_TARGET:
            rows[row["api"]].append(dict(row))
    builder = Builder({})
    builder.table = dict(entries([row for some in rows.values() for row in some]))
    verified = [api for api, some in rows.items() if any(row["verified"] == "yes" for row in some)]
    judged = {api: builder.judge(api, rows[api]) for api in verified}
    refuted = {
        f"{api}: {proof.sample}": proof.outcome.detail
        for api, one in judged.items()
        for proof in one.refuted
        if proof.outcome is not None
    }
    unproven = [
        f"{api}({row['parameters']})"
        for api, one in judged.items()
        for row in one.unproven
        if row["verified"] == "yes"
    ]
    samples = sum(one.agreeing for one in judged.values())
    found = {"verified": len(verified), "samples": samples, "unproven": unproven, "refuted": refuted}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
