"""Data loaders that pin memory: where the device of it is written."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed

HEAD = "from torch.utils.data import DataLoader\nimport torch_npu\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "c = {'pin_memory': True}\nl = DataLoader(d, **c)\n",
            "c = {'pin_memory': True, 'pin_memory_device': 'npu'}\nl = DataLoader(d, **c)\n",
        ),
        (
            'c = {"pin_memory": cuda}\nl = DataLoader(d, **c)\n',
            'c = {"pin_memory": cuda, "pin_memory_device": "npu"}\nl = DataLoader(d, **c)\n',
        ),
        (
            "c = dict(pin_memory=True)\nl = DataLoader(d, **c)\n",
            "c = dict(pin_memory=True, pin_memory_device='npu')\nl = DataLoader(d, **c)\n",
        ),
        (
            "l = DataLoader(\n    d,\n    pin_memory = True\n)\n",
            "l = DataLoader(\n    d,\n    pin_memory = True,\n    pin_memory_device = 'npu'\n)\n",
        ),
    ],
)
def test_beside_what_pins(before: str, after: str) -> None:
    assert fixed("NPU801", HEAD + before, version="2.6.0") == HEAD + after


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("c = {'pin_memory': True}\nl = other(d, **c)\n", id="of something else"),
        pytest.param("c = {'x': 'pin_memory'}\nl = DataLoader(d, **c)\n", id="a value"),
        pytest.param("c = {'no pin_memory': True}\nl = DataLoader(d, **c)\n", id="another key"),
        pytest.param("c = {'pin_memory' + x: True}\nl = DataLoader(d, **c)\n", id="a part of a key"),
        pytest.param("c = ['pin_memory']\nl = DataLoader(d, *c)\n", id="no dictionary"),
        pytest.param("c = {'pin_memory': False}\nl = DataLoader(d, **c)\n", id="nothing is pinned"),
        pytest.param(
            "c = {'pin_memory': True, 'pin_memory_device': x}\nl = DataLoader(d, **c)\n", id="has one"
        ),
    ],
)
def test_nothing_is_written_beside(text: str) -> None:
    pinned = "l = DataLoader(d, pin_memory=True)\n"
    written = "l = DataLoader(d, pin_memory=True, pin_memory_device='npu')\n"
    assert fixed("NPU801", HEAD + text + pinned, version="2.6.0") == HEAD + text + written
