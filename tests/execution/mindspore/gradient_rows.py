"""Judges the verified rows of the table of MindSpore by the gradients of their samples, in both frameworks.

``python -m tests.execution.mindspore.gradient_rows`` prints as JSON how many samples have gradients, and
those whose gradients differ or cannot be computed.
"""

from __future__ import annotations

import json

from gpu2ascend_mindspore.data import load_tsv
from tools.mindspore_tables.build import NO_TARGET
from tools.mindspore_tables.gradients import compare
from tools.mindspore_tables.prove import entries
from tools.mindspore_tables.running import Agreement
from tools.mindspore_tables.samples import calls


def main() -> None:
    """Compare the gradients of all samples."""
    rows = [dict(row) for row in load_tsv("mindspore_apis")]
    table = entries([row for row in rows if row["target"] != NO_TARGET and row["verified"] == "yes"])
    found = {sample: outcome for sample in calls() if (outcome := compare(sample, table)) is not None}
    refuted = {
        sample[0]: outcome.detail
        for sample, outcome in found.items()
        if outcome.agreement is not Agreement.EQUAL
    }
    print(json.dumps({"samples": len(found), "refuted": refuted}))


if __name__ == "__main__":
    main()
