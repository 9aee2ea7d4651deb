"""Tools that change: nothing without ``write``, only in the roots, never the project that is migrated."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import TRAIN, Ask, V

pytestmark = pytest.mark.slow

FIXED = "x = torch.ones(2).npu()"


def test_a_migration_is_shown_then_written(ask: Ask, project: Path) -> None:
    shown = ask("migrate", project="proj", **V).data
    assert f"+{FIXED}" in shown["diff"] and shown["files"] == ["train.py"] and not shown["is_written"]
    assert [path.name for path in project.parent.iterdir()] == ["proj"]
    written = ask("migrate", project="proj", output="out", write=True, **V)
    assert written.data["is_written"] and not written.data["is_ready"]
    assert written.data["output"] == "out/proj_msft" and "what_is_left" in written.text
    assert FIXED in (project.parent / "out/proj_msft/train.py").read_text()
    assert (project / "train.py").read_text() == TRAIN


@pytest.mark.parametrize("output", ["proj/out", "proj", None, "..", "/tmp/elsewhere"])
def test_an_output_in_the_project_or_outside_of_the_roots_is_refused(
    ask: Ask, project: Path, output: str | None
) -> None:
    answer = ask("migrate", project="proj", output=output, write=True, **V)
    assert answer.failed and ("outside" in answer.text or "choose another output" in answer.text)
    assert [path.name for path in project.iterdir()] == ["train.py"]
    assert [path.name for path in project.parent.iterdir()] == ["proj"]


def test_fixes_of_a_rule_are_shown_before_they_are_written(ask: Ask, project: Path) -> None:
    arguments = {"paths": ["proj"], "code": "NPU110", **V}
    shown = ask("fix", **arguments).data
    assert f"+{FIXED}" in shown["diff"] and shown["files"] == ["proj/train.py"]
    assert (project / "train.py").read_text() == TRAIN
    written = ask("fix", **arguments, write=True).data
    assert written["is_written"] and written["diff"] == shown["diff"]
    assert FIXED in (project / "train.py").read_text()


def test_one_finding_is_fixed_by_its_line(ask: Ask, project: Path) -> None:
    (project / "train.py").write_text(TRAIN + "y = torch.ones(3).cuda()\n")
    ask("fix", paths=["proj/train.py"], line=5, write=True, **V)
    text = (project / "train.py").read_text()
    assert "y = torch.ones(3).npu()" in text and "x = torch.ones(2).cuda()" in text


def test_a_line_is_one_of_one_file(ask: Ask) -> None:
    answer = ask("fix", paths=["proj"], line=3, **V)
    assert answer.failed and "`line`" in answer.text and "one file" in answer.text


def test_where_nothing_can_be_fixed_nothing_is_written(ask: Ask, project: Path) -> None:
    answer = ask("fix", paths=["proj"], code="NPU101", write=True, **V)
    assert not answer.data["is_written"] and "Nothing would change" in answer.text
    assert (project / "train.py").read_text() == TRAIN


def test_a_write_protected_file_stays_and_that_is_said(ask: Ask, project: Path) -> None:
    (project / "train.py").chmod(0o444)
    answer = ask("fix", paths=["proj"], code="NPU110", write=True, **V)
    assert (project / "train.py").read_text() == TRAIN
    assert "write-protected" in answer.data["notices"]
