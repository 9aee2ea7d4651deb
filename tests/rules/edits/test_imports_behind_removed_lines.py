"""An import whose place is the end of a line that a fix removes comes behind that line."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.fix_edits import edits_of
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

LINES = (
    "from transformers.utils import is_torch_bf16_gpu_available",
    "b = is_torch_bf16_gpu_available()",
    "",
)
FIXED = ("import torch_npu", "b = torch_npu.npu.is_bf16_supported()", "")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("head", ["", "import os"])
def test_no_edits_overlap_and_no_line_is_left_empty(head: str, line_end: str) -> None:
    before = [head] if head else []
    source = SourceFile(line_end.join([*before, *LINES]))
    finding = next(item for item in check(source, options_from({"version": "2.8.0"})) if item.fix is not None)
    assert finding.fix is not None
    edits = edits_of(source, finding.fix)
    assert all(one.end <= other.start for one, other in pairwise(edits))
    assert apply_edits(source.raw, edits).decode() == line_end.join([*before, *FIXED])
