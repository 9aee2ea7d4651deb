"""Regions without gradients, flags of back ends, devices and files of weights."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch\n\n\n"


def test_a_region_without_gradients_leaves_its_body() -> None:
    text = (
        f"{HEAD}with torch.no_grad():\n    x = torch.zeros(3)\n    if x.sum():\n        x = x + 1\nprint(x)\n"
    )
    assert converted(text).text.partition("\n\n\n")[2] == (
        "x = ops.zeros(3)\nif x.sum():\n    x = x + 1\nprint(x)\n"
    )


def test_a_decorator_of_such_a_region_goes_with_its_line() -> None:
    text = f"{HEAD}@torch.no_grad()\ndef f():\n    return torch.zeros(3)\n"
    assert converted(text).text.partition("\n\n\n")[2] == "def f():\n    return ops.zeros(3)\n"


@pytest.mark.parametrize(
    "code",
    [
        'with torch.no_grad():\n    x = """a\n    b"""\n',
        "with torch.no_grad(), open('x') as f:\n    x = torch.zeros(3)\n",
        "region = torch.no_grad()\n",
    ],
    ids=["a string over lines", "with others", "kept in a variable"],
)
def test_a_region_is_left_where_to_take_it_out_could_change_something(code: str) -> None:
    answer = converted(HEAD + code)
    assert answer.text == HEAD + code
    assert "region" in answer.blockers.values()


def test_flags_of_back_ends_go_with_their_lines() -> None:
    text = f"{HEAD}torch.backends.cudnn.benchmark = True\nx = torch.zeros(3)\n"
    assert converted(text).text.endswith("\n\nx = ops.zeros(3)\n")


def test_tensors_and_modules_are_not_moved_and_the_device_is_that_of_the_context() -> None:
    text = (
        f"{HEAD}device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "net = torch.nn.Linear(3, 4).to(device)\nx = torch.zeros(2, 3, device=device).to(device)\n"
    )
    assert converted(text).text.partition("\n\n\n")[2] == (
        "device = ms.get_context('device_target')\nnet = nn.Dense(3, 4)\nx = ops.zeros((2, 3))\n"
    )


def test_the_weights_of_a_module_are_saved_and_loaded() -> None:
    text = (
        f"{HEAD}net = torch.nn.Linear(3, 4)\ntorch.save(net.state_dict(), 'net.pt')\n"
        "net.load_state_dict(torch.load('net.pt'))\n"
    )
    assert converted(text).text.partition("4)\n")[2] == (
        "ms.save_checkpoint(net, 'net.ckpt')\nms.load_param_into_net(net, ms.load_checkpoint('net.ckpt'))\n"
    )


def test_a_file_of_anything_else_is_left() -> None:
    text = f"{HEAD}net = torch.nn.Linear(3, 4)\ntorch.save(net, path)\n"
    answer = converted(text)
    assert answer.text == text
    assert "checkpoint" in answer.blockers.values()


def test_remarks_for_compilers_go() -> None:
    text = (
        "import torch\n\ntorch.fx.wrap('helper')\n\n\n@torch.jit.script\ndef f(x: torch.Tensor):\n"
        "    torch._assert(x.dim() == 2, f'got {x.dim()}')\n    return x\n"
    )
    found = converted(text).text
    assert found.endswith(
        "\ndef f(x: Tensor):\n    assert (x.dim() == 2), (f'got {x.dim()}')\n    return x\n"
    )
    assert "wrap" not in found and "@" not in found


def test_a_function_that_a_compiler_gives_is_left() -> None:
    text = "import torch\n\n\ndef f(x: torch.Tensor):\n    return x\n\n\ng = torch.jit.script(f)\n"
    assert "no-target" in converted(text).blockers.values()
