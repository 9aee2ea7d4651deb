"""A device has a share of the host's memory, unless a user says how much."""

from __future__ import annotations

from pathlib import Path

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


@pytest.mark.parametrize(
    ("limit", "expected"), [(str(17 << 30), 4 << 30), ("max", 10 << 30), (str(1 << 62), 10 << 30)]
)
def test_a_container_may_have_less_than_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, expected: int
) -> None:
    for name, text in (("host", f"MemAvailable: {40 << 20} kB\n"), ("max", limit), ("current", str(1 << 30))):
        (tmp_path / name).write_text(text)
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    monkeypatch.setattr(memory, "_HOST", str(tmp_path / "host"))
    monkeypatch.setattr(memory, "_CONTAINER", ((str(tmp_path / "max"), str(tmp_path / "current")),))
    assert memory.memory_of_device(1) == {memory.VARIABLE: str(expected)}
