"""Which changes of mixed precision an editor offers for a file, by its version and its words."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.amp.refactoring import AmpRefactoring, offered
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = "import torch\nx = x.cuda()\n"
PLAIN = "loss.backward()\noptimizer.step()\n"
NATIVE = "with torch.cuda.amp.autocast():\n    pass\n"
SCALER = "scaler = torch.cuda.amp.GradScaler()\n"
APEX = "from apex import amp\nwith amp.scale_loss(loss, optimizer) as scaled:\n    scaled.backward()\n"


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        pytest.param("y = 1\n", [], [], id="nothing that trains"),
        pytest.param(PLAIN, [], [AmpRefactoring.ENABLE], id="a step in one precision"),
        pytest.param("loss.backward()\n", [], [], id="no step"),
        pytest.param("optimizer.step()\n", [], [], id="nothing to step by"),
        pytest.param(NATIVE + PLAIN, [AmpRefactoring.TRANSPLANT], [], id="autocast"),
        pytest.param(SCALER + PLAIN, [AmpRefactoring.TRANSPLANT], [], id="a scaler"),
        pytest.param(APEX, [], [AmpRefactoring.NATIVE], id="apex"),
    ],
)
def test_offers(code: str, old: list[AmpRefactoring], new: list[AmpRefactoring]) -> None:
    source = SourceFile(HEAD + code)
    assert list(offered(source, options_from({"version": "1.5.0"}))) == old
    assert list(offered(source, options_from({"version": "2.8.0"}))) == new
