"""Scripts for the CPU that `--from-cpu` moved train on the NPU, as far as the simulated one is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend_rules.model.versions import NEWEST
from tests.execution.harness import environment, migrate, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SAMPLES = Path(__file__).parent / "samples"
LOSSES = re.compile(r"first loss ([-\w.]+) last loss ([-\w.]+)")
PLACES = re.compile(r"loss on (\S+) parameters on (\S+)")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", sorted(path.stem for path in SAMPLES.glob("*.py")))
@pytest.mark.parametrize("version", ["2.1.0", "2.8.0", str(NEWEST)])
def test_a_script_for_the_cpu_trains_on_the_npu(name: str, version: str, tmp_path: Path) -> None:
    project = migrate(SAMPLES, tmp_path / "out", version, "--from-cpu")
    done = run_script(project / f"{name}.py", env=environment(version)).check()
    ((first, last),) = LOSSES.findall(done.stdout)
    assert float(last) < float(first)
    assert PLACES.findall(done.stdout) == [("npu:0", "npu:0")]


@pytest.mark.parametrize("name", sorted(path.stem for path in SAMPLES.glob("*.py")))
def test_without_the_option_it_trains_on_the_cpu(name: str, tmp_path: Path) -> None:
    project = migrate(SAMPLES, tmp_path / "out", "2.8.0")
    done = run_script(project / f"{name}.py", env=environment("2.8.0")).check()
    assert PLACES.findall(done.stdout) == [("cpu", "cpu")]
