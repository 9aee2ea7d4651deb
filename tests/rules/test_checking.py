"""A rule that fails costs its own findings, and is named. A check can be cancelled, and leaves nothing."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules.checking import CheckCancelledError, check
from gpu2ascend_rules.engine.registry import all_rules, rule_by_code
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.defects import is_defect
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.cases import every_case
from tests.rules.example_options import options_of

OPTIONS = options_from({"version": "2.8.0"})
TEXT = "import torch\nx = torch.zeros(1).cuda()\ntorch.cuda.empty_cache()\n"


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A rule of which every handler fails."""
    from gpu2ascend_rules.engine import dispatch

    rule = rule_by_code("NPU110")
    assert rule is not None
    dispatch.dispatch_for.cache_clear()
    broken = [(subscription, _fail) for subscription, _ in rule.handlers()]
    monkeypatch.setattr(type(rule), "handlers", lambda self: iter(broken))
    yield "NPU110"
    dispatch.dispatch_for.cache_clear()


def _fail(event: object, context: object) -> None:
    raise ZeroDivisionError


def test_the_other_rules_go_on(failing: str) -> None:
    failed: list[str] = []
    found = check(SourceFile(TEXT), OPTIONS, on_error=lambda code, error: failed.append(code))
    assert [item.code for item in found if not is_defect(item)] == ["NPU101"]
    assert set(failed) == {failing}


def test_a_rule_that_fails_says_where(failing: str) -> None:
    found = check(SourceFile(TEXT), OPTIONS, on_error=lambda code, error: None)
    places = {TEXT[item.start : item.end] for item in found if is_defect(item)}
    assert "torch.zeros(1).cuda" in places and "torch.cuda.empty_cache()" not in places
    assert {item.code for item in found if is_defect(item)} == {failing}


def test_fixing_goes_on_without_a_rule_that_fails(failing: str) -> None:
    done = apply_fixes(SourceFile(TEXT), OPTIONS)
    assert "torch_npu.npu.empty_cache()" in done.text
    assert {(item.finding.code, item.start_line) for item in done.remaining} >= {(failing, 2)}
    assert all(is_defect(item.finding) for item in done.remaining if item.finding.code == failing)


def test_without_a_listener_the_failure_is_raised(failing: str) -> None:
    with pytest.raises(ZeroDivisionError):
        check(SourceFile(TEXT), OPTIONS)


def test_a_check_that_is_cancelled_asks_no_further_rule() -> None:
    asked: list[bool] = []

    def is_cancelled() -> bool:
        asked.append(len(asked) == 2)
        return asked[-1]

    with pytest.raises(CheckCancelledError):
        check(SourceFile(TEXT), OPTIONS, is_cancelled=is_cancelled)
    assert asked == [False, False, True]


TRAIN = Path(__file__).parents[2] / "examples/shapes_classifier/train.py"
KEPT = {
    rule.code: [(item.before, options_of(item)) for item in rule.examples if not item.path]
    for rule in all_rules()
}


@pytest.mark.parametrize("code", [code for code, programs in KEPT.items() if programs])
def test_the_tree_of_a_version_of_an_example_goes_with_it(code: str) -> None:
    with every_case() as case:
        for number, (text, options) in enumerate(KEPT[code]):
            with case(number):
                _its_tree_goes_with_it(text, options)


def test_the_tree_of_a_version_goes_with_it() -> None:
    _its_tree_goes_with_it(TRAIN.read_text(encoding="utf-8"), OPTIONS)


def _its_tree_goes_with_it(text: str, options: MigrationOptions) -> None:
    check(SourceFile("import torch\n"), options)
    gc.disable()  # what goes at the next collection only costs a pause
    try:
        source = SourceFile(text)
        check(source, options)
        tree = source.tree
        del source
        assert sys.getrefcount(tree) == 2  # this name, and the question
    finally:
        gc.enable()
