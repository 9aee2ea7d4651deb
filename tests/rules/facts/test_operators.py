"""What PyTorch's APIs are made of, and which kernels torch_npu has for that."""

from __future__ import annotations

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.operators import composition_of
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import choose_version

FACTS = Facts.load(choose_version("2.8.0").version, Hardware.A2)


def test_an_api_is_made_of_the_operators_that_reach_a_device() -> None:
    made_of = composition_of("torch.linalg.svd")
    assert made_of is not None and made_of.always == {"_linalg_svd"}


def test_what_depends_on_the_arguments_is_needed_sometimes() -> None:
    made_of = composition_of("torch.linalg.norm")
    assert made_of is not None and "_linalg_svd" in made_of.sometimes - made_of.always


def test_an_operator_without_a_kernel_is_missing() -> None:
    kernels = FACTS.kernels_behind("torch.linalg.eigh")
    assert kernels is not None and kernels.missing == ("_linalg_eigh",)


def test_kernels_are_complete_when_all_that_may_be_needed_is_there() -> None:
    kernels = FACTS.kernels_behind("torch.linalg.svd")
    assert kernels is not None and kernels.are_complete


def test_of_what_nobody_traced_nothing_is_known() -> None:
    assert FACTS.kernels_behind("torch.distributed.destroy_process_group") is None
