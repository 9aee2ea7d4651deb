"""The tables of versions are what the generator makes of the documents that they name."""

from __future__ import annotations

from itertools import pairwise

from gpu2ascend.doctor.reading.versions import at_least
from gpu2ascend.doctor.tables import rows
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS


def test_every_build_names_torch_of_its_own_version() -> None:
    slip = "1.5.0.post3"  # the document says 1.8.1
    builds = [row for row in rows("builds") if row["torch_npu"] != slip]
    assert all(row["torch_npu"].startswith(row["torch"]) and row["cann"] for row in builds)


def test_the_releases_that_can_be_chosen_are_there_up_to_the_newest_document() -> None:
    known = {row["torch"] for row in rows("builds")}
    missing = {str(version) for version in SUPPORTED_VERSIONS} - known
    assert missing <= {"2.13.0", "2.14.0"}, (
        "released after the document; the doctor says that it does not know"
    )


def test_a_newer_cann_needs_no_older_driver() -> None:
    of_910b = [row["driver"] for row in rows("drivers") if row["chip"] == "910b"]
    assert all(at_least(newer, older) for newer, older in pairwise(of_910b))
