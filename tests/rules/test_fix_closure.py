"""Fixes made one by one, in any order, end in the text of all of them made at once."""

from __future__ import annotations

import random

import attrs
import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.fix_closure import closure_edits
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.finding import Applicability
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})


def one_by_one(text: str, options: MigrationOptions, order: random.Random, path: str = "") -> str:
    """The text after quick fixes, each chosen from those that are offered then."""
    while True:
        source = text_file(text, path)
        findings = check(source, options)
        safe = [item for item in findings if item.applicability is Applicability.SAFE]
        order.shuffle(safe)
        made = (apply_edits(source.data, closure_edits(source, [item], findings, options)) for item in safe)
        text = next((data.decode() for data in made if data != source.data), "")
        if not text:
            return source.text


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_the_order_of_quick_fixes_does_not_matter(rule: Rule) -> None:
    for example in rule.examples:
        settings = {"version": example.version, **dict(example.settings)}
        options = attrs.evolve(options_from(settings), unsafe_fixes=False, replace_unsupported=False)
        at_once = apply_fixes(text_file(example.before, example.path), options).text
        for seed in range(2):
            assert one_by_one(example.before, options, random.Random(seed), example.path) == at_once


def test_what_a_fix_would_silence_goes_with_it() -> None:
    text = "import torch\nif x.device.type != 'cuda' or args.device == 'cuda:0':\n    pass\n"
    source = SourceFile(text)
    findings = check(source, OPTIONS)
    last = max(findings)
    fixed = apply_edits(source.data, closure_edits(source, [last], findings, OPTIONS)).decode()
    assert "!= 'npu'" in fixed and "== 'npu:0'" in fixed


def test_what_stays_on_offer_is_left_alone() -> None:
    text = "import torch\na = torch.zeros(1).cuda()\nb = torch.zeros(1).cuda()\n"
    source = SourceFile(text)
    findings = check(source, OPTIONS)
    fixed = apply_edits(source.data, closure_edits(source, findings[1:], findings, OPTIONS)).decode()
    assert fixed.count(".cuda()") == fixed.count(".npu()") == 1
