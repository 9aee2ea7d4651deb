"""Projects with CUDA kernels beside PyTorch code train on the simulated NPU by their fallback.


Each prints its losses, and by which implementation its operators ran.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.harness import environment, migrate, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SAMPLES = Path(__file__).parent / "extensions" / "samples"
SCRIPTS = {"generator": "train.py", "detector": "train_net.py", "fused": "train.py", "points": "train.py"}
BY_REFERENCE = "['reference'] True"


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_fallback_trains_as_before(name: str, tmp_path: Path) -> None:
    env = environment("2.8.0", devices=1)
    before = run_script(SAMPLES / name / SCRIPTS[name], "--device", "cpu", env=env).check()
    migrated = migrate(SAMPLES / name, tmp_path / "out", "2.8.0")
    after = run_script(migrated / SCRIPTS[name], env=env).check()
    assert before.stdout.splitlines()[-1] == BY_REFERENCE
    assert after.stdout == before.stdout


def test_every_project_is_run() -> None:
    assert {path.name for path in SAMPLES.iterdir()} == SCRIPTS.keys()
