"""A message names the API that the fix writes, in the style that was chosen."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

TEXTS = sorted({example.before for rule in all_rules() for example in rule.examples})


def found(text: str, style: str) -> tuple[Finding, ...]:
    return check(SourceFile(text), options_from({"version": "2.8.0", "api_style": style}))


def targets(style: str) -> list[str]:
    findings = (finding for text in TEXTS for finding in found(text, style))
    return [str(dict(finding.message.arguments).get("target", "")) for finding in findings]


@pytest.mark.slow
def test_every_name_below_the_npu_is_of_the_style() -> None:
    usual, other = targets("torch_npu.npu"), targets("torch.npu")
    below_torch_npu = [target for target in usual if target.split(".")[:2] == ["torch_npu", "npu"]]
    assert len(below_torch_npu) > 30
    assert [target.replace("torch_npu.npu", "torch.npu") for target in below_torch_npu] == [
        other[place] for place, target in enumerate(usual) if target in below_torch_npu
    ]
    assert not [target for target in other if target.split(".")[:2] == ["torch_npu", "npu"]]


@pytest.mark.parametrize("style", ["torch_npu.npu", "torch.npu"])
def test_it_is_what_the_fix_writes(style: str) -> None:
    (finding,) = found("import torch\ntorch.cuda.synchronize()\n", style)
    assert dict(finding.message.arguments)["target"] == f"{style}.synchronize"
    assert finding.fix is not None
    assert dict(finding.fix.title.arguments)["text"] == f"{style}.synchronize"


def test_what_a_message_quotes_from_the_file_stays() -> None:
    (finding,) = found("import torch_npu\ntorch_npu.npu.nccl.version()\n", "torch.npu")
    assert dict(finding.message.arguments)["api"].startswith("torch_npu.npu.nccl")
