"""Advice: a hint that says where it holds, and that one option turns off."""

from __future__ import annotations

import json

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Family, Rule
from gpu2ascend_rules.messages import LANGUAGES, catalogue, render
from gpu2ascend_rules.model.finding import Finding, Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

RULES = [rule for rule in all_rules() if rule.family is Family.ADVICE]
LOOP = "import torch\nfor x in loader:\n    loss = model(x)\n    loss.backward()\n    opt.step()\n"


def advice(text: str, **options: object) -> tuple[Finding, ...]:
    found = check(SourceFile(text, "a.py"), options_from({"version": "2.8.0", **options}))
    return tuple(finding for finding in found if finding.is_advice)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_advice_is_a_hint_that_the_option_turns_off(rule: Rule) -> None:
    text = next(example for example in rule.examples if not example.is_unchanged).before
    found = advice(text)
    assert rule.code in {finding.code for finding in found}
    assert {finding.severity for finding in found} == {Severity.HINT}
    assert advice(text, advice=False) == ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_advice_says_for_which_versions_and_hardware(rule: Rule, language: str) -> None:
    texts = catalogue(language)
    for name, text in texts.items():
        if name.startswith(f"{rule.code}.") and not name.endswith(".title"):
            assert text.endswith("[{scope}]"), name
    example = next(example for example in rule.examples if not example.is_unchanged)
    said = render(advice(example.before)[0].message, language)
    assert "PyTorch" in said and "NPU" in said


def test_a_loop_of_steps_is_advised_about_once() -> None:
    text = f"{LOOP}    a = loss.item()\n    b = loss.item()\n"
    (found,) = advice(text)
    assert json.loads(dict(found.message.arguments)["count"]) == 2  # type: ignore[arg-type]


def test_a_loop_within_a_step_belongs_to_the_step() -> None:
    text = f"{LOOP}    for k in losses:\n        a[k] = losses[k].item()\n"
    assert [finding.code for finding in advice(text)] == ["ADV103"]


def test_what_runs_once_an_epoch_is_left_alone() -> None:
    inner = LOOP.replace("\n", "\n    ").replace("import torch\n    ", "import torch\nwhile True:\n    ")
    assert advice(f"{inner}\n    a = loss.item()\n    torch.cuda.empty_cache()\n") == ()
    assert advice(f"{inner}    a = loss.item()\n") != ()


def test_a_support_list_still_speaks_of_names_that_have_advice() -> None:
    """Advice on a name is no word on whether the NPU has it."""
    from gpu2ascend_rules.engine.registry import has_specific_rule

    assert not has_specific_rule("torch.nn.Linear")
    assert has_specific_rule("torch.nn.functional.gelu")


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ("    if p.grad is not None:\n        dist.all_reduce(p.grad)\n", True),
        (
            "    if p.grad is None:\n        continue\n    else:\n        dist.all_reduce(tensor=p.grad)\n",
            True,
        ),
        ("    with timer:\n        dist.all_reduce(p.grad)\n", True),
        ("    bucket.append(p.grad)\n    if full(bucket):\n        dist.all_reduce(flat)\n", False),
        ("    def hook():\n        dist.all_reduce(p.grad)\n    hooks.append(hook)\n", False),
        ("    pass\nelse:\n    dist.all_reduce(p.grad)\n", False),
    ],
    ids=["if", "else", "with", "flat", "function", "behind the loop"],
)
def test_a_reduction_for_each_parameter_may_stand_under_conditions(body: str, is_found: bool) -> None:
    """A flat tensor of many parameters is what is advised, and a function is called elsewhere."""
    text = f"import torch.distributed as dist\nfor p in model.parameters():\n{body}"
    assert [item.message.id for item in advice(text)] == ["ADV105.each"] * is_found
