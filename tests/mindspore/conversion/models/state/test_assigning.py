"""Parameters that are changed in place."""

from __future__ import annotations

import pytest

from ...converting import converted

TEXT = """\
import torch


def update(target: torch.nn.Module, source: torch.nn.Module, tau: float):
    for old, new in zip(target.parameters(), source.parameters()):
        CHANGE
"""


@pytest.mark.parametrize(
    ("change", "written"),
    [
        ("old.data.copy_(new.data)", "ops.assign(old, ops.stop_gradient(new))"),
        ("old.data.mul_(1 - tau).add_(new, alpha=tau)", "ops.assign(old, old * (1 - tau) + new * tau)"),
        ("old.data.add_(-tau, new)", "ops.assign(old, old + (-tau) * new)"),
        ("old.data = tau * new + old", "ops.assign(old, tau * new + old)"),
        ("old.data.lerp_(new, tau)", "ops.assign(old, old + (new - old) * tau)"),
        ("old.data.clamp_(-tau, max=tau)", "ops.assign(old, old.clamp(-tau, max=tau))"),
        ("old -= tau * new", "ops.assign(old, old - (tau * new))"),
        ("old.data *= tau", "ops.assign(old, old * tau)"),
        ("old.data.add_(new).mul_(tau)", "ops.assign(old, (old + new) * tau)"),
    ],
)
def test_the_parameter_gets_its_new_value(change: str, written: str) -> None:
    assert f"        {written}\n" in converted(TEXT.replace("CHANGE", change)).text


def test_a_change_of_another_form_keeps_the_file() -> None:
    text = TEXT.replace("CHANGE", "old.data.add_(new, tau, 3)")
    assert converted(text).text == text


def test_what_no_loop_over_parameters_gives_keeps_the_file_where_it_gets_a_tensor() -> None:
    text = TEXT.replace("zip(target.parameters(), source.parameters())", "pairs")
    assert "update" in converted(text.replace("CHANGE", "old.data = torch.ones(3)")).blockers.values()
    assert "old.data = [3]\n" in converted(text.replace("CHANGE", "old.data = [3]")).text


def test_a_weight_of_a_layer_is_set_by_its_name_there() -> None:
    text = "import torch\n\nnorm = torch.nn.BatchNorm2d(3)\nnorm.weight.data = torch.ones(3)\n"
    assert "ops.assign(norm.gamma, ops.ones(3))\n" in converted(text).text


KEPT = """\
import torch


def apply(model: torch.nn.Module, shadow, backup):
    for name, p in model.named_parameters():
        KEEP
        p.data = shadow[name]
"""


@pytest.mark.parametrize("keep", ["backup[name] = p.data", "backup.append(p.detach())"])
def test_what_is_kept_of_parameters_that_get_other_data_is_a_copy(keep: str) -> None:
    answer = converted(KEPT.replace("KEEP", keep))
    assert not answer.blockers
    assert "ops.stop_gradient(p).copy()" in answer.text
    assert "ops.assign(p, shadow[name])" in answer.text


@pytest.mark.parametrize("read", ["print(p.data.mean())", "p.data.copy_(p.data)"])
def test_what_is_only_read_of_them_is_none(read: str) -> None:
    assert "copy()" not in converted(KEPT.replace("KEEP", read)).text


def test_two_parameters_of_one_memory_keep_the_file() -> None:
    text = TEXT.replace("CHANGE", "old.data = new.data")
    assert converted(text).blockers == {"new.data": "update"}


PART = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.ones(3, 3))
        self.words = nn.Embedding(4, 3)
        PLACE
"""


@pytest.mark.parametrize(
    ("place", "written"),
    [
        ("self.table.data[0, :] = -1e4", "self.table[0, :] = -1e4"),
        ("self.words.weight.data[0] = 0", "self.words.embedding_table[0] = 0"),
    ],
)
def test_a_part_of_a_parameter_is_set_in_place(place: str, written: str) -> None:
    answer = converted(PART.replace("PLACE", place))
    assert not answer.blockers
    assert written in answer.text


def test_a_part_that_is_set_where_gradients_are_taken_is_left() -> None:
    text = PART.replace("PLACE", "pass") + "\n    def forward(self, x):\n        self.table.data[0] = 0\n"
    assert "update" in converted(f"{text}        return x * self.table\n").blockers.values()
