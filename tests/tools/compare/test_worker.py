"""What a worker makes of a task: findings, and the text after the fixes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.compare.outcomes import Edit, Outcome, Place, read
from tools.compare.sides import working_tree

ROOT = Path(__file__).parents[3]
SETTINGS = {"version": "2.8.0", "unsafe_fixes": True}
TEXT = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"


def outcomes(*tasks: dict[str, Any]) -> list[Outcome]:
    given = "".join(f"{json.dumps(task)}\n" for task in tasks)
    command = working_tree(ROOT).command()
    done = subprocess.run(command, input=given, capture_output=True, check=True, encoding="utf-8")
    return [read(line) for line in done.stdout.splitlines()]


def program(
    text: str = TEXT, *, migrates: bool = False, rules: str = "", **settings: object
) -> dict[str, Any]:
    given = {**SETTINGS, **settings}
    return {"path": "train.py", "text": text, "settings": given, "rules": rules, "migrates": migrates}


@pytest.mark.slow
def test_a_program_has_findings_edits_and_what_is_said_of_them() -> None:
    (outcome,) = outcomes(program())
    file = outcome.files["train.py"]
    (finding,) = (item for item in file.findings if item.place.line == 3)
    assert finding.place == Place(3, 9, 3, 35)
    assert (finding.code, finding.applicability) == ("NPU110", "safe")
    assert finding.line == "model = torch.nn.Linear(2, 2).cuda()"
    changed = Edit(3, ("model = torch.nn.Linear(2, 2).cuda()",), ("model = torch.nn.Linear(2, 2).npu()",))
    assert changed in file.edits
    assert {item.code for item in file.records if item.line == 3} == {"NPU110"}


def test_a_target_is_one_of_the_settings() -> None:
    plain, accelerator = outcomes(program(), program(target="accelerator"))
    assert plain.files["train.py"].edits != accelerator.files["train.py"].edits


@pytest.mark.slow
def test_a_program_that_is_migrated_is_converted_as_a_whole() -> None:
    text = (ROOT / "tests/rules/codemods/distributed/samples/images.txt").read_text(encoding="utf-8")
    task = program(text, migrates=True, distributed=True, main_file="train.py", target_model="model")
    file = outcomes(task)[0].files["train.py"]
    assert any("DistributedDataParallel" in line for edit in file.edits for line in edit.after)
    assert file.findings


def test_of_a_project_one_file_knows_of_the_others_and_nothing_is_written(tmp_path: Path) -> None:
    files = {
        "net.py": "class Net:\n    def cuda(self):\n        return self\n",
        "train.py": "import torch\nfrom net import make\n\nx = make().cuda()\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    whole, alone = outcomes({"folder": str(tmp_path), "settings": SETTINGS}, program(files["train.py"]))
    found = [outcome.files["train.py"].findings for outcome in (whole, alone)]
    (of_project, of_file) = ([item.applicability for item in each if item.place.line == 4] for each in found)
    assert (of_project, of_file) == (["unsafe"], ["safe"])
    assert any(edit.start == 4 for edit in whole.files["train.py"].edits)
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in files} == files


def test_a_task_that_fails_costs_only_itself() -> None:
    failed, done = outcomes(program(colour="blue"), program())
    assert failed.problem.startswith("OptionError: colour")
    assert done.files["train.py"].findings
