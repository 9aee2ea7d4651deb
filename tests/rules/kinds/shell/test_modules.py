"""Which environment modules of a cluster are CUDA's."""

from __future__ import annotations

import time

import pytest

from gpu2ascend_rules.kinds.shell.modules import cuda_modules_in


@pytest.mark.parametrize(
    ("module", "is_cuda"),
    [
        ("cuda", True),
        ("cuda/12.4", True),
        ("devel/cuda-11.8", True),
        ("CUDA/12", True),
        ("cudatoolkit_12", True),
        ("nvhpc/24.1/full", True),
        ("python/3.11-cuda", False),
        ("gcc", False),
    ],
)
def test_a_part_of_the_path_says_so(module: str, is_cuda: bool) -> None:
    assert list(cuda_modules_in(f"module load {module}")) == ([module] if is_cuda else [])


def test_a_long_word_is_read_once() -> None:
    started = time.process_time()
    assert list(cuda_modules_in("module load " + "a-" * 100_000 + "?")) == []
    assert time.process_time() - started < 1
