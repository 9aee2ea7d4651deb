"""The folders of the tests are those of the packages, so that a test is found where its code is."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent
PACKAGES = {
    "rules": ROOT / "rules" / "gpu2ascend_rules",
    "mindspore": ROOT / "rules" / "gpu2ascend_mindspore",
    "server": ROOT / "server" / "gpu2ascend",
    "simulator": ROOT / "server" / "gpu2ascend_simulator",
    "tools": ROOT / "tools",
}
SUPPORT = {"samples", "goldens", "__pycache__"}
"""Folders of data for the tests, and of bytecode; no rooms."""


def rooms_of_tests(folder: Path) -> list[str]:
    """The folders below one of the tests' folders, relative to it."""
    below = (path.relative_to(folder) for path in folder.rglob("*") if path.is_dir())
    return sorted(path.as_posix() for path in below if not SUPPORT & set(path.parts))


@pytest.mark.parametrize("name", PACKAGES)
def test_every_folder_of_tests_is_a_room(name: str) -> None:
    rooms = rooms_of_tests(HERE / name)
    assert rooms
    assert [room for room in rooms if not (PACKAGES[name] / room).is_dir()] == []


@pytest.mark.parametrize("name", PACKAGES)
def test_no_folder_is_left_without_a_test(name: str) -> None:
    rooms = rooms_of_tests(HERE / name)
    assert [room for room in rooms if not any((HERE / name / room).rglob("test_*.py"))] == []
