"""The two imports of ``--auto`` end their lines as the file does."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.automatic.pair import pair_edit
from gpu2ascend_rules.text.source_file import SourceFile


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_their_lines_end_as_those_of_the_file(newline: str) -> None:
    source = SourceFile(newline.join(["import torch", "torch.cuda.init()", ""]))
    assert pair_edit(source).text.splitlines(keepends=True) == [
        f"import torch_npu{newline}",
        f"from torch_npu.contrib import transfer_to_npu{newline}",
    ]
