"""Whole hosts: nothing is wrong where everything fits, and a host without an NPU says what it cannot see."""

from __future__ import annotations

from pathlib import Path

import attrs

from gpu2ascend.doctor.machine import Machine
from gpu2ascend.doctor.result import Status
from gpu2ascend_rules.messages import LANGUAGES, catalogue, render

from .host import SAMPLES, answering, ready, said


def test_a_host_on_which_everything_fits_has_nothing_to_mend(tmp_path: Path) -> None:
    assert said(ready(tmp_path)) == {}


def test_without_an_npu_nothing_is_an_error_and_what_is_not_seen_is_said(tmp_path: Path) -> None:
    empty = Machine(root=tmp_path, environ={}, ask=answering({}), system="linux", architecture="x86_64")
    found = said(empty)
    assert {"npus.none", "cann.unseen", "python.unseen"} <= set(found)
    assert not any(one.status is Status.ERROR for one in found.values())


def test_on_another_system_it_says_where_to_run_it(tmp_path: Path) -> None:
    machine = Machine(root=tmp_path, environ={}, ask=answering({}), system="darwin", architecture="arm64")
    assert said(machine)["platform.other"].status is Status.UNSEEN


def test_every_message_can_be_shown_in_both_languages(tmp_path: Path) -> None:
    machines = (ready(tmp_path / "a"), attrs.evolve(ready(tmp_path / "b", nodes=2), environ={}, python=None))
    for machine in machines:
        for found in said(machine).values():
            for language in LANGUAGES:
                assert found.message.id in catalogue(language)
                assert render(found.message, language)


def test_every_recorded_output_names_its_source() -> None:
    page = (SAMPLES / "README.md").read_text(encoding="utf-8")
    samples = sorted(path.name for path in SAMPLES.glob("*.txt"))
    assert "npu_smi_container.txt" in samples
    assert [name for name in samples if f"`{name}`" not in page] == []
