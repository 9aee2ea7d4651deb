"""Names of one object: what a module defines is known by its public name."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.releases.canonical import public_name
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version


@pytest.mark.parametrize(
    ("written", "public"),
    [
        ("torch.nn.modules.pooling.MaxPool3d", "torch.nn.MaxPool3d"),
        ("torch.nn.modules.MaxPool3d", "torch.nn.MaxPool3d"),
        ("torch.nn.modules.module.Module.cuda", "torch.nn.Module.cuda"),
        ("torch.functional.norm", "torch.norm"),
        ("torch.GradScaler", "torch.amp.GradScaler"),
        ("torch.nn.parallel.data_parallel.DataParallel", "torch.nn.DataParallel"),
        ("torch.distributed.distributed_c10d.init_process_group", "torch.distributed.init_process_group"),
        ("torch._tensor.Tensor.backward", "torch.Tensor.backward"),
        ("torch.optim.adamw.AdamW", "torch.optim.AdamW"),
        ("torch.autograd.variable.Variable", "torch.autograd.Variable"),
        ("torch.jit.Variable", "torch.autograd.Variable"),
    ],
)
def test_an_object_is_known_by_its_public_name(written: str, public: str) -> None:
    assert public_name(written) == public


@pytest.mark.parametrize(
    "name", ["torch.nn.MaxPool3d", "torch", "torch.cuda.amp.GradScaler", "numpy.fft.fft"]
)
def test_other_names_stand_for_themselves(name: str) -> None:
    assert public_name(name) == name


def test_the_lists_are_asked_by_the_public_name() -> None:
    facts = Facts.load(Version(2, 8, 0), Hardware.A2)

    assert facts.row("torch.nn.modules.pooling.MaxPool3d") == facts.row("torch.nn.MaxPool3d")
    assert facts.row("torch.nn.MaxPool3d") is not None


def test_a_name_that_outlives_another_of_its_object_goes_by_itself() -> None:
    assert public_name("torch.autograd.Variable") == "torch.autograd.Variable"  # once torch.jit.Variable too
