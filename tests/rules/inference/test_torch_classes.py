"""Which of PyTorch's classes a name is, what a call of a name makes, and from what a class derives."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.inference.classes.torch_classes import bases_of, instance_made_by, is_class


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.zeros", "torch.Tensor"),
        ("torch.FloatTensor", "torch.Tensor"),
        ("torch.nn.functional.relu", "torch.Tensor"),
        ("torch.nn.Linear", "torch.nn.Linear"),
        ("torch.optim.Adam", "torch.optim.Adam"),
        ("torch.distributed.TCPStore", "torch.distributed.TCPStore"),
        ("torch.distributed.new_group", "torch.distributed.ProcessGroup"),
        ("torch.save", None),
        ("torch.nn.utils.Thing", None),
        ("numpy.zeros", None),
        ("zeros", None),
    ],
)
def test_what_a_call_makes(name: str, expected: str | None) -> None:
    assert instance_made_by(name) == expected


def test_only_an_asynchronous_collective_gives_work() -> None:
    assert instance_made_by("torch.distributed.all_reduce", is_asynchronous=True) == "torch.distributed.Work"
    assert instance_made_by("torch.distributed.all_reduce") is None
    assert instance_made_by("torch.distributed.nn.all_reduce", is_asynchronous=True) is None
    assert instance_made_by("torch.save", is_asynchronous=True) is None


@pytest.mark.parametrize(
    "name",
    [
        "torch.nn.Module", "torch.nn.modules.conv.Conv2d", "torch.optim.SGD", "torch.distributions.Normal",
        "torch.distributed.FileStore", "torch.distributed.ProcessGroup", "torch.LongTensor",
        "torch.distributed.fsdp.FullyShardedDataParallel",
    ],
)  # fmt: skip
def test_classes(name: str) -> None:
    assert is_class(name)


@pytest.mark.parametrize(
    "name",
    [
        "torch.nn.functional.relu", "torch.nn.utils.Thing", "torch.nn.init.Thing",
        "torch.distributed.ReduceOp", "torch.distributed.fsdp.ShardingStrategy",
        "torch.Thing", "json.Thing", "torch.nn.", "",
    ],
)  # fmt: skip
def test_names_of_other_things(name: str) -> None:
    assert not is_class(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.Tensor", ("torch.Tensor",)),
        ("torch.nn.Module", ("torch.nn.Module",)),
        ("torch.FloatTensor", ("torch.FloatTensor", "torch.Tensor")),
        ("torch.nn.Parameter", ("torch.nn.Parameter", "torch.Tensor")),
        ("torch.nn.Linear", ("torch.nn.Linear", "torch.nn.Module")),
        ("torch.nn.LSTM", ("torch.nn.LSTM", "torch.nn.RNNBase", "torch.nn.Module")),
        ("torch.jit.ScriptModule", ("torch.jit.ScriptModule", "torch.nn.Module")),
        ("torch.optim.Adam", ("torch.optim.Adam", "torch.optim.Optimizer")),
        (
            "torch.optim.lr_scheduler.StepLR",
            ("torch.optim.lr_scheduler.StepLR", "torch.optim.lr_scheduler.LRScheduler"),
        ),
        (
            "torch.distributions.Normal",
            ("torch.distributions.Normal", "torch.distributions.distribution.Distribution"),
        ),
        ("torch.distributed.TCPStore", ("torch.distributed.TCPStore", "torch.distributed.Store")),
        ("torch.distributed.Work", ("torch.distributed.Work",)),
    ],
)
def test_from_what_a_class_derives(name: str, expected: tuple[str, ...]) -> None:
    assert bases_of(name) == expected
