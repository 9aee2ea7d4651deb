"""Attention and fused kernels: what is left alone, and that names exist before they are written."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
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


@pytest.mark.parametrize(
    "given", ["*qkv, **more", "q, k, v, window_size=(left, -1)", "q, k, v, window_size=[-1, -1]"]
)
def test_what_may_be_for_the_adapter_is_mapped(given: str) -> None:
    assert "similar_api.flash_attn_func(" in _migrated_attention(given)


@pytest.mark.parametrize(
    "given",
    [
        "*qkv, 0.0, s, True, (1, 1)", "*qkv, 0.0", "q, k, v, window_size=(left, 1)",
        "q, k, v, window_size=((1, 1))", "q, k, v, window_size=(-1,)", "q, k, v, softcap=-1.0",
    ],
)  # fmt: skip
def test_what_the_adapter_refuses_or_may_refuse_by_its_position_is_left(given: str) -> None:
    text = _migrated_attention(given)
    assert f"y = flash_attn_func({given})" in text and "similar_api" not in text


_STEPS = (
    "import torch\nimport torch.nn.functional as F\n\n\ndef f(self, q, k, v, mask):\n"
    "    a = torch.matmul(q, k.mT)\n    a = a.masked_fill(mask, float('-inf'))\n"
    "    a = F.softmax(a, dim=-1)\n"
)


def _codes(text: str) -> list[str]:
    return [item.code for item in check(SourceFile(text), options_from({"version": "2.8.0"}))]


@pytest.mark.parametrize(
    "end",
    [
        "    return a @ v\n",
        "    a = F.dropout(a, 0.1, self.training)\n    y = self.out(a @ v)\n    return y\n",
    ],
)
def test_steps_of_attention_that_follow_each_other_are_found(end: str) -> None:
    assert "NPU624" in _codes(_STEPS + end)


def test_a_choice_of_the_dropped_share_stays_one() -> None:
    """Without parentheses it would be ``0.1 if big else (0.2 if training else 0.0)``."""
    dropped = "    a = F.dropout(a, 0.1 if big else 0.2, training)\n    return a @ v\n"
    options = options_from({"version": "2.8.0", "unsafe_fixes": True})
    text = apply_fixes(SourceFile(_STEPS + dropped), options).text
    assert "dropout=(0.1 if big else 0.2) if training else 0.0)" in text


@pytest.mark.parametrize(
    "end",
    [
        "    if self.drops:\n        a = F.dropout(a, 0.1)\n        self.count += 1\n    return a @ v\n",
        "    if self.drops:\n        a = F.dropout(a)\n    else:\n        self.n += 1\n    return a @ v\n",
        "    for _ in range(2):\n        a = F.dropout(a, 0.1)\n    return a @ v\n",
        "    with self.timer:\n        a = F.dropout(a, 0.1)\n    return a @ v\n",
        "    with self.timer:\n        y = a @ v\n    return y\n",
        "    while (a @ v).any():\n        q += 1\n",
        "    self.count += 1\n    return a @ v\n",
        "    return lambda: a @ v\n",
        "    return [a @ one for one in v]\n",
        "    kept = a = F.dropout(a, 0.1)\n    return kept, a @ v\n",
    ],
)
def test_steps_with_anything_between_them_are_left(end: str) -> None:
    assert "NPU624" not in _codes(_STEPS + end)
    assert "NPU624" in _codes(_STEPS + "    return a @ v\n")


_FUSED = {
    "NPU611": "y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps{})\n",
    "NPU612": "a, b = x.chunk(2, dim=-1)\ny = a * F.gelu(b, approximate='tanh'{})\n",
    "NPU616": "y = torch.softmax(x.masked_fill(m, -1e9{}), dim=-1)\n",
    "NPU617": "y = F.silu(F.group_norm(x, 32, w, b){})\n",
    "NPU618": "y = torch.matmul(q, k.mT{}).softmax(dim=-1) @ v\n",
    "NPU619": "loss = F.cross_entropy(x, y{})\nloss.backward()\n",
    "NPU624": "s = torch.matmul(q, k.mT)\ny = s.masked_fill(m, -1e9{}).softmax(dim=-1) @ v\n",
}


@pytest.mark.parametrize("code", _FUSED)
def test_calls_that_are_given_more_than_a_fused_operator_carries_over_are_left(code: str) -> None:
    head = "import torch\nimport torch.nn.functional as F\n"
    found = {
        more: code in _codes(head + _FUSED[code].format(more)) for more in ("", ", **given", ", other=given")
    }
    assert found == {"": True, ", **given": False, ", other=given": False}


@pytest.mark.parametrize("end", ["", ", n", ", **given", ", *given"])
def test_the_halves_of_a_rotary_embedding_are_swapped_by_a_call_of_one_argument(end: str) -> None:
    body = "    a, b = x.chunk(2, dim=-1)\n    return torch.cat((-b, a), dim=-1)\n"
    head = f"import torch\n\n\ndef swap(x, n=1):\n{body}"
    assert ("NPU613" in _codes(f"{head}\n\ny = q * cos + swap(q{end}) * sin\n")) is (end == "")
