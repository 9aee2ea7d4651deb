"""Which names need no word of the support lists, because a rule of another kind speaks of them."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine import registry
from gpu2ascend_rules.engine.registry import has_specific_rule, rule_by_code


@pytest.mark.parametrize(
    "name", ["torch.cuda.synchronize", "torch.nn.DataParallel", "torch.cuda.amp.GradScaler"]
)
def test_a_rule_that_migrates_a_name_speaks_of_it(name: str) -> None:
    assert has_specific_rule(name)


@pytest.mark.parametrize(
    "name",
    [
        "torch.optim.RMSprop",
        "torch.softmax",
        "torch.nn.functional.softmax",
        "torch.matmul",
        "torch.sigmoid",
        "torch.mean",
    ],
)
def test_advice_on_speed_takes_no_name_from_the_support_lists(name: str) -> None:
    assert not has_specific_rule(name)


def test_a_rule_is_found_by_its_code_or_name_without_a_look_at_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_code, by_name = rule_by_code("NPU110"), rule_by_code("npu110")
    assert by_code is by_name is not None
    assert rule_by_code(by_code.name) is by_code
    assert rule_by_code(by_code.name.upper()) is None
    monkeypatch.setattr(registry, "outlines_for", lambda target: pytest.fail("looked through again"))
    assert rule_by_code("NPU110") is by_code
