"""NPU1401 on whole projects: each source that needs CUDA has one finding, and its kernels are listed once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gpu2ascend.project.inspect.check import check_paths
from tests.server.project.conftest import Migrate, make, run
from tests.server.project.samples import OPTIONS, PLAIN, Files, make_tree

__all__ = ["make", "run"]
FILES: Files = {
    "k.cu": "#include <cuda.h>\n__global__ void add(float* x) {}\n__global__ void sub(float* x) {}\n",
    "b.cpp": "#include <ATen/cuda/CUDAContext.h>\n#include <nccl.h>\n",
    "n.h": "int f();\n",
    "a.py": PLAIN,
}


def test_a_check_finds_each_file_once(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", FILES)
    found = {
        Path(file.path).name: [item.code for item in file.findings] for file in check_paths([root], OPTIONS)
    }
    assert found == {"a.py": [], "b.cpp": ["NPU1401"], "k.cu": ["NPU1401"], "n.h": []}


def test_a_migration_lists_the_kernels_beside_and_copies_the_files(
    run: Migrate, make: Callable[[Files], Path]
) -> None:
    done = run(make(FILES))
    assert (done.summary.warnings, done.summary.cuda_ops, done.summary.unsupported) == (2, 2, 0)
    assert done.outcomes["k.cu"].kernels == ("add", "sub")
    assert len(done.outcomes["k.cu"].remaining) == 1
    assert done.read("k.cu") == FILES["k.cu"] and done.read("b.cpp") == FILES["b.cpp"]
