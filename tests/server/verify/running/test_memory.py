"""A device has a share of the host's memory, unless a user says how much."""

from __future__ import annotations

import pytest

from gpu2ascend.verify.running import memory


@pytest.mark.parametrize(
    ("available", "ranks", "expected"),
    [(40 << 30, None, 10 << 30), (40 << 30, 4, 5 << 30), (1 << 30, 1, 2 << 30), (1 << 40, 1, 64 << 30)],
)
def test_half_of_what_is_left_is_shared_within_bounds(
    monkeypatch: pytest.MonkeyPatch, available: int, ranks: int | None, expected: int
) -> None:
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    monkeypatch.setattr(memory, "_available", lambda: available)
    assert memory.memory_of_device(ranks) == {memory.VARIABLE: str(expected)}


def test_a_users_word_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.VARIABLE, "1000")
    assert memory.memory_of_device(1) == {}
