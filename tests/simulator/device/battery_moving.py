"""Tensors and modules on their way between devices."""

import copy
from multiprocessing.reduction import ForkingPickler

import numpy
import pytest
import torch
from torch import nn

from gpu2ascend_simulator.device import library, standalone

standalone.start()


def test_parameters_keep_their_identity_when_a_module_moves():
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    before = list(model.parameters())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model.to("npu:1")
    assert all(one is other for one, other in zip(before, model.parameters(), strict=True))
    assert all(parameter.device == torch.device("npu:1") for parameter in before)
    old = model[0].weight.detach().clone()
    model(torch.randn(4, 2, device="npu:1")).square().sum().backward()
    optimizer.step()
    assert not torch.equal(old, model[0].weight)


def test_gradients_move_with_their_parameters():
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    layer.to("npu")
    assert layer.weight.grad.is_npu
    layer.cpu()
    assert layer.weight.grad.device.type == "cpu" and layer.weight.is_leaf


def test_shared_parameters_stay_shared():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.head = nn.Embedding(4, 3), nn.Linear(3, 4, bias=False)
            self.head.weight = self.table.weight

    tied = Tied().to("npu")
    assert tied.head.weight is tied.table.weight and tied.head.weight.is_npu


def test_modules_have_a_method_of_the_device():
    assert nn.Linear(1, 1).npu().weight.is_npu
    with standalone.device(1):
        assert nn.Linear(1, 1).npu().weight.device.index == 1


def test_modules_move_and_change_their_type_at_once():
    layer = nn.Linear(2, 2).to("npu", torch.bfloat16)
    assert layer.weight.dtype == torch.bfloat16 and layer(torch.ones(1, 2, device="npu").bfloat16()).is_npu


def test_modules_are_made_on_the_device():
    assert nn.Linear(2, 2, device="npu:1").weight.device.index == 1
    with torch.device("npu"):
        assert nn.Linear(2, 2).weight.is_npu


def test_modules_leave_the_meta_device():
    with torch.device("meta"):
        layer = nn.Linear(2, 2)
    assert layer.to_empty(device="npu").weight.is_npu


def test_copies_are_deep():
    model = nn.Linear(2, 2).to("npu")
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.weight.zero_()
    assert other.weight.is_npu and model.weight.abs().sum() > 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.int64, torch.bool, torch.complex64, torch.float64])
def test_values_survive_every_way(dtype):
    data = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    there = data.to("npu", non_blocking=True)
    for back in (there.cpu(), there.to("npu:1").cpu(), there.t().to("cpu").t(), there[:, ::2].cpu()):
        assert torch.equal(back, data if back.shape == data.shape else data[:, ::2])


def test_conjugates_and_negatives_are_moved_by_value():
    data = torch.tensor([1 + 2j, 3 - 1j])
    there = data.to("npu")
    assert there.conj().cpu().tolist() == data.conj().tolist()
    assert there.conj().imag.cpu().tolist() == data.conj().imag.tolist()
    assert there.conj().to("npu:1").tolist() == data.conj().tolist()


def test_arrays_become_tensors():
    array = numpy.arange(4, dtype=numpy.float32)
    assert torch.from_numpy(array).to("npu").tolist() == torch.as_tensor(array, device="npu").tolist()
    assert torch.tensor(array, device="npu:1").device.index == 1


def test_an_integer_is_a_device():
    assert torch.ones(2, device=1).device == torch.ones(2).to(1).device == torch.device("npu:1")


def test_the_device_without_an_index_is_the_current_one():
    with standalone.device(1):
        for made in (
            torch.ones(2, device="npu"),
            torch.tensor([1], device="npu"),
            torch.as_tensor([1], device=torch.device("npu")),
            torch.ones(2).to("npu"),
            torch.ones(2).to(device="npu"),
            torch.ones(2).npu(),
            nn.Linear(1, 1).to("npu").weight,
            torch.randint(0, 3, (2,), device="npu"),
        ):
            assert made.device.index == 1
    assert library.current_device() == 0


def test_the_default_device():
    torch.set_default_device("npu")
    try:
        made = [torch.ones(2), torch.tensor([1.0]), torch.arange(3), torch.randn(2), nn.Linear(2, 2).weight]
        assert all(tensor.is_npu for tensor in made)
        made[4].square().sum().backward()
        assert torch.ones(2, device="cpu").is_cpu
    finally:
        torch.set_default_device(None)


def test_the_default_device_without_an_index_is_the_current_one():
    torch.set_default_device("npu")
    try:
        with standalone.device(1):
            made = torch.ones(2), torch.tensor([1.0]), torch.as_tensor([1]), nn.Linear(1, 1).weight
            assert {tensor.device.index for tensor in made} == {1}
            assert torch.get_default_device() == torch.device("npu:1")
    finally:
        torch.set_default_device(None)
    with standalone.device(1), torch.device("npu"):
        assert torch.tensor([1.0]).device.index == 1


def test_memory_formats_survive():
    data = torch.randn(2, 3, 4, 4).to("npu", memory_format=torch.channels_last)
    assert data.is_contiguous(memory_format=torch.channels_last)
    assert data.clone().is_contiguous(memory_format=torch.channels_last)
    assert nn.Conv2d(3, 2, 1).to("npu", memory_format=torch.channels_last)(data).is_npu


def test_packed_sequences_move():
    packed = nn.utils.rnn.pack_sequence([torch.ones(3, 2), torch.ones(2, 2)]).to("npu")
    assert packed.data.is_npu


def test_tensors_of_other_kinds_are_made_like_one_of_the_device():
    there = torch.ones(2, 3, device="npu:1")
    for made in (torch.zeros_like(there), there.new_ones(2), there.new_tensor([1]), torch.empty_like(there)):
        assert made.device == there.device
    assert torch.zeros(1).to(there).device == there.device and torch.ones(1).type_as(there).is_npu


def test_tensors_of_the_device_cannot_be_sent_to_other_processes():
    with pytest.raises((RuntimeError, NotImplementedError)):
        ForkingPickler.dumps(torch.ones(2, device="npu"))


def test_copies_to_the_cpu_need_not_block():
    assert torch.ones(2, device="npu").to("cpu", non_blocking=True).tolist() == [1.0, 1.0]
