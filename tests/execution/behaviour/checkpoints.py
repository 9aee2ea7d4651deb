"""Saving on one device, loading to another."""

import io

import pytest
import torch
import torch_npu  # noqa: F401
from torch import nn


@pytest.fixture
def saved():
    file = io.BytesIO()
    model = nn.Linear(2, 2).to("npu:0")
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2, device="npu")).sum().backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    return file


@pytest.mark.parametrize(
    ("map_location", "device"),
    [
        (None, "npu:0"),
        ("cpu", "cpu"),
        ("npu", "npu:0"),
        ("npu:1", "npu:1"),
        (torch.device("npu", 1), "npu:1"),
        ({"npu:0": "npu:1"}, "npu:1"),
        ({"cuda:0": "npu:1"}, "npu:0"),
        (lambda storage, location: storage, "cpu"),
        (lambda storage, location: storage.npu(1), "npu:1"),
    ],
)
def test_map_location(saved, map_location, device):
    state = torch.load(saved, map_location=map_location)
    assert state["model"]["weight"].device == torch.device(device)
    assert state["optimizer"]["state"][0]["exp_avg"].device == torch.device(device)


def test_a_loaded_state_continues_on_the_device(saved):
    state = torch.load(saved, map_location="npu:0")
    model = nn.Linear(2, 2).npu()
    optimizer = torch.optim.Adam(model.parameters())
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    model(torch.ones(1, 2, device="npu")).sum().backward()
    optimizer.step()


def test_a_device_that_is_not_there(saved):
    with pytest.raises(RuntimeError):
        torch.load(saved, map_location="npu:5")
    saved.seek(0)
    with pytest.raises(RuntimeError, match="CUDA"):
        torch.load(saved, map_location="cuda:0")
