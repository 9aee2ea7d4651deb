"""The driver: its devices, what may be done with them, and a machine that has NPUs but shows no driver."""

from __future__ import annotations

import os
from pathlib import Path

import attrs
import pytest

from gpu2ascend.doctor.machine import Machine

from ..host import CANN, answering, ready, said, write

TOOLKIT = f"{CANN}/x86_64-linux/ascend_toolkit_install.info"
CARD = "/sys/bus/pci/devices/0000:c1:00.0"


def test_npus_on_the_bus_without_driver_are_an_error(tmp_path: Path) -> None:
    write(tmp_path, {f"{CARD}/vendor": "0x19e5\n", f"{CARD}/class": "0x120000\n"})
    machine = Machine(root=tmp_path, environ={}, ask=answering({}), system="linux", architecture="aarch64")
    assert "npus.no-driver" in said(machine)


def test_another_card_of_the_maker_is_no_npu(tmp_path: Path) -> None:
    write(tmp_path, {f"{CARD}/vendor": "0x19e5\n", f"{CARD}/class": "0x020000\n"})
    machine = Machine(root=tmp_path, environ={}, ask=answering({}), system="linux", architecture="aarch64")
    assert "npus.none" in said(machine)


def test_a_container_without_a_device_is_told_how_to_get_it(tmp_path: Path) -> None:
    machine = ready(tmp_path)
    (tmp_path / "dev" / "hisi_hdc").unlink()
    assert said(machine)["devices.missing"].commands == ("docker run --device=/dev/hisi_hdc ...",)


def test_a_user_outside_the_group_is_told_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = ready(tmp_path)
    closed = tmp_path / "dev" / "davinci0"
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed)
    assert "HwHiAiUser" in said(machine)["devices.closed"].commands[0]


def test_a_driver_older_than_the_lowest_documented_is_an_error(tmp_path: Path) -> None:
    machine = ready(tmp_path)
    driver = "/usr/local/Ascend/driver/version.info"
    write(tmp_path, {driver: "Version=23.0.3\n", TOOLKIT: "version=8.2.RC1"})
    assert "driver.old" in said(machine)


def test_a_newer_driver_is_fine(tmp_path: Path) -> None:
    machine = ready(tmp_path)
    write(tmp_path, {TOOLKIT: "version=8.2.RC1"})
    assert "driver.old" not in said(machine)


def test_a_version_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    machine = attrs.evolve(ready(tmp_path))
    (tmp_path / "usr/local/Ascend/firmware/version.info").unlink()
    assert "firmware.unseen" in said(machine)
