"""A rule that fails costs its own findings, and is named."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.catalog import rule_by_code
from gpu2ascend_rules.engine import check
from gpu2ascend_rules.options import options_from
from gpu2ascend_rules.source import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
TEXT = "import torch\nx = torch.zeros(1).cuda()\ntorch.cuda.empty_cache()\n"


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> str:
    """A rule of which every handler fails."""
    from gpu2ascend_rules import dispatch

    rule = rule_by_code("NPU110")
    assert rule is not None
    dispatch.dispatch_for.cache_clear()
    broken = [(wish, _fail) for wish, _ in rule.handlers()]
    monkeypatch.setattr(type(rule), "handlers", lambda self: iter(broken))
    yield "NPU110"
    dispatch.dispatch_for.cache_clear()


def _fail(event: object, context: object) -> None:
    raise ZeroDivisionError


def test_the_other_rules_go_on(failing: str) -> None:
    failed: list[str] = []
    found = check(SourceFile(TEXT), OPTIONS, on_error=lambda code, error: failed.append(code))
    assert [item.code for item in found] == ["NPU101"]
    assert set(failed) == {failing}


def test_without_a_listener_the_failure_is_raised(failing: str) -> None:
    with pytest.raises(ZeroDivisionError):
        check(SourceFile(TEXT), OPTIONS)
