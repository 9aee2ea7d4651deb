"""The stand-ins for CANN's libraries are built for what a wheel needs."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend_simulator.cann.build import MAIN, BuildError, built
from gpu2ascend_simulator.cann.wheel import Needs
from tests.simulator.cann.libraries import compiler, library

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="there are no wheels for other systems"),
]

NEEDS = Needs((MAIN, "libhccl.so"), ("aclrtMalloc", "rtKernelLaunch"))
GIB = 1 << 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler()
    return built(NEEDS, tmp_path_factory.mktemp("cache"))


def run(folder: Path, program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A program with the library as ``cann``: each has its own devices."""
    begin = f"""
from ctypes import *
cann = CDLL({str(folder / "libhccl.so")!r})
cann.aclGetRecentErrMsg.restype = c_char_p
def said(code): return code, (cann.aclGetRecentErrMsg() or b"").decode()
"""
    env = {**os.environ, **variables}
    return subprocess.run(
        [sys.executable, "-c", begin + program], env=env, capture_output=True, text=True, check=True
    )


def test_a_function_without_a_meaning_fails_by_its_name(folder: Path) -> None:
    done = run(folder, "print(*said(cann.rtKernelLaunch()))")
    assert done.stdout == "207000 The emulated CANN does not have rtKernelLaunch.\n"


def test_it_is_said_on_the_standard_error_once(folder: Path) -> None:
    done = run(folder, "cann.rtKernelLaunch(); cann.rtKernelLaunch()")
    assert done.stderr == "gpu2ascend: the emulated CANN does not have rtKernelLaunch, which was called.\n"


def test_a_torch_built_for_cuda_finds_no_gpu(tmp_path: Path) -> None:
    names = ("libcublas.so.12", "libcudart.so.12")
    made = built(NEEDS._replace(cuda_libraries=names, cuda_functions=("cudaGetDeviceCount",)), tmp_path)
    program = "print([CDLL(f'{folder}/{name}').cudaGetDeviceCount(None) for name in names])"
    done = run(made, f"folder, names = {str(made)!r}, {names!r}\n{program}")
    assert done.stdout == "[100, 100]\n"


NAMES = "N3c1016CachingAllocator26AcceleratorAllocatorConfig14getMutableKeysB5cxx11Ev"
SET = "struct set { void *b; long count; void *f; long size; float l; long n; void *o; }"


@pytest.mark.parametrize("gives", ["a variable", "a function"])
def test_names_that_cuda_has_told_torch_are_forgotten(folder: Path, tmp_path: Path, gives: str) -> None:
    variable, function = f"_ZZ{NAMES}E4keys", f"_Z{NAMES}"
    text = f"{SET} {variable} = {{0, 13, 0, 15, 1, 13, 0}};"
    called = (
        f"{SET} {variable}2 = {{0, 13, 0, 15, 1, 13, 0}}; void *{function}(void) {{ return &{variable}2; }}"
    )
    libraries = {"libc10.so": called if gives == "a function" else "int f;", "libc10_cuda.so": text}
    for name, source in libraries.items():
        library(tmp_path / name, source, f"-Wl,-soname,{name}")
    place = ("libc10.so", f"{variable}2") if gives == "a function" else ("libc10_cuda.so", variable)
    program = f"""
from ctypes import *
loaded = {{name: CDLL({str(tmp_path)!r} + "/" + name) for name in {tuple(libraries)!r}}}
words = (c_long * 4).in_dll(loaded[{place[0]!r}], {place[1]!r})
print(words[3])
CDLL({str(folder / "libhccl.so")!r})
print(words[1], words[3])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "15\n1 0\n"


def test_a_function_that_only_is_looked_up_is_not_there(folder: Path) -> None:
    library = ctypes.CDLL(str(folder / MAIN))
    assert hasattr(library, "aclrtSetDevice")
    assert not hasattr(library, "aclrtGetHardwareSyncAddr")


def test_an_operator_of_a_graph_fails_by_its_name(folder: Path) -> None:
    done = run(folder, 'print(said(cann.aclopCompileAndExecute(b"Transpose"))[1])')
    assert done.stdout == "EZ3003: The emulated CANN does not compute the operator Transpose.\n"


MEMORY = """
place = c_void_p()
codes = [cann.aclrtMalloc(byref(place), c_size_t(size), 0) for size in (700, 2 << 20, 300)]
free, total = c_size_t(), c_size_t()
cann.aclrtGetMemInfo(1, byref(free), byref(total))
print(codes, total.value - free.value, cann.aclrtFree(place))
"""


def test_memory_ends_and_is_counted_in_blocks(folder: Path) -> None:
    done = run(folder, MEMORY, GPU2ASCEND_NPU_MEMORY=str(1 << 20))
    assert done.stdout == "[0, 207001, 0] 1536 0\n"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("aclrtSetDevice(9)", (107001, "EE1001: The argument is invalid.Reason: Invalid device ID 9")),
        ("aclrtGetDevice(None)", (107002, "EE1001: The argument is invalid.Reason: This thread has no")),
        ("aclrtMalloc(byref(c_void_p()), c_size_t(3 << 30), 0)", (207001, "EL0004: Failed to allocate mem")),
    ],
)
def test_errors_have_codes_and_texts_of_the_runtime(folder: Path, call: str, said: tuple[int, str]) -> None:
    code, begin = said
    assert run(folder, f"print(*said(cann.{call}))").stdout.startswith(f"{code} {begin}")


def test_memory_that_was_not_allocated_is_not_freed(folder: Path) -> None:
    assert run(folder, "print(cann.aclrtFree(c_void_p(4096)))").stdout == "107000\n"


def test_a_copy_does_not_go_beyond_its_room(folder: Path) -> None:
    done = run(
        folder, 'print(cann.aclrtMemcpy(create_string_buffer(4), c_size_t(4), b"12345", c_size_t(5), 0))'
    )
    assert done.stdout == "107000\n"


def test_a_thread_has_no_context_until_it_sets_a_device(folder: Path) -> None:
    ask = "cann.aclrtGetDevice(byref(n))"
    program = f"n = c_int(); print({ask}, cann.aclrtSetDevice(1), {ask}, n.value)"
    assert run(folder, program).stdout == "107002 0 0 1\n"


COUNT = "n = c_uint(); cann.aclrtGetDeviceCount(byref(n)); print(n.value)"


@pytest.mark.parametrize(
    ("variables", "count"),
    [
        ({}, 2),
        ({"LOCAL_WORLD_SIZE": "4"}, 4),
        ({"GPU2ASCEND_NPU_COUNT": "1"}, 1),
        ({"ASCEND_RT_VISIBLE_DEVICES": "1,3,5"}, 3),
        ({"ASCEND_RT_VISIBLE_DEVICES": "3,1"}, 0),
        ({"ASCEND_RT_VISIBLE_DEVICES": "0,9"}, 1),
        ({"ASCEND_RT_VISIBLE_DEVICES": ""}, 0),
        ({"ASCEND_RT_VISIBLE_DEVICES": "one"}, 0),
    ],
)
def test_devices_that_are_visible(folder: Path, variables: dict[str, str], count: int) -> None:
    assert run(folder, COUNT, **variables).stdout == f"{count}\n"


RESERVED = f"""
space, part = c_void_p(), c_void_p()
codes = [cann.aclrtReserveMemAddress(byref(space), c_size_t({GIB}), 0, None, c_uint64(0))]
codes += [cann.aclrtMallocPhysical(byref(part), c_size_t(4096), None, c_uint64(0))]
codes += [cann.aclrtMapMem(space, c_size_t(4096), c_size_t(0), part, c_uint64(0))]
memset(space, 7, 4096)
codes += [cann.aclrtUnmapMem(space), cann.aclrtFreePhysical(part), cann.aclrtReleaseMemAddress(space)]
print(codes)
"""


def test_segments_that_can_grow(folder: Path) -> None:
    assert run(folder, RESERVED).stdout == "[0, 0, 0, 0, 0, 0]\n"


def test_it_is_built_once(folder: Path) -> None:
    assert built(NEEDS, folder.parent, compiler=("false",)) == folder


def test_other_needs_are_another_folder(folder: Path, tmp_path: Path) -> None:
    assert built(NEEDS._replace(functions=("aclrtMalloc",)), tmp_path).name != folder.name


def test_two_builds_are_alike(folder: Path, tmp_path: Path) -> None:
    again = built(NEEDS, tmp_path)
    assert (again / MAIN).read_bytes() == (folder / MAIN).read_bytes()


ALL = NEEDS._replace(
    libraries=tuple(f"lib{number}.so" for number in range(10)),
    functions=tuple(f"aclnn{number}GetWorkspaceSize" for number in range(100)),
    cuda_libraries=tuple(f"libcu{number}.so.12" for number in range(16)),
    cuda_functions=tuple(f"cudnnBackendFunction{number}" for number in range(1000)),
)
"""More than any wheel beside a torch that is built for CUDA."""


@pytest.mark.parametrize("needs", [NEEDS, ALL])
def test_it_is_small(needs: Needs, folder: Path) -> None:
    made = built(needs, folder.parent)
    assert sum(path.lstat().st_size for path in made.rglob("*")) < 200_000


def test_a_compiler_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(BuildError):
        built(NEEDS, tmp_path, compiler=("false",))
    assert list(tmp_path.iterdir()) == []
