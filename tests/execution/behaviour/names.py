"""Names: those of this version of torch_npu, no others."""

import importlib

import pytest
import torch
import torch_npu
from torch_npu._surface import NotSimulated

VERSION = torch.torch_version.TorchVersion(torch_npu.__version__)


ABSENT = (
    "CUDAGraph",
    "CUDAPluggableAllocator",
    "OutOfMemoryError",
    "comm",
    "cudart",
    "get_arch_list",
    "nccl",
    "nvtx",
)


@pytest.mark.parametrize("name", ABSENT)
def test_names_that_exist_in_no_version(name):
    assert not hasattr(torch_npu.npu, name)
    with pytest.raises(AttributeError, match=name):
        getattr(torch.npu, name)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"torch_npu.npu.{name}")


def test_fork_rng_is_not_in_torch_npu():
    with pytest.raises(AttributeError):
        _ = torch_npu.npu.random.fork_rng


def test_a_name_that_came_later():
    name = "host_memory_stats"
    if VERSION < (2, 7):
        assert not hasattr(torch_npu.npu, name) and not hasattr(torch_npu.npu.memory, name)
    else:
        with pytest.raises(NotSimulated, match=f"which torch_npu {torch_npu.__version__} has"):
            getattr(torch_npu.npu, name)


def test_what_the_real_one_has_and_this_one_lacks_fails_loudly():
    with pytest.raises(NotSimulated, match=r"torch_npu\.npu\.FloatStorage"):
        _ = torch_npu.npu.FloatStorage
    with pytest.raises(NotSimulated, match="npu_grouped_matmul"):
        _ = torch_npu.npu_grouped_matmul


def test_imports():
    from torch.npu.amp import GradScaler as second
    from torch_npu.npu import amp, synchronize
    from torch_npu.npu.amp import GradScaler, autocast

    assert amp.autocast is autocast and second is GradScaler and synchronize is torch.npu.synchronize
    with pytest.raises(ImportError):
        from torch_npu.npu import nvtx  # noqa: F401


def test_torchs_profiler_knows_the_npu_only_in_new_versions():
    assert hasattr(torch.profiler.ProfilerActivity, "NPU") == (VERSION >= (2, 13))


def test_ranges_of_mstx():
    assert hasattr(torch_npu.npu.mstx, "range_push") == (
        VERSION[:2] in {(2, 7), (2, 9)} or VERSION >= (2, 11)
    )
