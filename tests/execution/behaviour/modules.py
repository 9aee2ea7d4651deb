"""Modules: moving them, and what ``Module.npu(device)`` makes of its argument in each version."""

import copy

import pytest
import torch
import torch_npu
from torch import nn


def heeds_its_argument():
    return torch_npu.__version__ == "2.7.1" or torch.torch_version.TorchVersion(torch_npu.__version__) >= (
        2,
        9,
    )


def test_module_npu_goes_to_the_current_device():
    assert nn.Linear(1, 1).npu().weight.device == torch.device("npu:0")
    with torch.npu.device(1):
        assert nn.Linear(1, 1).npu().weight.device == torch.device("npu:1")


def test_module_npu_with_an_int():
    assert nn.Linear(1, 1).npu(1).weight.device.index == int(heeds_its_argument())


@pytest.mark.parametrize("device", ["npu:1", torch.device("npu:1")])
def test_module_npu_with_anything_else(device):
    if heeds_its_argument():
        with pytest.raises(TypeError):
            nn.Linear(1, 1).npu(device)
    else:
        assert nn.Linear(1, 1).npu(device).weight.device.index == 0


def test_module_to_goes_to_the_given_device():
    for device in ("npu:1", torch.device("npu", 1), 1):
        assert nn.Linear(1, 1).to(device).weight.device == torch.device("npu:1")


def test_buffers_and_copies_go_along():
    module = nn.BatchNorm1d(2).npu()
    assert module.running_mean.is_npu and copy.deepcopy(module).weight.is_npu


def test_packed_sequences():
    packed = nn.utils.rnn.pack_sequence([torch.ones(3, 2), torch.ones(2, 2)]).npu()
    assert packed.is_npu and packed.data.is_npu
