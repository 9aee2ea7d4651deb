"""``check --fix`` loses nothing that a person wrote, decided about a file, or has under another name."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend.__main__ import main
from gpu2ascend.project.inspect import check_job
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend_rules.options.options import options_from
from tests.security.bounded import command, program

CODE = "import torch\n\nx = torch.ones(2).cuda()\n"
MINE = f"{CODE}# mine\n"
CHECK = ("check", ".", "-v", "2.8.0", "--fix")
_KILLED = """\
import os, signal, sys
from pathlib import Path
from gpu2ascend.__main__ import main
Path.replace = lambda self, target: os.kill(os.getpid(), signal.SIGKILL)
main()
"""
"""Is killed when new content is whole and has not yet taken the place of the old."""


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "train.py").write_text(CODE)
    monkeypatch.chdir(root)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    return root


def run(capsys: pytest.CaptureFixture[str], *flags: str) -> Ran:
    capsys.readouterr()
    code = main([*CHECK, *flags])
    return Ran(code, *capsys.readouterr())


@pytest.mark.parametrize("output_format", ["text", "json", "sarif", "github"])
def test_what_is_written_while_a_file_is_examined_stays_and_is_reported(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], output_format: str
) -> None:
    examine = check_job.examine

    def meanwhile(*arguments: object, **keywords: object) -> object:
        done = examine(*arguments, **keywords)  # type: ignore[arg-type]
        (project / "train.py").write_text(MINE)
        return done

    monkeypatch.setattr(check_job, "examine", meanwhile)
    ran = run(capsys, "--output-format", output_format)
    assert ran.code == 1
    assert (project / "train.py").read_text() == MINE
    reason = "changed while it was being examined, so nothing was written to it; run the command again"
    assert f"train.py: {reason}" in ran.err
    told = {"text": "Found 1 problem", "json": f'"message": "{reason}"', "sarif": f'"text": "{reason}"'}
    assert told.get(output_format, f"::error title=gpu2ascend,file=train.py::{reason}") in ran.out
    assert "No problems found" not in ran.out


def test_a_file_to_which_nothing_was_written_is_in_the_json_without_a_code(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").chmod(0o444)
    first, *findings = json.loads(run(capsys, "--output-format", "json").out)
    assert (first["code"], first["name"], first["filename"]) == (
        None,
        "not-written",
        str(project / "train.py"),
    )
    assert [item["code"] for item in findings] == ["NPU110"]


def test_a_write_protected_file_is_left_and_reported(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").chmod(0o444)
    ran = run(capsys)
    assert ran.code == 1 and "train.py: write-protected" in ran.err and "--fix-read-only" in ran.err
    assert (project / "train.py").read_text() == CODE
    ran = run(capsys, "--fix-read-only")
    assert (ran.code, ran.err) == (0, "")
    assert "torch_npu" in (project / "train.py").read_text()
    assert (project / "train.py").stat().st_mode & 0o777 == 0o444


def test_a_project_cannot_say_that_write_protected_files_are_changed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").chmod(0o444)
    for name in ("fix-read-only", "fix_read_only"):
        (project / "pyproject.toml").write_text(f"[tool.gpu2ascend]\n{name} = true\n")
        assert run(capsys).code != 0
        assert (project / "train.py").read_text() == CODE


def test_a_file_with_another_name_outside_is_left_and_reported(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cache.py").hardlink_to(project / "train.py")
    ran = run(capsys)
    assert ran.code == 1 and "train.py: has 2 names (hard links)" in ran.err
    assert (tmp_path / "cache.py").read_text() == CODE
    assert (tmp_path / "cache.py").samefile(project / "train.py")


def test_what_a_file_has_beside_its_content_stays_but_setuid(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.setxattr(project / "train.py", "user.note", b"mine")
    (project / "train.py").chmod(0o4750)
    assert run(capsys).code == 0
    assert os.getxattr(project / "train.py", "user.note") == b"mine"
    assert (project / "train.py").stat().st_mode & 0o7777 == 0o750


def test_what_could_not_be_kept_is_said(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    os.setxattr(project / "train.py", "user.note", b"mine")

    def refuse(*arguments: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "setxattr", refuse)
    ran = run(capsys)
    assert ran.code == 0 and "train.py: was changed, but" in ran.err and "user.note" in ran.err
    assert "torch_npu" in (project / "train.py").read_text()


def killed(project: Path) -> Path:
    """What a fix that was killed has left in a project."""
    ended = program(_KILLED, *CHECK, at=project)
    assert ended.returncode == -signal.SIGKILL
    (leftover,) = project.glob(".*.gpu2ascend")
    assert "torch_npu" in leftover.read_text() and (project / "train.py").read_text() == CODE
    return leftover


@pytest.mark.slow
@pytest.mark.parametrize("path", [".", "train.py"])
def test_what_a_killed_fix_leaves_is_removed_by_the_next(project: Path, path: str) -> None:
    leftover = killed(project)
    assert command("check", path, "-v", "2.8.0", at=project).returncode == 1
    assert leftover.exists(), "a check without --fix only reads"
    assert command("check", path, "-v", "2.8.0", "--fix", at=project).returncode == 0
    assert [item.name for item in project.iterdir()] == ["train.py"]


def test_what_a_killed_fix_leaves_is_neither_examined_nor_copied(project: Path, tmp_path: Path) -> None:
    (project / "train.py").unlink()
    (project / "start.sh").write_text("export CUDA_VISIBLE_DEVICES=0\n")
    leftover = project / ".start.sh.77-0123abcd.gpu2ascend"
    leftover.write_text("#!/bin/sh\nexport CUDA_VISIBLE_DEVICES=0\n")
    checked = command("check", ".", "-v", "2.8.0", "--output-format", "json", at=project)
    assert {Path(item["filename"]).name for item in json.loads(checked.stdout)} == {"start.sh"}
    (project / "train.py").write_text(CODE)
    options = options_from({"version": "2.8.0"})
    done = migrate(MigrationRequest(input=project, output=tmp_path / "out", options=options))
    assert done.output_path is not None and (done.output_path / "start.sh").exists()
    assert list(done.output_path.glob(".*77*")) == [] and leftover.exists()
    assert f"{leftover.name}: left behind" in (done.output_path / "msFmkTranspltlog.txt").read_text()
