"""What is left without ``torch.compile``: the model, in parentheses where its place wants them."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("torch.compile(net).eval()", "net.eval()"),
        ("torch.compile(a or b).eval()", "(a or b).eval()"),
        ("torch.compile(model=a if t else b).eval()", "(a if t else b).eval()"),
    ],
)
def test_the_model_is_left(written: str, left: str) -> None:
    source = SourceFile(f"import torch\nx = {written}\n")
    options = options_from({"version": "2.1.0", "unsafe_fixes": True})
    assert f"x = {left}\n" in apply_fixes(source, options).text
