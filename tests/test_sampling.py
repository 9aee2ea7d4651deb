"""The sample that CI runs of tests with many cases."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from .sampling import mark_beyond_sample


@dataclass
class Item:
    """As much of an item of pytest as the choice reads."""

    nodeid: str
    one_in: int | None = None
    added: list[str] = field(default_factory=list)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return pytest.mark.one_in(self.one_in).mark if self.one_in is not None and name == "one_in" else None

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.added.append(mark.name)


def kept(*items: Item) -> list[str]:
    mark_beyond_sample(items)  # type: ignore[arg-type]
    return [item.nodeid for item in items if "beyond_sample" not in item.added]


def cases(count: int, one_in: int | None, name: str = "test_a") -> list[Item]:
    return [Item(f"tests/test_x.py::{name}[{number}]", one_in) for number in range(count)]


def test_a_share_of_the_cases_is_in_the_sample() -> None:
    assert len(kept(*cases(41, 4))) == 11


def test_a_test_without_the_mark_is_in_the_sample() -> None:
    assert len(kept(*cases(10, None))) == 10


def test_each_test_keeps_a_case() -> None:
    assert kept(Item("tests/test_x.py::test_a", 9), *cases(2, 9, "test_b"))[0] == "tests/test_x.py::test_a"
    assert len(kept(*cases(2, 9, "test_b"), *cases(2, 9, "test_c"))) == 2


def test_a_new_case_changes_at_most_one_of_the_others() -> None:
    before, after = set(kept(*cases(40, 4))), set(kept(*cases(41, 4)))
    assert len(before - after) <= 1


def test_tests_with_the_same_cases_keep_the_same_ones() -> None:
    chosen = kept(*cases(40, 4, "test_a"), *cases(40, 4, "test_b"))
    assert [one.partition("[")[2] for one in chosen[:10]] == [one.partition("[")[2] for one in chosen[10:]]
