"""The title of a fix says what happens to the text."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.fix_titles import title_of
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Applicability, Edit, Fix, Message, Plan
from tests.rules.example_options import options_of

NAMELESS = Message.of("fix.replace", text="x")
SHOWN = {
    "one text for another": ("x = 'cuda'", [Edit(5, 9, "npu")], "Replace `cuda` with `npu`"),
    "a text more": ("f(a)", [Edit(3, 3, ", 'npu'")], "Insert `, 'npu'`"),
    "a text less": ("f(a, b)", [Edit(3, 6, "")], "Remove `, b`"),
    "nothing but white space less": ("x  # y", [Edit(1, 2, "")], "Remove it"),
    "two near places": ("x.cuda", [Edit(0, 0, "("), Edit(2, 6, "a')")], "Replace `x.cuda` with `(x.a')`"),
    "two far places": (
        "a" + " " * 80 + "b",
        [Edit(81, 82, "d"), Edit(0, 1, "c")],
        "Replace `a` with `c` (and 1 more)",
    ),
    "several lines": ("x = a", [Edit(0, 5, "y = b\nz = c")], "Replace `x = a` with `y = b z = c`"),
    "a long text": (
        "x",
        [Edit(0, 1, "begin" + "-" * 80 + "end")],
        "Replace `x` with `begin------------------------ … --------------------------end`",
    ),
    "beyond ASCII": ("'卡' + x", [Edit(1, 4, "ä")], "Replace `卡` with `ä`"),
}


@pytest.mark.parametrize(("text", "edits", "title"), SHOWN.values(), ids=SHOWN)
def test_it_shows_what_becomes_what(text: str, edits: list[Edit], title: str) -> None:
    fix = Fix(NAMELESS, Applicability.SAFE, Plan(tuple(edits)))
    assert render(title_of(fix, text.encode()), "en") == title


def test_the_title_that_a_rule_gives_is_kept() -> None:
    fix = Fix(
        Message.of("fix.import", statement="import torch_npu"), Applicability.SAFE, Plan((Edit(0, 0, "x"),))
    )
    assert render(title_of(fix, b""), "en") == "Add `import torch_npu`"


@pytest.mark.parametrize("rule", [rule for rule in all_rules() if rule.examples], ids=lambda rule: rule.code)
def test_no_title_is_the_name_of_a_rule_or_without_a_text(rule: Rule) -> None:
    for example in rule.examples:
        source = text_file(example.before, example.path or "a.py")
        for finding in check(source, options_of(example)):
            if finding.fix is not None:
                for language in ("en", "zh"):
                    title = render(title_of(finding.fix, source.data), language)
                    assert (
                        title not in (f"Replace with `{rule.name}`", f"{rule.code}.fix") and "``" not in title
                    )
