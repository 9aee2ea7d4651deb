"""Batches that are packed for one recurrent layer become its argument ``seq_length``."""

from __future__ import annotations

import pytest

from ..converting import converted

TEXT = """\
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 4, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        {layer}
        {behind}
"""
LAYER = "output, (h, c) = self.rnn(packed)"
PADDED = "output, _ = pad_packed_sequence(output, batch_first=True)\n        return output"


def made(layer: str, behind: str) -> str:
    return converted(TEXT.format(layer=layer, behind=behind)).text


def test_the_layer_gets_the_lengths_and_the_output_is_as_long_as_the_longest() -> None:
    text = made(LAYER, PADDED)
    assert "packed = x\n" in text
    assert "self.rnn(packed, seq_length=Tensor(lengths, ms.int32))\n" in text
    assert "output = output[:, :int(max(lengths))]\n" in text


def test_the_sizes_are_the_lengths() -> None:
    behind = "output, sizes = pad_packed_sequence(output)\n        return output, sizes"
    assert "output, sizes = output[:int(max(lengths))], lengths\n" in made(LAYER, behind)


def test_without_padding_the_last_states_are_left() -> None:
    assert "seq_length=Tensor(lengths, ms.int32)" in made(LAYER, "return h[-1]")


@pytest.mark.parametrize(
    ("layer", "behind"),
    [
        (LAYER, "return output.data"),
        (LAYER, PADDED.replace("=True)", "=True, total_length=9)")),
        (f"{LAYER}\n        print(packed.batch_sizes)", PADDED),
        ("output, (h, c) = self.other(packed)", PADDED),
        (f"{LAYER}\n        lengths = lengths + 1", PADDED),
        (f"{LAYER}\n        lengths[0] = 1", PADDED),
        (f"{LAYER}\n        lengths.clamp_(max=3)", PADDED),
        (f"lengths, other = lengths // 2, 1\n        {LAYER}", "return h[-1]"),
    ],
    ids=[
        *("data of the packed output", "total length", "another use", "another layer"),
        *("other lengths", "another part of them", "changed in place", "changed before the layer"),
    ],
)
def test_other_uses_are_left_to_a_person(layer: str, behind: str) -> None:
    done = converted(TEXT.format(layer=layer, behind=behind))
    assert any("pack_padded_sequence" in place for place in done.blockers)


def test_lengths_may_change_when_all_has_read_them() -> None:
    behind = PADDED.replace("return output", "lengths = lengths + 1\n        return output, lengths")
    assert "seq_length=Tensor(lengths, ms.int32)" in made(LAYER, behind)


def test_a_batch_may_be_packed_where_the_layer_takes_it() -> None:
    packed = "pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)"
    text = TEXT.replace(f"packed = {packed}\n        ", "").format(
        layer=f"output, (h, c) = self.rnn({packed})", behind=PADDED
    )
    done = converted(text)
    assert done.blockers == {}
    assert "output, (h, c) = self.rnn(x, seq_length=Tensor(lengths, ms.int32))\n" in done.text
    assert "output = output[:, :int(max(lengths))]\n" in done.text


def test_a_batch_that_is_packed_for_something_else_is_left_to_a_person() -> None:
    text = TEXT.replace("packed = pack", "print(pack").replace(
        "enforce_sorted=False)", "enforce_sorted=False))"
    )
    done = converted(text.format(layer="pass", behind="return x"))
    assert any("pack_padded_sequence" in place for place in done.blockers)
