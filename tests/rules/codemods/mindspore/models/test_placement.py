"""Devices of tensors are of no use where nothing is placed."""

from __future__ import annotations

from ..converting import converted

HEAD = "import torch\n\n\ndef positions(x):\n    b, t = x.size()\n    device = x.device\n"


def test_a_device_that_only_places_tensors_goes() -> None:
    text = converted(f"{HEAD}    return torch.arange(0, t, device=device)\n").text
    assert text.endswith("    b, t = x.shape\n    return ops.arange(0, t)\n")


def test_a_device_that_is_looked_at_is_left() -> None:
    text = f"{HEAD}    print(device)\n    return torch.arange(0, t, device=device)\n"
    assert converted(text).text == text
