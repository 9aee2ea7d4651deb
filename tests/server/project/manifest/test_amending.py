"""A report is changed together with its digest, and what a user changed is still found."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.manifest.amending import amend_report
from gpu2ascend.project.manifest.ledger import differences
from gpu2ascend.project.manifest.marker import LIST_NAME, MARKER_NAME
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, make_tree, names

PAGE = "report.html"


@pytest.fixture
def output(run: Migrate, tmp_path: Path) -> Path:
    """What a migration wrote."""
    return run(make_tree(tmp_path / "proj", {"a.py": CUDA, "b.py": CUDA})).output


def amended(output: Path) -> bool:
    """Whether the page was given another content."""
    return amend_report(output, PAGE, lambda old: old + b"<!-- more -->")


def test_the_report_is_another_and_the_output_is_as_its_list_says(output: Path) -> None:
    before, present = (output / PAGE).read_bytes(), names(output)
    assert amended(output)
    assert (output / PAGE).read_bytes() == before + b"<!-- more -->"
    found = differences(output)
    assert found is not None and (found.count, names(output)) == (0, present)


def test_it_can_be_changed_again(output: Path) -> None:
    assert amended(output) and amended(output)
    found = differences(output)
    assert found is not None and found.count == 0


def test_the_output_can_be_replaced_afterwards(output: Path, run: Migrate, tmp_path: Path) -> None:
    assert amended(output)
    assert run(tmp_path / "proj", force=True).output == output


def test_what_a_user_changed_elsewhere_is_still_found(output: Path) -> None:
    (output / "a.py").write_text("mine")
    assert amended(output)
    found = differences(output)
    assert found is not None and found.names == ("a.py",)


def test_a_report_that_a_user_changed_stays(output: Path) -> None:
    (output / PAGE).write_text("mine")
    assert not amended(output)
    found = differences(output)
    assert found is not None and (found.names, (output / PAGE).read_text()) == ((PAGE,), "mine")


@pytest.mark.parametrize("name", [LIST_NAME, MARKER_NAME])
def test_without_an_intact_record_nothing_is_changed(output: Path, name: str) -> None:
    (output / name).write_bytes((output / name).read_bytes() + b"\n")
    before = {path: (output / path).read_bytes() for path in (PAGE, LIST_NAME, MARKER_NAME)}
    assert not amended(output)
    assert {path: (output / path).read_bytes() for path in before} == before


def test_a_link_in_the_place_of_the_report_is_not_followed(output: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (output / PAGE).rename(elsewhere)
    (output / PAGE).symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    with pytest.raises(OSError, match=r"."):
        amended(output)
    assert elsewhere.read_bytes() == before


def test_what_is_no_report_is_not_changed(output: Path) -> None:
    assert not amend_report(output, "a.py", lambda old: b"x = 1")
    assert (output / "a.py").read_bytes() != b"x = 1"
