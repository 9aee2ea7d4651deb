"""Which names need no word of the support lists, because a rule of another kind speaks of them."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.registry import has_specific_rule


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
