"""The steps that a migrated project still needs."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend.lsp.commands.results.migration_result import next_steps
from gpu2ascend.project.files.writing.equivalents import path_instruction
from gpu2ascend.project.report.result import MigrationResult, Summary
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import NEWEST


def steps(output: Path, *notices: Message, environment: str | None = None) -> dict[str, str]:
    result = MigrationResult(
        output_path=output, version=NEWEST, summary=Summary(), notices=notices, environment=environment
    )
    return {str(step["id"]): str(step["command"]) for step in next_steps(result, output)}


def test_a_project_that_got_nothing_needs_no_command(tmp_path: Path) -> None:
    assert steps(tmp_path) == {}


def test_they_come_in_order_and_are_typed_in_the_project_wherever_it_lies(tmp_path: Path) -> None:
    output = tmp_path / "my project"
    output.mkdir()
    for name in ("env.sh", "requirements.txt", "run_distributed_npu.sh"):
        (output / name).touch()
    path = path_instruction(output, ["all_to_all"])
    found = steps(output, path, environment="env.sh")
    assert list(found) == ["environment", "install", "launch", "pythonPath"]
    assert found["environment"] == "source ./env.sh"
    assert found["launch"] == "bash run_distributed_npu.sh"
    assert found["pythonPath"] == 'export PYTHONPATH="$PWD:$PYTHONPATH"'
    assert not any(str(tmp_path) in command for command in found.values())


def test_torch_comes_from_the_index_of_cpu_builds(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").touch()
    assert (
        "--extra-index-url https://download.pytorch.org/whl/cpu -r requirements.txt"
        in steps(tmp_path)["install"]
    )
