"""A rule with a defect costs its own fix: in every kind of file all other edits are made, and it is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.examination import Examination
from gpu2ascend.project.examine import Request, examine, recheck
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend_rules.engine.registry import rule_by_code
from gpu2ascend_rules.model.defects import is_defect
from tests.rules.broken_rules import breaks_texts, fails_in_rewrites
from tests.server.project.conftest import Migrate
from tests.server.project.samples import OPTIONS, Files

FIX = Request(options=attrs.evolve(OPTIONS, unsafe_fixes=True), fix=True)
Breaking = Callable[[pytest.MonkeyPatch, str], None]


def notebook(*cells: str) -> str:
    shown = [
        {"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": None}
        for cell in cells
    ]
    return json.dumps({"cells": shown, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


SHELL = "nvidia-smi\nexport CUDA_VISIBLE_DEVICES=0\n"
CASES = [
    pytest.param(
        "a.py",
        "import torch\nx = torch.ones(1).cuda()\ntorch.cuda.empty_cache()\n",
        "import torch\nimport torch_npu\nx = torch.ones(1).cuda()\ntorch_npu.npu.empty_cache()\n",
        "NPU110",
        ")(=",
        id="Python",
    ),
    pytest.param(
        "a.sh", SHELL, "nvidia-smi\nexport ASCEND_RT_VISIBLE_DEVICES=0\n", "NPU1004", ")(=", id="shell"
    ),
    pytest.param(
        "a.yaml", "device: cuda\nbackend: nccl\n", "device: cuda\nbackend: hccl\n", "NPU1201", '"', id="YAML"
    ),
    pytest.param(
        "a.json",
        '{"device": "cuda", "backend": "nccl"}\n',
        '{"device": "cuda", "backend": "hccl"}\n',
        "NPU1201",
        '"',
        id="JSON",
    ),
    pytest.param(
        "a.ipynb",
        notebook("import torch\nx = torch.ones(1).cuda()", "torch.cuda.empty_cache()"),
        notebook("import torch\nimport torch_npu\nx = torch.ones(1).cuda()", "torch_npu.npu.empty_cache()"),
        "NPU110",
        ")(=",
        id="notebook",
    ),
    pytest.param(
        "a.sh",
        "python -c 'import torch; x.cuda(); torch.cuda.init()'\nif a; then\n",
        "python -c 'import torch; import torch_npu; x.cuda(); torch_npu.npu.init()'\nif a; then\n",
        "NPU110",
        ")(=",
        id="Python in a shell script, which need not be whole",
    ),
    pytest.param(
        "a.ipynb",
        notebook("x = 1", "%%writefile a.py\nimport torch\ntorch.ones(1).cuda()\ntorch.cuda.init()"),
        notebook(
            "x = 1",
            "%%writefile a.py\nimport torch\nimport torch_npu\ntorch.ones(1).cuda()\ntorch_npu.npu.init()",
        ),
        "NPU110",
        ")(=",
        id="a cell that is a module",
    ),
]


def defects(done: Examination) -> list[str]:
    return [item.code for item in done.findings if is_defect(item)]


@pytest.mark.parametrize(("path", "before", "after", "code", "text"), CASES)
def test_the_other_edits_are_made(
    monkeypatch: pytest.MonkeyPatch, path: str, before: str, after: str, code: str, text: str
) -> None:
    breaks_texts(monkeypatch, code, text)
    done = examine(path, before, FIX)
    assert (done.status, done.text, done.problem) == (FileStatus.CHANGED, after, None)
    assert defects(done) == defects(recheck(done, FIX)) == [code]


def test_the_parts_of_a_half_typed_text_are_fixed_without_a_rule_that_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fails_in_rewrites(monkeypatch, "NPU110")
    text = "import torch\nx = torch.ones(1).cuda()\ntorch.cuda.empty_cache()\nx = (\n"
    done = examine("a.py", text, attrs.evolve(FIX, is_lenient=True))
    assert done.text is not None and "torch_npu.npu.empty_cache()" in done.text
    assert defects(done) == ["NPU110"]


def test_a_rule_that_raises_costs_a_check_its_own_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = rule_by_code("NPU110")

    def report(*arguments: object, **named: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(type(rule), "report", report)
    text = "import torch\nx = torch.ones(1).cuda()\ntorch.cuda.empty_cache()\n"
    done = examine("a.py", text, Request(options=OPTIONS))
    assert [(item.code, is_defect(item)) for item in done.findings] == [("NPU110", True), ("NPU101", False)]


@pytest.mark.parametrize("fix", [True, False])
def test_where_a_rule_failed_is_given_if_asked(monkeypatch: pytest.MonkeyPatch, fix: bool) -> None:
    rule = rule_by_code("NPU110")

    def report(*arguments: object, **named: object) -> None:
        raise ZeroDivisionError("deliberate")

    monkeypatch.setattr(type(rule), "report", report)
    request = Request(options=OPTIONS, fix=fix)
    text = "import torch\nx = torch.ones(1).cuda()\n"
    monkeypatch.delenv("GPU2ASCEND_DEBUG", raising=False)
    assert examine("a.py", text, request).traceback == ""
    monkeypatch.setenv("GPU2ASCEND_DEBUG", "1")
    assert "ZeroDivisionError: deliberate" in examine("a.py", text, request).traceback


@pytest.mark.parametrize("breaking", [breaks_texts, fails_in_rewrites])
def test_a_migration_makes_the_other_edits_and_ends_with_1(
    run: Migrate, make: Callable[[Files], Path], monkeypatch: pytest.MonkeyPatch, breaking: Breaking
) -> None:
    breaking(monkeypatch, "NPU110")
    done = run(make({"a.py": "import torch\nx = torch.ones(1).cuda()\ntorch.cuda.empty_cache()\n"}))
    assert "x = torch.ones(1).cuda()\ntorch_npu.npu.empty_cache()\n" in done.read("a.py")
    (left,) = done.outcomes["a.py"].remaining
    assert (left.finding.code, left.start_line, is_defect(left.finding)) == ("NPU110", 2, True)
    assert (done.result.exit_code, done.summary.failed) == (1, 0)
