"""Devices of tensors are of no use where nothing is placed."""

from __future__ import annotations

from ..converting import converted

HEAD = "import torch\n\n\ndef positions(x):\n    b, t = x.size()\n    device = x.device\n"


def test_a_device_that_only_places_tensors_goes() -> None:
    text = converted(f"{HEAD}    return torch.arange(0, t, device=device)\n").text
    assert text.endswith("    b, t = x.shape\n    return ops.arange(0, t)\n")


def test_a_device_that_is_looked_at_is_the_name_of_that_of_the_process() -> None:
    text = converted(f"{HEAD}    print(device)\n    return torch.arange(0, t, device=device)\n").text
    assert (
        "    device = ms.get_context('device_target')\n    print(device)\n    return ops.arange(0, t)\n"
        in text
    )


def test_a_part_of_a_device_is_left() -> None:
    text = f"{HEAD}    return torch.zeros(t), x.device.index\n"
    assert converted(text).text == text
