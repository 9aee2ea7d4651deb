"""A model that torch wraps for several processes is the model, with the weights of the first process."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = (
    "import torch\nfrom torch import nn\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n\n"
    "net = nn.Linear(2, 1)\n"
)
SENT = "for parameter in {}.get_parameters():\n    mint.distributed.broadcast(parameter, 0)\n"


def body(text: str, **options: object) -> str:
    return converted(f"{HEAD}{text}", **options).text.partition("net = nn.Dense(2, 1)\n")[2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("net = DDP(net, device_ids=[rank], find_unused_parameters=True)\n", SENT.format("net")),
        ("model = DDP(net)\n", f"model = net\n{SENT.format('model')}"),
        ("model = DDP(net.to(rank))\n", f"model = net\n{SENT.format('model')}"),
        ("model = DDP(net)\nprint(model.module)\n", f"model = net\n{SENT.format('model')}print(model)\n"),
    ],
)
def test_the_weights_of_the_first_process_are_sent(before: str, after: str) -> None:
    assert body(before, distributed=True) == after


def test_without_the_option_the_file_stays_and_says_how() -> None:
    answer = converted(f"{HEAD}net = DDP(net)\n")
    assert answer.blockers == {"DDP(net)": "processes"}


@pytest.mark.parametrize(
    "text", ["net = DDP(net, process_group=group)\n", "use(DDP(net))\n", "if a: net = DDP(net)\n"]
)
def test_another_form_keeps_the_file(text: str) -> None:
    assert converted(f"{HEAD}{text}", distributed=True).blockers


def test_several_devices_of_one_process_are_one_device() -> None:
    assert body("net = nn.DataParallel(net)\nprint(net.module)\n") == "print(net)\n"
    assert body("model = nn.DataParallel(net, device_ids=[0, 1])\n") == "model = net\n"


def test_an_attribute_of_that_name_of_the_program_stays() -> None:
    text = (
        "class Box:\n    def __init__(self, model):\n        self.module = model\n\nprint(box.model.module)\n"
    )
    assert body(text, distributed=True) == text
