"""Data on its way to the device: loaders, workers, pinned memory."""

import torch
from torch.utils.data import DataLoader, TensorDataset

from gpu2ascend_simulator.device import standalone

standalone.start()
DATA = TensorDataset(torch.arange(8.0), torch.arange(8))


def test_loaders_pin_their_batches():
    for batch, label in DataLoader(DATA, 4, pin_memory=True):
        assert batch.is_pinned() and label.is_pinned()
        assert batch.to("npu", non_blocking=True).is_npu
    assert not any(batch.is_pinned() for batch, _ in DataLoader(DATA, 4))


def test_loaders_with_workers_and_pinning():
    torch.ones(2, device="npu")
    loader = DataLoader(DATA, 4, num_workers=2, pin_memory=True, persistent_workers=True)
    for _ in range(2):
        batches = list(loader)
        assert all(batch.is_pinned() for batch, _ in batches)
        assert [batch.npu().tolist() for batch, _ in batches] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_datasets_may_be_on_the_device():
    data = TensorDataset(torch.arange(4.0, device="npu"))
    assert [batch.tolist() for (batch,) in DataLoader(data, 2)] == [[0, 1], [2, 3]]


def test_tensors_are_pinned():
    plain = torch.ones(4)
    pinned = plain.pin_memory()
    assert pinned.is_pinned() and pinned[1:].is_pinned() and not plain.is_pinned()
    assert pinned.pin_memory() is pinned
    assert torch.equal(plain, pinned)
    assert not pinned.clone().is_pinned()


def test_tensors_are_made_pinned():
    for made in (
        torch.empty(2, pin_memory=True),
        torch.zeros(2, 3, pin_memory=True),
        torch.tensor([1.0], pin_memory=True),
        torch.empty_like(torch.ones(2), pin_memory=True),
        torch.randn(2, pin_memory=True),
        torch.ones(1).new_empty(2, pin_memory=True),
    ):
        assert made.is_pinned() and made.is_cpu
    assert not torch.empty(2, pin_memory=False).is_pinned()


def test_storages_are_pinned():
    storage = torch.ones(2).untyped_storage()
    assert storage.pin_memory().is_pinned() and not storage.is_pinned()
