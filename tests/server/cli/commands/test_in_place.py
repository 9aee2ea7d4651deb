"""``migrate --in-place`` on the command line."""

from __future__ import annotations

import pytest

from tests.server.cli.conftest import Run
from tests.server.project.in_place.conftest import TRAIN, Repository, repository

__all__ = ["repository"]

V = ("-v", "2.8.0")


def test_the_summary_names_the_branch_and_its_commits(run: Run, repository: Repository) -> None:
    ran = run("migrate", "-i", repository.top, "--in-place", *V)
    assert ran.code == 1, "an error is left"
    assert "Branch ascend/torch-2.8.0 (" in ran.out
    for line in repository.git("log", "--format=%H %s", "main..").splitlines():
        number, _, subject = line.partition(" ")
        assert f"  {number[:10]} {subject}" in ran.out
    assert f"Migrated for PyTorch 2.8.0, with work left to do: {repository.top}" in ran.out
    assert "gpu2ascend-" not in ran.out + ran.err, "no temporary directory is named"


def test_json_has_the_same(run: Run, repository: Repository) -> None:
    ran = run("migrate", "-i", repository.top, "--in-place", "--branch", "npu", "--one-commit", "--json", *V)
    assert ran.json["output"] == str(repository.top) and ran.json["reports"] == ["MIGRATION.md"]
    assert ran.json["branch"]["name"] == "npu"
    assert [made["number"] for made in ran.json["branch"]["commits"]] == [repository.git("rev-parse", "npu")]


def test_nothing_to_edit_is_said(run: Run, repository: Repository) -> None:
    run("migrate", "-i", repository.top, "--in-place", *V)
    repository.git("checkout", "-q", "-b", "side")
    ran = run("migrate", "-i", repository.top, "--in-place", "--branch", "other", *V)
    assert "There is nothing to edit; no branch was made" in ran.out


@pytest.mark.parametrize("other", ["--diff", "--force", "--update", "--no-base", "--dynamic-analysis"])
def test_flags_of_another_output_are_refused(run: Run, repository: Repository, other: str) -> None:
    ran = run("migrate", "-i", repository.top, "--in-place", other, *V)
    assert ran.code == 2 and other in ran.err
    assert (repository.top / "train.py").read_text() == TRAIN


def test_a_directory_for_an_output_is_refused(run: Run, repository: Repository) -> None:
    ran = run("migrate", repository.top, "out", "--in-place", *V)
    assert ran.code == 2 and "'out'" in ran.err
    assert (repository.top / "train.py").read_text() == TRAIN


@pytest.mark.parametrize(
    "flag", [("--branch", "x"), ("--one-commit",), ("--since", "HEAD"), ("--run-hooks",)]
)
def test_flags_of_a_branch_need_it(run: Run, repository: Repository, flag: tuple[str, ...]) -> None:
    ran = run("migrate", "-i", repository.top, "-o", "out", *flag, *V)
    assert ran.code == 2 and "--in-place" in ran.err


def test_changes_are_named_and_nothing_is_done(run: Run, repository: Repository) -> None:
    (repository.top / "README").write_text("mine\n")
    ran = run("migrate", "-i", repository.top, "--in-place", *V)
    assert ran.code == 2 and "README" in ran.err
    assert (repository.top / "train.py").read_text() == TRAIN
