"""Which supported version a user's spelling means, and what is said of one that means none."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.model.versions import NEWEST, UnknownVersionError
from gpu2ascend_rules.options.version_choice import version_meant, why_unknown


@pytest.mark.parametrize(
    ("spelling", "version"),
    [
        ("2.8.0", "2.8.0"),
        ("2.8", "2.8.0"),
        ("v2.8.0", "2.8.0"),
        ("V2.8", "2.8.0"),
        ("PyTorch 2.1", "2.1.0"),
        ("torch-2.1.0", "2.1.0"),
        ("pytorch v2.1.0", "2.1.0"),
        ("pytorch::pytorch=2.1.0", "2.1.0"),
        ("conda-forge::pytorch>=2.0,<2.3", "2.2.0"),
        ("1", "1.11.0"),
        ("2.8.0+cu121", "2.8.0"),
        ("torch==2.1.2+cu118", "2.1.0"),
        ("torch ~= 2.1.2", "2.1.0"),
        ("torch>=1.7,<2.3", "2.2.0"),
        ("torch (>=1.7,<1.12)", "1.11.0"),
        ("torch[opt-einsum]<=2.4", "2.4.0"),
        (">=2.1, <2.6", "2.5.1"),
        ("pytorch>=2.0,!=2.2.0,<2.3", "2.1.0"),
    ],
)
def test_the_newest_supported_version_that_satisfies_it_is_meant(spelling: str, version: str) -> None:
    assert str(version_meant(spelling).version) == version


def test_an_open_requirement_means_the_newest_of_all() -> None:
    newest = version_meant("torch").version
    assert version_meant("torch>=1.7").version == newest
    assert version_meant("2").version == newest
    assert newest > version_meant("2.9").version


def test_only_a_version_as_it_is_listed_is_exact() -> None:
    assert version_meant("2.8.0").exact
    assert not version_meant("torch==2.8.0").exact


@pytest.mark.parametrize(
    "spelling",
    [
        "1.13.1",
        "torch==1.13.1",
        "3",
        "torch 1.13",
        "torch<1",
        "abc",
        "",
        "torchvision",
        "torch>=",
        "torch>=two",
    ],
)
def test_what_means_no_supported_version_is_refused(spelling: str) -> None:
    with pytest.raises(UnknownVersionError):
        version_meant(spelling)


def test_a_release_between_two_versions_is_refused_with_both() -> None:
    assert dict(why_unknown("PyTorch 1.13").arguments)["value"] == "1.13"
    message = why_unknown("torch==1.13.1+cu117")
    assert message.id == "option.error.version_between"
    assert dict(message.arguments) == {"value": "1.13.1", "before": "1.11.0", "after": "2.0.1"}


@pytest.mark.parametrize(("spelling", "nearest"), [("0.4.1", "1.5.0"), ("99.1", str(NEWEST))])
def test_a_release_beyond_the_versions_is_refused_with_the_nearest(spelling: str, nearest: str) -> None:
    message = why_unknown(spelling)
    assert (message.id, dict(message.arguments)["nearest"]) == ("option.error.version_outside", nearest)


def test_a_requirement_that_nothing_satisfies_and_a_misprint_are_told_apart() -> None:
    assert why_unknown("torch<1").id == "option.error.version_none"
    assert why_unknown("latest").id == "option.error.version"
