"""Statements that choose or prepare a device."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch\n\nx = torch.zeros(2)\n"
DONE = "from mindspore import ops\n\nx = ops.zeros(2)\n"


@pytest.mark.parametrize(
    "line",
    [
        "torch.set_float32_matmul_precision('high')",
        "torch.set_default_device('cuda')",
        "torch.set_default_tensor_type('torch.cuda.FloatTensor')",
        "torch.cuda.nvtx.range_push('step')",
        "torch.backends.cudnn.benchmark = True",
    ],
)
def test_what_changes_no_result_goes(line: str) -> None:
    assert converted(f"{HEAD}{line}\n").text == DONE


@pytest.mark.parametrize("call", ["torch.set_default_device('cuda')", "torch.cuda.nvtx.range_push('step')"])
@pytest.mark.parametrize("use", ["y = {}", "print({})", "y = [{}]", "if {}:\n    pass", "{}.close()"])
def test_what_is_more_than_a_statement_keeps_the_file(call: str, use: str) -> None:
    answer = converted(f"{HEAD}{use.format(call)}\n")
    assert answer.text == f"{HEAD}{use.format(call)}\n"
    assert answer.blockers


def test_a_module_is_not_placed() -> None:
    text = "import torch\n\nnet = torch.nn.Linear(2, 1)\nnet.to(device)\nnet.cuda()\nprint(net)\n"
    assert converted(text).text == "from mindspore import nn\n\nnet = nn.Dense(2, 1)\nprint(net)\n"


def test_the_number_of_the_device_is_set_for_the_process() -> None:
    text = converted(f"{HEAD}torch.cuda.set_device(args.gpu)\n").text
    assert text.endswith("ms.set_device(ms.get_context('device_target'), args.gpu)\n")


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ("torch.cuda.set_device('cuda:1')", "torch.cuda.set_device('cuda:1')", "device"),
        ("torch.cuda.set_device(device)", "torch.cuda.set_device(device)", "device"),
        (
            "torch.set_default_tensor_type('torch.HalfTensor')",
            "torch.set_default_tensor_type('torch.HalfTensor')",
            "no-target",
        ),
    ],
)
def test_what_has_no_number_or_another_type_keeps_the_file(line: str, place: str, reason: str) -> None:
    assert converted(f"{HEAD}{line}\n").blockers == {place: reason}


def test_a_condition_is_kept_together_where_it_is_compared() -> None:
    text = converted(f"{HEAD}off = torch.cuda.is_available() == False\n").text
    assert text.endswith("off = (ms.get_context('device_target') != 'CPU') == False\n")


def test_the_device_of_a_model_that_only_places_tensors_goes() -> None:
    body = "    d = next(net.parameters()).device\n    return torch.ones(3, device=d)\n"
    text = converted(f"import torch\n\ndef f(net):\n{body}").text
    assert text.endswith("def f(net):\n    return ops.ones(3)\n")
