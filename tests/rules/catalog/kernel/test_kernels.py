"""Attention and fused kernels: what is left alone, and that names exist before they are written."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.check import check
from gpu2ascend_rules.fix import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_beside_control


@pytest.mark.parametrize(
    "text",
    [
        "import torch.nn.functional as F\ny = F.scaled_dot_product_attention(q, k, v, attn_mask=m)\n",
        "import torch\nopt = torch.optim.AdamW(p, fused=True)\n",
        "from torch.utils.cpp_extension import CppExtension\ne = CppExtension('a', ['a.cpp'])\n",
        "import torch\nscale = torch.rsqrt(x)\n",
    ],
)
def test_left_alone(text: str) -> None:
    assert found_beside_control(text) == []


def test_where_the_version_has_no_fused_operator_the_call_is_only_reported() -> None:
    text = "from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v)\n"
    options = options_from({"version": "1.5.0", "unsafe_fixes": True, "select": ["NPU601"]})
    outcome = apply_fixes(SourceFile(text), options)
    assert outcome.text == text
    assert [item.finding.code for item in outcome.remaining] == ["NPU601"]


def test_once_the_call_is_mapped_the_import_goes_too() -> None:
    text = "import torch\nfrom flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v, 0.0, s)\n"
    options = options_from({"version": "2.8.0", "unsafe_fixes": True})
    assert apply_fixes(SourceFile(text), options).text == (
        "import torch\nfrom ascend_function import similar_api\n"
        "y = similar_api.flash_attn_func(q, k, v, 0.0, s)\n"
    )


def _migrated_attention(given: str) -> str:
    text = f"import torch\nfrom flash_attn import flash_attn_func\ny = flash_attn_func({given})\n"
    return apply_fixes(SourceFile(text), options_from({"version": "2.8.0", "unsafe_fixes": True})).text


@pytest.mark.parametrize("given", ["q, k, v", "q, k, v, 0.0, s, True", "q, k, v, 0.0, softmax_scale=s"])
def test_what_the_adapter_takes_by_position_is_mapped(given: str) -> None:
    assert "similar_api.flash_attn_func(" in _migrated_attention(given)


def test_more_by_position_than_the_adapter_takes_is_left() -> None:
    text = _migrated_attention("q, k, v, 0.0, s, True, (-1, -1), 0.0, None, False, False, 1")
    assert "y = flash_attn_func(" in text and "similar_api" not in text


@pytest.mark.parametrize(
    ("value", "is_lowest"),
    [
        ("-10000", True), ("-1e4", True), ("-65504.0", True), ("-1e9", True), ("float('-inf')", True),
        ("-9999", False), ("-9999.5", False), ("-1", False), ("10000", False), ("1e9", False),
    ],
)  # fmt: skip
def test_a_mask_leaves_nothing_where_it_fills_in_minus_ten_thousand_or_less(
    value: str, is_lowest: bool
) -> None:
    text = f"import torch\ny = torch.softmax(x.masked_fill(mask, {value}), dim=-1)\n"
    found = [item.code for item in check(SourceFile(text), options_from({"version": "2.8.0"}))]
    assert ("NPU616" in found) is is_lowest
