"""What is looked up in a list of devices is one of the NPU where the texts that it may be are renamed."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.flow.guards.guarded_code import becomes_npu
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTION = """\
import argparse
import torch
p = argparse.ArgumentParser()
p.add_argument('--device'{})
args = p.parse_args()
x = torch.ones(2, device=args.device)
if args.device in ('cpu', 'npu'):
    pass
"""


def looked_up_becomes_npu(text: str) -> bool:
    source = SourceFile(text)
    comparison = next(node for node in nodes_in(source.root) if node.type == "comparison_operator")
    return becomes_npu(comparison.named_children[0], Context(source, options_from({"version": "2.8.0"})))


@pytest.mark.parametrize(
    ("declared", "becomes"),
    [
        (", default='cuda'", True),
        (", default='cuda:0'", True),
        (", default='npu'", True),
        (", default='cpu'", False),
        (", default=None", False),
        ("", False),
    ],
)
def test_an_option_is_where_its_default_is(declared: str, becomes: bool) -> None:
    assert looked_up_becomes_npu(OPTION.format(declared)) is becomes
