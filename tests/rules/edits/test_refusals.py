"""Of many fixes those are left out that break a text, found with few looks at it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from gpu2ascend_rules.edits.refusals import MOST_OF_A_RULE, Refusals, SoundPart
from gpu2ascend_rules.model.defects import is_defect
from gpu2ascend_rules.model.finding import Edit, Finding, Message, Severity


class Item(NamedTuple):
    """A fix that may be guilty."""

    finding: Finding
    is_guilty: bool = False


def finding(code: str, start: int = 0) -> Finding:
    return Finding(code, start, start + 1, Message.of("fix.remove"), Severity.WARNING)


def divided(items: list[Item]) -> tuple[list[Item], list[Item], int]:
    """The good and the guilty, and how many texts were judged."""
    looks = 0

    def is_sound(part: list[Item]) -> bool:
        nonlocal looks
        looks += 1
        return not any(item.is_guilty for item in part)

    kept, guilty = SoundPart().of(items, is_sound)
    return kept, guilty, looks


@pytest.mark.parametrize("place", [0, 1, 499, 998, 999])
def test_one_that_is_guilty_is_found_with_few_looks(place: int) -> None:
    items = [Item(finding("NPU101", at), at == place) for at in range(1000)]
    kept, guilty, looks = divided(items)
    assert guilty == [items[place]] and kept == [item for item in items if item not in guilty]
    assert looks <= 2 * 10 + 1


def test_no_other_fix_of_a_rule_is_tried_that_breaks_everything() -> None:
    items = [Item(finding(f"NPU{200 + at % 2}", at), at % 2 == 0) for at in range(1000)]
    kept, guilty, looks = divided(items)
    assert kept == items[1::2] and sorted(guilty) == items[::2]
    assert looks <= (MOST_OF_A_RULE + 1) * 2 * 10


def test_where_none_is_guilty_one_look_is_enough() -> None:
    items = [Item(finding("NPU101", at)) for at in range(1000)]
    assert divided(items) == (items, [], 1)


def test_a_refused_finding_moves_with_the_text_and_is_named_once() -> None:
    refusals = Refusals()
    refusals.refuse(finding("NPU101", 8), "why")
    refusals.moved([Edit(0, 0, "xx"), Edit(4, 5, "")])
    assert refusals.holds(finding("NPU101", 9)) and not refusals.holds(finding("NPU102", 9))
    (told,) = refusals.marked([finding("NPU101", 9)])
    assert is_defect(told) and (told.start, told.severity, told.fix) == (9, Severity.ERROR, None)


def test_a_refused_finding_that_nothing_finds_again_is_kept() -> None:
    refusals = Refusals()
    refusals.refuse(finding("NPU101", 8), "why")
    assert [is_defect(item) for item in refusals.marked([finding("NPU102", 3)])] == [False, True]
