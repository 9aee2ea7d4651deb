"""The sample project under examples/ trains on the NPU after its migration, and resumes its run."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from gpu2ascend_rules.model.versions import NEWEST
from tests.execution.harness import REPOSITORY, Run, environment, migrate, run, run_ranks, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

PROJECT = REPOSITORY / "examples" / "shapes_classifier"
SMALL = (
    "--image-size=16", "--train-samples=64", "--val-samples=32", "--batch-size=16", "--workers=0",
    "--width=8", "--epochs=1", "--print-freq=1",
)  # fmt: skip
STEP = re.compile(r"epoch \d+ \[\d+/\d+\] loss ([\d.]+)")


def finite_losses(done: Run) -> list[float]:
    """The losses in the log, one a step."""
    losses = [float(text) for text in STEP.findall(done.stdout)]
    assert losses, done.describe()
    return losses


@pytest.mark.parametrize("version", ["2.8.0", str(NEWEST)])
def test_it_trains_and_resumes(version: str, tmp_path: Path) -> None:
    script = migrate(PROJECT, tmp_path / "out", version) / "train.py"
    env = environment(version, devices=1)
    output = f"--output={tmp_path / 'run'}"
    done = run_script(script, *SMALL, output, env=env).check()
    assert "running on Ascend910B3" in done.stdout and "mem 0MB" not in done.stdout, done.describe()
    assert len(finite_losses(done)) == 4

    last = tmp_path / "run" / "last.pth"
    resumed = run_script(script, *SMALL, "--epochs=2", f"--resume={last}", output, env=env).check()
    assert "resumed from" in resumed.stdout and "epoch 1 done" in resumed.stdout, resumed.describe()


def test_the_patch_of_the_demo_leaves_no_error_and_trains(tmp_path: Path) -> None:
    """``--amp-dtype=auto`` runs the lines that the patch writes by hand."""
    errors = [left_to_a_person(tmp_path / "out")]
    project = tmp_path / "out" / f"{PROJECT.name}_msft"
    patch = PROJECT.with_name(f"{PROJECT.name}_by_hand.patch")
    run(("git", "apply", str(patch)), cwd=project, env=dict(os.environ)).check()
    errors.append(left_to_a_person(tmp_path / "out", "--update"))
    assert errors == [{"NPU104", "NPU904"}, set()]
    output = f"--output={tmp_path / 'run'}"
    env = environment("2.8.0", devices=1)
    assert finite_losses(
        run_script(project / "train.py", *SMALL, "--amp-dtype=auto", output, env=env).check()
    )


def left_to_a_person(output: Path, *options: str) -> set[str]:
    """The codes of the errors that a migration of the sample, as the demo makes it, leaves."""
    migrate(PROJECT, output, "2.8.0", "--unsafe", *options)
    report = (output / f"{PROJECT.name}_msft" / "MIGRATION.md").read_text(encoding="utf-8")
    return set(re.findall(r"### \[ \] (NPU\d+)-.*\n\nFails on the NPU", report))


def test_without_a_gpu_it_says_so_and_does_not_train_on_the_cpu(tmp_path: Path) -> None:
    script = migrate(PROJECT, tmp_path / "out", "2.8.0") / "train.py"
    hidden = environment("2.8.0", extra={"ASCEND_RT_VISIBLE_DEVICES": ""})
    done = run_script(script, *SMALL, f"--output={tmp_path}", env=hidden)
    assert done.returncode != 0
    assert "device found" in done.stderr, done.describe()


def test_it_trains_on_two_npus(tmp_path: Path) -> None:
    """Its meters add up doubles, which HCCL refuses: that fix is the user's choice, here taken."""
    script = migrate(PROJECT, tmp_path / "out", "2.8.0", "--unsafe") / "train.py"
    arguments = (*SMALL, "--sync-bn", "--amp-dtype=bf16", f"--output={tmp_path / 'run'}")
    done = run_ranks(script, *arguments, env=environment("2.8.0")).check()
    assert "running on Ascend910B3" in done.stdout and "2 visible" in done.stdout, done.describe()
    assert len(finite_losses(done)) == 2
    assert (tmp_path / "run" / "last.pth").exists()


def test_on_two_npus_its_float64_reduction_is_what_stops_it(tmp_path: Path) -> None:
    script = migrate(PROJECT, tmp_path / "out", "2.8.0") / "train.py"
    done = run_ranks(script, *SMALL, f"--output={tmp_path / 'run'}", env=environment("2.8.0"))
    assert done.returncode != 0
    assert "Unsupported data type" in done.stderr and "meters.py" in done.stderr, done.describe()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, which the script is written for")
def test_its_own_script_starts_it_on_two_npus(tmp_path: Path) -> None:
    """The script passes what the migrated options take, by way of torchrun and argparse to the device."""
    project = migrate(PROJECT, tmp_path / "out", "2.8.0", "--unsafe")
    programs = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    env = environment("2.8.0", extra={"PATH": programs})
    script = project / "scripts" / "train_ddp.sh"
    done = run(("bash", str(script), "2", *SMALL), cwd=tmp_path, env=env).check()
    assert "running on Ascend910B3" in done.stdout and "2 visible" in done.stdout, done.describe()
    assert len(finite_losses(done)) >= 2
    assert (project / "runs" / "ddp" / "last.pth").exists()
