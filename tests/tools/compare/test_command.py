"""``make compare``: what is compared, what is printed, and the exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.compare.repositories import PRODUCT, commit, write
from tools.compare import __main__ as command

WORKER = """\
import json, sys
from product import SEVERITY

FINDING = {"code": "NPU201", "place": [3, 1, 3, 5], "message": "NPU201.device", "severity": SEVERITY,
           "applicability": "safe", "fix": "", "line": "x = 'cuda'"}
for line in sys.stdin:
    task = json.loads(line)
    file = {"status": "", "problem": "", "findings": [FINDING], "records": [], "texts": None}
    print(json.dumps({"files": {task.get("path", "train.py"): file}, "problem": ""}), flush=True)
"""
PROGRAMS = """\
import json
program = {"group": "NPU201", "name": "0.lacking-1", "path": "program.py", "settings": {}, "migrates": False}
print(json.dumps(program))
"""
NEAR_PROGRAMS = Path("tests/rules/near_programs.py")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repository"
    write(root, NEAR_PROGRAMS, PROGRAMS)
    commit(root, "SEVERITY = 'warning'\n", WORKER)
    monkeypatch.setattr(command, "ROOT", root)
    return root


def test_without_a_change_nothing_differs(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["HEAD", "--no-network"]) == 0
    assert capsys.readouterr().out == "nothing differs in 1 programs and projects\n"


def test_a_change_shows_at_its_rule(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(repository, PRODUCT, "SEVERITY = 'error'\n")
    assert command.main(["HEAD", "--no-network"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "NPU201: findings: 1 changed; in 1 files",
        "  NPU201 0.lacking-1 program.py:3 (finding changed)",
        "      x = 'cuda'",
        "    - NPU201.device, warning",
        "    + NPU201.device, error",
        "",
        "1 of 1 programs and projects differ, by 1 rules: findings: 1 changed",
    ]


def test_the_projects_of_a_given_folder_are_examined_for_each_target(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "projects" / "mine").mkdir(parents=True)
    write(repository, PRODUCT, "SEVERITY = 'error'\n")
    arguments = ["--projects", str(tmp_path / "projects"), "--targets", "torch_npu,mindspore"]
    assert command.main(["HEAD", "--no-network", *arguments, "--examples", "9"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("4 of 4 programs and projects differ")


def test_what_cannot_be_compared_is_one_line_and_exit_status_2(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["nothing", "--no-network"]) == 2
    assert "error: cannot check out nothing" in capsys.readouterr().err


def test_programs_that_cannot_be_made_are_exit_status_2(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository, NEAR_PROGRAMS, "raise SystemExit('no programs today')\n")
    assert command.main(["HEAD", "--no-network"]) == 2
    assert "error: cannot make the programs: no programs today" in capsys.readouterr().err


def test_an_unknown_target_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(["HEAD", "--targets", "abacus"])
    assert "abacus is not of torch_npu, accelerator, mindspore" in capsys.readouterr().err
