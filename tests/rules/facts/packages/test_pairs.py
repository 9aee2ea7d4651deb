"""What is installed together for a version."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.facts.packages.pairs import PACKAGES, build_with, builds, pair_of
from gpu2ascend_rules.facts.packages.third_party import cuda_package
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version


@pytest.mark.parametrize(
    ("version", "torch_npu", "torchvision", "torchaudio", "cann"),
    [
        ((2, 1, 0), "2.1.0.post17", "0.16.0", "2.1.0", "8.3.RC1"),
        ((2, 6, 0), "2.6.0.post5", "0.21.0", "2.6.0", "8.5.0"),
        ((2, 8, 0), "2.8.0.post5", "0.23.0", "2.8.0", "9.0.0"),
        ((2, 12, 0), "2.12.0.post3", "0.27.0", "", "9.1.0"),
        ((2, 13, 0), "2.13.0", "0.28.0", "", ""),
        ((2, 2, 0), "2.2.0.post2", "0.17.0", "2.2.0", "8.0.RC2"),
        ((1, 11, 0), "", "0.12.0", "0.11.0", ""),
    ],
)
def test_the_newest_build_on_the_index_with_the_newest_cann_that_is_documented(
    version: tuple[int, int, int], torch_npu: str, torchvision: str, torchaudio: str, cann: str
) -> None:
    pair = pair_of(Version(*version))
    assert (pair.torch_npu, pair.torchvision, pair.torchaudio, pair.cann) == (
        torch_npu, torchvision, torchaudio, cann,
    )  # fmt: skip


@pytest.mark.parametrize("version", [Version(2, 7, 1), Version(2, 9, 0), Version(2, 12, 0)], ids=str)
def test_a_name_of_the_newest_build_alone_is_from_that_build_on(version: Version) -> None:
    assert build_with("torch_npu.npu.ExternalStream", version) == pair_of(version).torch_npu
    assert build_with("torch_npu.npu.Stream", version) == ""


@pytest.mark.parametrize("version", SUPPORTED_VERSIONS, ids=str)
def test_every_version_has_a_build_and_a_torchvision(version: Version) -> None:
    assert any(build.torch == str(version) for build in builds())
    assert pair_of(version).torchvision


def test_a_build_is_of_the_torch_in_its_name() -> None:
    assert all(build.torch_npu.startswith(build.torch) for build in builds())


def test_a_build_with_a_cann_is_part_of_a_release() -> None:
    assert all(bool(build.cann) == bool(build.release) for build in builds())


def test_the_packages_of_a_pair_have_a_release() -> None:
    assert [pair_of(Version(2, 8, 0)).release_of(name) for name in PACKAGES] == [
        "2.8.0", "2.8.0.post5", "0.23.0", "2.8.0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "treatment"),
    [
        ("nvidia-cublas-cu12", "drop"),
        ("nvidia-sphinx-theme", None),
        ("flash-attn", "build"),
        ("cupy-cuda12x", "build"),
        ("spconv-cu118", "build"),
        ("tritonclient", None),
        ("triton", "replace"),
    ],
)
def test_a_package_is_known_by_its_name_or_its_beginning(name: str, treatment: str | None) -> None:
    package = cuda_package(name)
    assert (package.treatment if package is not None else None) == treatment
