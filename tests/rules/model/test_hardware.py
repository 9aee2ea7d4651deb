"""By which names the families of devices are known."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.model.hardware import Hardware, hardware_named, is_for_inference


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("A2", Hardware.A2),
        ("910B", Hardware.A2),
        ("910b3", Hardware.A2),
        ("Ascend910B4-1", Hardware.A2),
        ("910B2C", Hardware.A2),
        ("Atlas 800T A2", Hardware.A2),
        ("Atlas 800 A2", Hardware.A2),
        ("Atlas 800 A3", Hardware.A3),
        ("910C", Hardware.A3),
        ("Ascend910_9391", Hardware.A3),
        ("Atlas 900 A3 SuperPoD", Hardware.A3),
        ("950dt", Hardware.DT950),
        ("950", Hardware.DT950),
        ("950PR", Hardware.DT950),
        ("Ascend950PR_9599", Hardware.DT950),
        ("A5", Hardware.DT950),
        ("910_95", Hardware.DT950),
        ("Atlas 350", Hardware.DT950),
        ("Atlas 850", Hardware.DT950),
        ("910A", Hardware.A910),
        ("910 Pro A", Hardware.A910),
        ("Ascend910PremiumA", Hardware.A910),
        ("Atlas 800 (9000)", Hardware.A910),
    ],
)
def test_devices_and_servers_belong_to_a_family(name: str, family: Hardware) -> None:
    assert hardware_named(name) is family and not is_for_inference(name)


@pytest.mark.parametrize("name", ["310P", "Ascend310P3", "310B", "Atlas 300I Duo", "Atlas 200I DK A2"])
def test_devices_for_inference_belong_to_none(name: str) -> None:
    assert is_for_inference(name) and hardware_named(name) is None


@pytest.mark.parametrize("name", ["910", "310P3", "Atlas 300I", "A100", "", "torch"])
def test_other_names_belong_to_none(name: str) -> None:
    assert hardware_named(name) is None
