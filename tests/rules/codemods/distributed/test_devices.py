"""Numbers of devices: each process of several has its own, one that runs alone keeps what the script says."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted

PROGRAM = """\
import argparse
import torch
from torch import nn
from torch.utils.data import DataLoader


def main():
    parser = argparse.ArgumentParser()
    {parsed}
    model = nn.Linear(2, 1)
    {use}
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=4)
    for epoch in range(3):
        for x, y in loader:
            loss = model(x.cuda()).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
"""
PARSED = "args = parser.parse_args()"
OWN = "torch_npu.npu.current_device() if dist.is_initialized() else"


def text_of(use: str, parsed: str = PARSED) -> str:
    """The text of a program after the conversion."""
    return converted(PROGRAM.format(use=use, parsed=parsed)).text


@pytest.mark.parametrize(
    ("use", "after"),
    [
        ("y = x.cuda(0)", "y = x.cuda()"),
        ("y = x.to(0)", 'y = x.to("cuda")'),
        ("device = torch.device('cuda', 0)", "device = torch.device('cuda')"),
        ("device = torch.device('cuda', index=1)", "device = torch.device('cuda')"),
        ("device = torch.device('cuda:0')", "device = torch.device('cuda')"),
        ("y = x.to('cuda:1')", "y = x.to('cuda')"),
        ("torch.cuda.set_device(0)", "if not dist.is_initialized():\n        torch.cuda.set_device(0)"),
    ],
)
def test_a_number_that_is_written_goes(use: str, after: str) -> None:
    assert f"    {after}\n" in text_of(use)


@pytest.mark.parametrize("use", ["x.cuda(args.gpu)", "x.to(args.gpu)", "d = torch.device('cuda', args.gpu)"])
def test_an_option_is_the_card_of_the_process_from_where_it_is_parsed(use: str) -> None:
    text = text_of(use)
    set_there = "    if dist.is_initialized():\n        args.gpu = torch_npu.npu.current_device()\n"
    assert f"    {PARSED}\n{set_there}" in text
    assert f"    {use}\n" in text


@pytest.mark.parametrize(
    "parsed",
    [
        "args = load_options()",
        "args = parser.parse_args() if flag else load_options()",
        "args = options",
        "args, rest = parser.parse_known_args()",
        "args = check(parser.parse_args())",
        "settings.args = args = parser.parse_args()",
    ],
)
def test_what_does_not_come_from_one_parsing_is_asked_at_its_place(parsed: str) -> None:
    text = text_of("d = torch.device('cuda', args.gpu)", parsed)
    assert f"    d = torch.device('cuda', {OWN} args.gpu)\n" in text
    assert "args.gpu = torch_npu" not in text


@pytest.mark.parametrize("text", ["f'cuda:{gpu}'", "'cuda:' + str(gpu)"])
def test_a_number_that_is_put_into_a_text_is_for_a_process_alone(text: str) -> None:
    after = text_of(f"gpu = pick()\n    y = x.to({text})")
    assert f"    y = x.to('cuda' if dist.is_initialized() else {text})\n" in after


@pytest.mark.parametrize("given", ["1", "ids[0]", "device=1"])
def test_a_block_on_a_card_is_on_that_of_the_process(given: str) -> None:
    text = text_of(f"ids = [int(i) for i in names]\n    with torch.cuda.device({given}):\n        work()")
    keyword, _, number = given.rpartition("=")
    spelled = f"{keyword}={OWN} {number}" if keyword else f"{OWN} {number}"
    assert f"    with torch.cuda.device({spelled}):\n" in text


def test_a_block_on_a_device_stays() -> None:
    text = text_of("d = torch.device('cuda')\n    with torch.cuda.device(d):\n        work()")
    assert "with torch.cuda.device(d):\n" in text
    assert f"torch.cuda.device({OWN} 1)" in text_of("with torch.cuda.device(1):\n        work()")


@pytest.mark.parametrize("cards", ["[0, 1]", "[int(i) for i in names]", "list(range(2))", "sorted((1, 0))"])
def test_an_item_of_a_list_of_numbers_is_the_number_of_a_card(cards: str) -> None:
    text = text_of(f"ids = {cards}\n    y = x.cuda(ids[0])")
    assert f"    y = x.cuda({OWN} ids[0])\n" in text


def test_an_item_of_another_list_is_left() -> None:
    assert "    y = x.cuda(ids[0])\n" in text_of("ids = ['cuda:0', pick()]\n    y = x.cuda(ids[0])")
    assert f"    y = x.cuda({OWN} ids[0])\n" in text_of("ids = [0]\n    y = x.cuda(ids[0])")
