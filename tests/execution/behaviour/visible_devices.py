"""Which devices a process may use. Runs with eight; the variable counts until the first use of a device."""

import pytest
import torch
import torch_npu  # noqa: F401

VARIABLE = "ASCEND_RT_VISIBLE_DEVICES"


def test_all_of_them():
    assert torch.npu.device_count() == 8


@pytest.mark.parametrize(
    ("visible", "count"),
    [
        ("0,1", 2),
        ("1", 1),
        ("1,3", 2),
        ("3,1", 0),  # not ascending
        ("1,1", 0),
        ("-1", 0),
        ("GPU-8f2c", 0),
        ("0,9", 1),  # there is no ninth
    ],
)
def test_they_must_be_ascending_numbers(visible, count, monkeypatch):
    monkeypatch.setenv(VARIABLE, visible)
    assert torch.npu.device_count() == torch.accelerator.device_count() == count
    assert torch.npu.is_available() == (count > 0)


def test_after_the_first_use_the_variable_changes_nothing(monkeypatch):
    monkeypatch.setenv(VARIABLE, "0,1")
    torch.ones(2, device="npu:1")
    monkeypatch.setenv(VARIABLE, "0")
    assert torch.npu.device_count() == 2
    with pytest.raises(RuntimeError, match="Invalid device"):
        torch.ones(2, device="npu:2")
