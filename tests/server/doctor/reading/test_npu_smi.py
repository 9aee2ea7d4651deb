"""The table of ``npu-smi info``, as several releases print it."""

from __future__ import annotations

import pytest

from gpu2ascend.doctor.checks.npus import read_overview

from ..host import sample

PROCESSES = """\
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 12345         | python                   | 2000                    |
+===========================+===============+====================================================+
| No running processes found in NPU 1                                                            |
"""


@pytest.mark.parametrize(
    ("name", "driver", "chips"),
    [
        ("npu_smi_910b2", "25.2.0", [(0, "910B2", 3382), (1, "910B2", 3381)]),
        ("npu_smi_910b4", "25.2.0", [(0, "910B4-1", 3197), (1, "910B4-1", 3197)]),
        ("npu_smi_a3", "26.0.rc2", [(0, "Ascend910", 3419), (0, "Ascend910", 2874)]),
    ],
)
def test_recorded_tables(name: str, driver: str, chips: list[tuple[int, str, int]]) -> None:
    found = read_overview(sample(name))
    assert found.driver == driver
    assert [(chip.npu, chip.name, chip.used) for chip in found.chips] == chips
    assert {(chip.health, chip.memory) for chip in found.chips} == {("OK", 65536)}


def test_processes() -> None:
    assert read_overview(sample("npu_smi_910b2") + PROCESSES).processes == ((0, 12345),)


def test_what_is_no_table_has_no_chips() -> None:
    assert read_overview(sample("npu_smi_container")).chips == ()
