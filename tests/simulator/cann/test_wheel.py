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
    int all(void) { return of_torch() + own() + HcclSend() + Py_IsInitialized() + _ZN5torch1fEv() + rand(); }
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
    assert needs_of(wheel(tmp_path)).functions == ("HcclSend",)


def test_libraries_that_nobody_brings_and_those_that_are_opened_by_name(tmp_path: Path) -> None:
    assert needs_of(wheel(tmp_path)).libraries == ("libhccl.so", "libnnopbase.so", "libopapi.so")
