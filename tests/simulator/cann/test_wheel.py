"""What a wheel needs of CANN is read from its own libraries."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpu2ascend_simulator.cann.wheel import Wheel, needs_of
from tests.simulator.cann.libraries import library

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are no wheels for other systems")


def wheel(folder: Path) -> Wheel:
    """A torch_npu that calls a function of CANN, one of torch, one of its own and one of Python."""
    library(folder / "torch" / "lib" / "libc10.so", "int of_torch(void) { return 1; }")
    library(folder / "cann" / "libhccl.so", "int HcclSend(void) { return 1; }")
    library(folder / "torch_npu" / "lib" / "libtorch_npu.so", "int own(void) { return 1; }")
    text = """
    #include <stdlib.h>
    int of_torch(void), own(void), HcclSend(void), Py_IsInitialized(void), _ZN5torch1fEv(void);
    int _ZN2ge1fEv(void);
    int all(void)
    {
        return of_torch() + own() + HcclSend() + Py_IsInitialized() + _ZN5torch1fEv() + _ZN2ge1fEv() + rand();
    }
    """
    options = (
        f"-L{folder / 'cann'}",
        f"-L{folder / 'torch' / 'lib'}",
        "-Wl,--no-as-needed",
        "-lhccl",
        "-lc10",
    )
    library(folder / "torch_npu" / "_C.cpython-312.so", text, *options)
    return Wheel("2.8.0", "2.8.0", folder / "torch_npu", folder / "torch")


def test_only_functions_that_nobody_brings(tmp_path: Path) -> None:
    assert needs_of(wheel(tmp_path)).functions == ("HcclSend", "_ZN2ge1fEv")


def test_libraries_that_nobody_brings_and_those_that_are_opened_by_name(tmp_path: Path) -> None:
    assert needs_of(wheel(tmp_path)).libraries == (
        *("libascend_hal.so", "libhccl.so", "libhcomm.so", "libmsprofiler.so"),
        *("libnnopbase.so", "libopapi.so"),
    )


def test_a_torch_for_the_cpu_wants_nothing_of_cuda(tmp_path: Path) -> None:
    assert needs_of(wheel(tmp_path))[2:] == ((), ())


def built_for_cuda(folder: Path) -> Wheel:
    """A torch that wants two libraries of CUDA, and calls a function of one."""
    found = wheel(folder)
    library(folder / "cuda" / "libcudart.so.12", "int cudaGetDeviceCount(int *count) { return 0; }")
    library(folder / "cuda" / "libcublas.so.12", "int cublasCreate_v2(void) { return 0; }")
    text = "int cudaGetDeviceCount(int *); int f(int *n) { return cudaGetDeviceCount(n); }"
    options = (f"-L{folder / 'cuda'}", "-Wl,--no-as-needed", "-l:libcudart.so.12", "-l:libcublas.so.12")
    library(folder / "torch" / "lib" / "libc10_cuda.so", text, *options)
    return found


def test_a_torch_built_for_cuda_wants_what_this_machine_lacks_of_it(tmp_path: Path) -> None:
    needs = needs_of(built_for_cuda(tmp_path))
    assert needs.cuda_libraries == ("libcublas.so.12", "libcudart.so.12")
    assert needs.cuda_functions == ("cudaGetDeviceCount",)


def test_what_pip_has_installed_of_cuda_is_not_wanted(tmp_path: Path) -> None:
    found = built_for_cuda(tmp_path)
    for name in ("libcudart.so.12", "libcublas.so.12"):
        library(tmp_path / "nvidia" / "cuda" / "lib" / name, "int f(void) { return 0; }")
    assert needs_of(found).cuda_libraries == ()
