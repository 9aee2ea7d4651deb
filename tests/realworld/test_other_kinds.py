"""What migrations do to the files beside Python of real projects is what was judged by hand."""

from __future__ import annotations

import os

import pytest

from tools.proof.other_kinds import edits, of_project
from tools.proof.projects import MissingProjectError, projects, unpacked

pytestmark = [pytest.mark.slow, pytest.mark.network]

SAMPLE = ("k-diffusion", "lightly", "openai-whisper", "tianshou", "lightning-bolts", "recbole")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", SAMPLE)
def test_the_changes_are_those_that_were_judged(name: str) -> None:
    project = next(project for project in projects() if project.name == name)
    try:
        source = unpacked(project)
    except MissingProjectError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    changed, counted = of_project(project.title, source)
    known = [row._replace(verdict="") for row in edits() if row.project == project.title]
    assert changed == known
    assert {row.kind for row in known} <= {row.kind for row in counted}
