"""Fixes become text: overlaps give way, nothing is lost, lines refer to the given text."""

from __future__ import annotations

import itertools

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.fix_edits import edits_of
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Applicability
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})


def migrated(text: str, options: MigrationOptions = OPTIONS) -> str:
    return apply_fixes(SourceFile(text), options).text


def test_a_call_whose_callee_and_argument_both_change_gets_both_changes() -> None:
    before = "import torch\nmodel = build()\nmodel.cuda(torch.device('cuda:0'))\n"
    after = "import torch\nimport torch_npu\nmodel = build()\nmodel.to(torch.device('npu:0'))\n"
    assert migrated(before) == after


def test_migrating_again_changes_nothing() -> None:
    once = migrated("import torch\nx = torch.zeros(2).cuda()\ntorch.cuda.synchronize()\n")
    assert migrated(once) == once


def test_a_file_without_a_finding_is_given_back_as_it_is() -> None:
    text = "import torch\r\n\tx = (1,\n  2)\f\n# cuda\n"
    outcome = apply_fixes(SourceFile(text), OPTIONS)
    assert outcome.text == text and outcome.applied == () and outcome.passes == 0


def test_every_edit_is_recorded_with_the_lines_of_the_given_text() -> None:
    text = "import torch\n\n\nx = torch.cuda.current_device()\n"
    applied = apply_fixes(SourceFile(text), OPTIONS).applied
    assert [(item.start_line, item.end_line, item.operation) for item in applied] == [
        (1, 1, "INSERT"),
        (4, 4, "MODIFY"),
    ]


def test_what_remains_is_reported_by_the_lines_of_the_given_text() -> None:
    text = "import torch\ntorch.cuda.synchronize()\ntorch.cuda.comm.broadcast(x, [0])\n"
    remaining = apply_fixes(SourceFile(text), OPTIONS).remaining
    assert [(item.finding.code, item.start_line) for item in remaining] == [("NPU101", 3)]


def test_a_broken_file_is_fixed_where_it_parses() -> None:
    text = "import torch\ntorch.cuda.synchronize()\ndef f(:\n    return (\n"
    assert "torch_npu.npu.synchronize()" in migrated(text)


def test_unsafe_fixes_are_applied_only_when_asked_for() -> None:
    text = "import torch\ng = torch.cuda.CUDAGraph()\n"
    assert migrated(text) == text
    assert "NPUGraph" in migrated(text, options_from({"unsafe_fixes": True}, OPTIONS))


FIXES = """import torch
from torch.cuda.amp import autocast
x = torch.zeros(2).cuda()
if x.is_cuda and torch.cuda.is_available():
    torch.cuda.synchronize()
"""


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_fixes_one_at_a_time_in_any_order_end_in_the_same_text(order: tuple[int, ...]) -> None:
    source = SourceFile(FIXES)
    for pick in order:
        safe = [
            finding.fix
            for finding in check(source, OPTIONS)
            if finding.fix is not None and finding.fix.applicability is Applicability.SAFE
        ]
        if safe:
            fix = safe[pick % len(safe)]
            source = SourceFile(apply_edits(source.data, edits_of(source, fix)).decode())
    assert migrated(source.text) == migrated(FIXES)


def test_api_style_decides_how_attributes_are_spelt_and_leaves_imports() -> None:
    text = "import torch\nfrom torch.cuda.amp import autocast\ntorch.cuda.synchronize()\n"
    styled = migrated(text, options_from({"api_style": "torch.npu"}, OPTIONS))
    assert styled == (
        "import torch\nimport torch_npu\nfrom torch_npu.npu.amp import autocast\ntorch.npu.synchronize()\n"
    )
