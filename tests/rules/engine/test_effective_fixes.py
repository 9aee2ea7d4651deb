"""A finding has a fix only where the fix changes something, so that every fix has a title."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from gpu2ascend_rules.engine.places.context import PlaceContext
from gpu2ascend_rules.engine.rule import Rule, on
from gpu2ascend_rules.model.finding import Applicability, Edit, Finding, Fix, Message, Requirement, Severity
from gpu2ascend_rules.text.source_file import SourceFile

NEEDS = frozenset({Requirement("torch_npu")})
EDITS = [Edit(0, 1, "y")]


class Place(NamedTuple):
    start: int
    end: int


class SomeRule(Rule):
    code = "NPU999"
    words = ("x",)

    @on.place(Place)
    def asked(self, place: Place, ctx: PlaceContext) -> Iterator[Finding]:
        yield self.report(place, "said", Severity.WARNING)


def fixes(fix: Fix) -> list[Fix | None]:
    """What a finding on code and one on a place keep of a fix."""
    rule: Rule = SomeRule()
    on_code = rule.report(SourceFile("x\n").tree.root_node, "said", Severity.WARNING, fix=fix)
    on_place = SomeRule().report(Place(0, 1), "said", Severity.WARNING, fix=fix)
    return [on_code.fix, on_place.fix]


@pytest.mark.parametrize("requires", [frozenset(), NEEDS])
def test_a_fix_whose_edits_cannot_be_made_is_none(requires: frozenset[Requirement]) -> None:
    rule = SomeRule()
    idle = rule.fix(Applicability.SAFE, edits=(), requires=requires)
    made = rule.fix(Applicability.SAFE, edits=EDITS, requires=requires)
    assert fixes(idle) == [None, None]
    assert fixes(made) == [made, made]


def test_an_import_alone_is_a_fix_where_a_title_says_so() -> None:
    title = Message.of("NPU306.fix")
    fix = SomeRule().fix(Applicability.SAFE, requires=NEEDS, title=title)
    assert fixes(fix) == [fix, fix]
