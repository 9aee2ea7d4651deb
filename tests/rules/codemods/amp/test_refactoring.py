"""Which changes of mixed precision an editor offers for a file, by its version and its words."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.amp.refactoring import AmpRefactoring, amp_fix, offers_amp
from gpu2ascend_rules.edits.offsets import apply_edits
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
    assert list(offers_amp(source, options_from({"version": "1.5.0"}))) == old
    assert list(offers_amp(source, options_from({"version": "2.8.0"}))) == new


def offers_transfer(text: str) -> bool:
    found = offers_amp(SourceFile(text, "train.py"), options_from({"version": "2.8.0"}))
    return AmpRefactoring.TRANSFER in found


def test_transfer_to_npu_is_offered_in_scripts_alone() -> None:
    assert offers_transfer("import torch\nif __name__ == '__main__':\n    torch.ones(1).cuda()\n")
    assert offers_transfer("import torch\nwith torch.no_grad():\n    for x in y:\n        x.cuda()\n")
    assert not offers_transfer("import torch\ndef f(x):\n    return x.cuda()\n")


def test_transfer_to_npu_imports_the_pair_and_changes_nothing_else() -> None:
    source = SourceFile("import torch\nfor x in y:\n    x.cuda()\n", "train.py")
    fix = amp_fix(source, AmpRefactoring.TRANSFER, options_from({"version": "2.8.0"}))
    made = apply_edits(source.data, fix.plan.edits).decode("utf-8")
    pair = "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
    assert made == f"import torch\n{pair}for x in y:\n    x.cuda()\n"
