"""What is asked of a device is asked of the name that MindSpore has for it."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch\n\ndevice = torch.device('cuda:0')\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("device.type == 'cuda'", "device != 'CPU'"),
        ("device.type != 'cuda'", "device == 'CPU'"),
        ("device.type == 'cpu'", "device == 'CPU'"),
        ("str(device) == 'cuda:0'", "device != 'CPU'"),
        ("'cuda' in str(device)", "device != 'CPU'"),
        ("device != 'cpu'", "device != 'CPU'"),
        ("device is not None", "device is not None"),
    ],
)
def test_a_comparison_with_a_name_of_torch(before: str, after: str) -> None:
    text = converted(f"{HEAD}on = {before}\n").text
    assert text.partition("\n\n")[2] == f"device = ms.get_context('device_target')\non = {after}\n"


@pytest.mark.parametrize(
    "asked", ["device.type.upper()", "device == torch.device('cpu')", "device.type == x"]
)
def test_what_the_name_does_not_answer_keeps_the_file(asked: str) -> None:
    answer = converted(f"{HEAD}on = {asked}\n")
    assert "device" in answer.blockers.values()


def test_a_device_that_a_program_was_told_is_no_attribute_of_a_tensor() -> None:
    text = converted("import torch\n\nprint(args.device)\nx = torch.zeros(2).to(args.device)\n").text
    assert text.endswith("print(args.device)\nx = ops.zeros(2)\n")


def test_the_type_of_anything_but_a_device_stays() -> None:
    text = converted("import torch\n\nx = torch.zeros(2)\ny = event.type == 'cuda'\n").text
    assert text.endswith("y = event.type == 'cuda'\n")
