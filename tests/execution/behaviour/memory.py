"""Memory: counted, limited, pinned. Runs with 1 GiB a device."""

import pytest
import torch
import torch_npu
from torch.utils.data import DataLoader, TensorDataset

MIB = 1 << 20


def test_counting():
    before = torch.npu.memory_allocated()
    torch.npu.reset_peak_memory_stats()
    tensor = torch.empty(4 * MIB, dtype=torch.uint8, device="npu")
    assert torch.npu.memory_allocated() - before == 4 * MIB
    assert torch.npu.memory_reserved() >= torch.npu.memory_allocated()
    assert torch.npu.memory_allocated("npu:1") == 0
    del tensor
    assert torch.npu.memory_allocated() == before
    assert torch.npu.max_memory_allocated() == before + 4 * MIB
    torch.npu.empty_cache()
    torch.npu.reset_peak_memory_stats()
    assert torch.npu.max_memory_allocated() == before


def test_reports():
    free, total = torch.npu.mem_get_info()
    assert 0 < free <= total == torch.npu.get_device_properties(0).total_memory
    assert torch.npu.memory_stats()["allocated_bytes.all.peak"] == torch.npu.max_memory_allocated()
    nested = torch.npu.memory_stats_as_nested_dict()
    assert nested["allocated_bytes"]["all"]["peak"] == torch.npu.max_memory_allocated()
    assert "allocated_bytes.all.current" in torch.npu.memory_summary()
    assert torch_npu.npu.memory.memory_allocated() == torch.npu.memory_allocated()


def test_out_of_memory():
    typed = torch.torch_version.TorchVersion(torch_npu.__version__) >= (2, 6)
    for _ in range(3):
        with pytest.raises(RuntimeError, match=r"NPU out of memory\. Tried to allocate") as caught:
            torch.empty(2 << 30, dtype=torch.uint8, device="npu")
        assert isinstance(caught.value, torch.OutOfMemoryError) == typed
    assert torch.ones(2, device="npu").sum().item() == 2.0
    assert torch.cuda.OutOfMemoryError is torch.OutOfMemoryError


def test_a_fraction_of_the_memory():
    torch.npu.set_per_process_memory_fraction(0.25, "npu:1")
    with pytest.raises(RuntimeError, match="out of memory"):
        torch.empty(300 * MIB, dtype=torch.uint8, device="npu:1")
    torch.npu.set_per_process_memory_fraction(1.0, "npu:1")
    torch.empty(300 * MIB, dtype=torch.uint8, device="npu:1")


def test_pinning():
    assert not torch.ones(2).is_pinned()
    pinned = torch.ones(2).pin_memory()
    assert pinned.is_pinned() and pinned.npu(non_blocking=True).tolist() == [1.0, 1.0]
    data = TensorDataset(torch.arange(8))
    assert all(batch.is_pinned() for (batch,) in DataLoader(data, 4, pin_memory=True))
    assert not any(batch.is_pinned() for (batch,) in DataLoader(data, 4))


def test_loading_data_in_other_processes():
    data = TensorDataset(torch.arange(8))
    torch.ones(2, device="npu")
    loader = DataLoader(data, 4, num_workers=2, pin_memory=True)
    assert [batch.npu().tolist() for (batch,) in loader] == [[0, 1, 2, 3], [4, 5, 6, 7]]
