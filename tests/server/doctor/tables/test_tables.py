"""The tables of versions are what the generator makes of the documents that they name."""

from __future__ import annotations

from itertools import pairwise

from gpu2ascend.doctor.reading.versions import at_least
from gpu2ascend.doctor.tables import rows


def test_a_newer_cann_needs_no_older_driver() -> None:
    of_910b = [row["driver"] for row in rows("drivers") if row["chip"] == "910b"]
    assert all(at_least(newer, older) for newer, older in pairwise(of_910b))
