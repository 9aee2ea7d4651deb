"""What the table says of packages of others, however they are asked for."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts.packages.third_party import (
    canonical,
    cuda_modules,
    cuda_package,
    is_absent_on_npu,
    verdict_of_module,
    verdict_of_package,
)
from gpu2ascend_rules.messages import LANGUAGES, translated


@pytest.mark.parametrize(
    ("name", "status", "version", "replacement"),
    [
        ("flash-attn", "replaced", "0.4.2", "flash-attn-npu"),
        ("Flash_Attn", "replaced", "0.4.2", "flash-attn-npu"),
        ("spconv", "replaced", "26.1.0", "mx_driving"),
        ("ray", "works", "2.9", ""),
        ("dgl", "replaced", "0.0.3", "dgl-ascend"),
        ("torch-sparse", "cpu", "", ""),
        ("bitsandbytes", "part", "0.50.2", ""),
        ("torchao", "part", "0.18.0", ""),
        ("gptqmodel", "works", "7.0.0", ""),
        ("einops", "plain", "", ""),
        ("tensorflow", "other", "", ""),
    ],
)
def test_the_verdict_of_a_package(name: str, status: str, version: str, replacement: str) -> None:
    verdict = verdict_of_package(name)
    assert verdict is not None
    assert (verdict.status, verdict.works_from, verdict.replacement) == (status, version, replacement)


def test_a_build_for_one_cuda_has_the_verdict_of_all() -> None:
    verdict = verdict_of_package("spconv-cu118")
    assert verdict is not None
    assert (verdict.name, verdict.status) == ("spconv-cu118", "no")


def test_a_module_has_the_verdict_of_its_package() -> None:
    verdict = verdict_of_module("nvidia.dali.fn")
    assert verdict is not None and verdict.package == "nvidia-dali"


def test_the_longest_module_counts() -> None:
    computing, whole = verdict_of_module("numba.cuda.jit"), verdict_of_module("numba.njit")
    assert computing is not None and whole is not None
    assert (computing.status, whole.status) == ("no", "cpu")


def test_a_module_of_two_packages_is_that_of_the_one_with_its_name() -> None:
    verdict = verdict_of_module("mmcv")
    assert verdict is not None and verdict.package == "mmcv"


@pytest.mark.parametrize("name", ["numpy", "nvidia", "flash"])
def test_nothing_is_known_of_others(name: str) -> None:
    assert verdict_of_package(name) is None and verdict_of_module(name) is None


def test_works_is_no_treatment_of_a_requirement() -> None:
    assert cuda_package("accelerate") is None and "accelerate" not in cuda_modules()
    needs_cuda = cuda_package("cupy")
    assert needs_cuda is not None and needs_cuda.treatment == "build" and "cupy" in cuda_modules()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_advice_has_a_text(language: str) -> None:
    texts = translated(language)
    for row in load_tsv("third_party"):
        verdict = verdict_of_package(row["package"]) if row["package"] else None
        assert verdict is None or not verdict.advice or verdict.advice in texts
        assert f"package.status.{row['status']}" in texts


@pytest.mark.parametrize(
    "name",
    [
        "flash-attn-npu",
        "flash_attn_npu",
        "cupy-cuda-ascend",
        "flashinfer-npu",
        "nvidia-cuda-cann",
        "spconv-cu-npu-2",
    ],
)
def test_no_pattern_is_about_a_package_that_is_made_for_the_npu(name: str) -> None:
    assert cuda_package(canonical(name)) is None


@pytest.mark.parametrize("name", ["flash-attn-3", "cupy-cuda12x", "flashinfer-jit-cache"])
def test_a_pattern_is_about_the_others(name: str) -> None:
    assert cuda_package(canonical(name)) is not None


@pytest.mark.parametrize(
    ("module", "works"),
    [("flag_gems", True), ("gptqmodel", True), ("torchao", True), ("optimum.quanto", True), ("hqq", True),
     ("flash_mla", False), ("megablocks", False), ("eetq", False), ("optimum", None)],
)  # fmt: skip
def test_what_training_code_imports_is_told(module: str, works: bool | None) -> None:
    """None: the import says nothing; else whether it works on the NPU in part."""
    assert (module in cuda_modules()) is (works is not None)
    assert is_absent_on_npu(module) is (works is False)
