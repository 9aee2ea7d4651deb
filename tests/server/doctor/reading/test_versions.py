"""Versions of the driver and of CANN compare as their makers mean them."""

from __future__ import annotations

import pytest

from gpu2ascend.doctor.reading.versions import at_least, same_release


@pytest.mark.parametrize(
    ("version", "minimum", "is_enough"),
    [
        ("25.2.0", "25.0.rc1", True),
        ("24.1.rc2", "24.1.rc2", True),
        ("24.1.0", "24.1.rc3", True),
        ("24.1.rc1", "24.1.0", False),
        ("25.0.rc1.1", "25.0.rc1", True),
        ("23.0.3", "24.1.rc1", False),
    ],
)
def test_candidates_lie_before_releases(version: str, minimum: str, *, is_enough: bool) -> None:
    assert at_least(version, minimum) is is_enough


@pytest.mark.parametrize(
    ("version", "release", "is_of_it"),
    [
        ("8.2.RC1.alpha003", "8.2.RC1", True),
        ("8.5.0", "8.5", True),
        ("8.50", "8.5", False),
        ("8.2.RC2", "8.2.RC1", False),
    ],
)
def test_a_version_is_of_a_release(version: str, release: str, *, is_of_it: bool) -> None:
    assert same_release(version, release) is is_of_it
