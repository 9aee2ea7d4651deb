"""A text with AMP, or the reason why it has none."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from gpu2ascend_rules.codemods.amp.enable import Precision, with_amp
from gpu2ascend_rules.codemods.amp.module import Declined
from gpu2ascend_rules.messages import LANGUAGES, render

AMP = "torch_npu.npu.amp"
MADE, LOSS, BACK = "o = torch.optim.SGD(p)\n", "loss = model(x)\n", "loss.backward()\n"


def enabled(text: str, model: str = "model") -> str:
    new = with_amp(dedent(text), model, Precision(AMP)).text
    ast.parse(new)
    return new


def reason(text: str, model: str = "model") -> str:
    with pytest.raises(Declined) as raised:
        enabled(text, model)
    for language in LANGUAGES:
        assert render(raised.value.reason, language)
    return raised.value.reason.id.rpartition(".")[2]
