"""NPU1401 on whole projects: each source that needs CUDA has one finding, and its kernels are listed once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend_rules.model.finding import Severity
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


@pytest.mark.parametrize(
    ("include", "message"),
    [("cuda/own.cuh", "NPU1401.code"), ("cuda/other.cuh", "NPU1401.header"), ("cuda.h", "NPU1401.header")],
)
def test_a_header_of_the_project_is_none_of_the_toolkit(tmp_path: Path, include: str, message: str) -> None:
    files = {"src/cuda/own.cuh": "struct A;\n", "src/cuda/k.cu": f'#include "{include}"\n', "a.py": PLAIN}
    root = make_tree(tmp_path / "proj", files)
    found = {Path(file.path).name: file.findings for file in check_paths([root], OPTIONS)}
    assert [item.message.id for item in found["k.cu"]] == [message]


@pytest.mark.parametrize(
    ("files", "is_built"),
    [
        ({"setup.py": "CUDAExtension('k', ['csrc/k.cu'])\n"}, True),
        ({"setup.py": "import glob\nCUDAExtension('k', glob.glob('csrc/*.cu'))\n"}, True),
        ({"csrc/CMakeLists.txt": "add_library(k SHARED k.cu)\n"}, True),
        ({"csrc/ops.py": "from x.cpp_extension import load\nload('k', sources=['k.cu'])\n"}, True),
        ({"setup.py": "if os.name == 'nt':\n    CUDAExtension('k', ['csrc/k.cu'])\n"}, True),
        ({"setup.py": "CUDAExtension('k', ['csrc/other_k.cu'])\n"}, False),
        ({"setup.py": "CUDAExtension('k', glob.glob(os.path.join(here, 'src', '*.cu')))\n"}, False),
        ({"README.md": "add_library(k k.cu)\n"}, False),
        ({"csrc/ops.py": "#from x.cpp_extension import load\n# load('k', sources=['k.cu'])\n"}, False),
    ],
)
def test_it_is_an_error_where_the_project_builds_it_anywhere(
    tmp_path: Path, files: Files, is_built: bool
) -> None:
    root = make_tree(tmp_path / "proj", {"csrc/k.cu": "__global__ void f() {}\n", "a.py": PLAIN, **files})
    (found,) = [file.findings for file in check_paths([root], OPTIONS) if file.path.endswith("k.cu")]
    assert [item.severity is Severity.ERROR for item in found] == [is_built]
    assert [item.message.id for item in found] == ["NPU1401.built" if is_built else "NPU1401.code"]


OPS = """\
import torch
from x.cpp_extension import load

def _build():
    return load('k', sources=['k.cu'])

def f(x, impl='cuda'):
    if impl == 'cuda' and x.device.type == 'cuda':
        return _build().f(x)
    return x + 1
"""


def test_a_header_is_what_the_sources_are_that_include_it(tmp_path: Path) -> None:
    kernel = {"csrc/k.cu": '#include "k.h"\n__global__ void f() {}\n', "csrc/k.h": "#include <cuda.h>\n"}
    for script, message in ((OPS, "NPU1401.fallback"), (OPS.replace("== 'cuda'", "!= 0"), "NPU1401.header")):
        root = make_tree(tmp_path / message, {**kernel, "csrc/ops.py": script, "a.py": PLAIN})
        (found,) = [file.findings for file in check_paths([root], OPTIONS) if file.path.endswith("k.h")]
        assert [item.message.id for item in found] == [message]


def test_a_build_that_asks_for_cuda_is_left_out(tmp_path: Path) -> None:
    build = "    CUDAExtension('k', ['csrc/k.cu'])\n"
    script = f"import torch\nif torch.cuda.is_available():\n{build}else:\n    pass\n"
    root = make_tree(tmp_path / "proj", {"csrc/k.cu": "__global__ void f() {}\n", "setup.py": script})
    (found,) = [file.findings for file in check_paths([root], OPTIONS) if file.path.endswith("k.cu")]
    assert [item.message.id for item in found] == ["NPU1401.fallback"]


def test_it_is_advice_where_the_npu_takes_another_way(tmp_path: Path) -> None:
    root = make_tree(
        tmp_path / "proj", {"csrc/k.cu": "__global__ void f() {}\n", "csrc/ops.py": OPS, "a.py": PLAIN}
    )
    (found,) = [file.findings for file in check_paths([root], OPTIONS) if file.path.endswith("k.cu")]
    assert [(item.message.id, item.severity) for item in found] == [("NPU1401.fallback", Severity.HINT)]


@pytest.mark.parametrize("encoding", ["gbk", "utf-16", "latin-1"])
def test_the_encoding_of_a_source_is_of_no_account(tmp_path: Path, encoding: str) -> None:
    text = (
        "// \xfc\xdf\n#include <vector>\n"
        if encoding == "latin-1"
        else "// \u6ce8\u91ca\n#include <vector>\n"
    )
    root = make_tree(tmp_path / "proj", {"a.h": text.encode(encoding), "a.py": PLAIN})
    assert [(file.problem, file.findings) for file in check_paths([root], OPTIONS)] == [(None, ())] * 2
    cuda = text.replace("<vector>", "<cuda.h>")
    if encoding != "utf-16":
        make_tree(root, {"a.h": cuda.encode(encoding)})
        (found, _) = check_paths([root], OPTIONS)
        assert [item.code for item in found.findings] == ["NPU1401"]
