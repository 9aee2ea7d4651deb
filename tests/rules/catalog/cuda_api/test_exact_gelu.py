"""The exact form of GELU is spoken of where it is asked for, whatever else the file calls none."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU121"]})


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("F.gelu(x, approximate='none')", 1),
        ("F.gelu(x)", 0),
        ("F.gelu(x, approximate='tanh')", 0),
        ("nn.GELU('none')", 1),
        ("nn.GELU(approximate='tanh')", 0),
        ("nn.GELU()", 0),
    ],
)
def test_a_call_that_asks_for_it_is_found(call: str, expected: int) -> None:
    text = f"import torch.nn as nn\nimport torch.nn.functional as F\nreduction = 'none'\ny = {call}\n"
    assert len(check(SourceFile(text), OPTIONS)) == expected
