"""Scripts whose ``torch.cuda.amp`` became ``apex.amp`` train as before, and do what apex demands.

The originals run in float32 on the CPU, where ``torch.cuda.amp`` is off; what they became runs with a
stand-in for apex that scales and casts nothing. The results must be equal.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend_rules.options.options import options_from
from tests.execution.harness import Run, environment, run_ranks, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

HERE = Path(__file__).parent
SAMPLES = HERE / "samples"
JOURNAL = HERE / "journal.py"
APEX = HERE.parent / "standin_apex"
UPDATE = ["scale", "scale", "clip master_params", "step"]
EPOCH = [*UPDATE, *UPDATE, "state_dict"]

_migrated: dict[bool, Path] = {}


def migrated(directory: pytest.TempPathFactory, *, distributed: bool = False) -> Path:
    """The samples, migrated for PyTorch 1.5.0 with AMP transplant; once with and once without ranks."""
    if distributed not in _migrated:
        project = directory.mktemp("project") / "samples"
        wanted = {"version": "1.5.0", "amp_transplant": True, "amp_model": "model,netG"}
        if distributed:
            project.mkdir()
            shutil.copy(SAMPLES / "classifier.py", project)
            wanted |= {"distributed": True, "main_file": "classifier.py", "amp_model": "model"}
        else:
            shutil.copytree(SAMPLES, project)
        options = options_from(wanted)
        done = migrate(
            MigrationRequest(input=project, output=project.parent / "out", options=options, jobs=1)
        )
        assert done.summary.errors == 0 and done.output_path is not None
        _migrated[distributed] = done.output_path
    return _migrated[distributed]


def with_apex() -> dict[str, str]:
    """The environment in which there is an apex."""
    env = environment("2.8.0")
    return {**env, "PYTHONPATH": f"{APEX}:{env['PYTHONPATH']}"}


def original(name: str, checkpoint: Path) -> float:
    """The result of a script before its migration."""
    script = SAMPLES / f"{name}.py"
    return result(run_script(script, f"--checkpoint={checkpoint}", env=environment("2.8.0")))


def result(done: Run) -> float:
    """What a script ended with."""
    (figure,) = re.findall(r"result ([\d.]+)", done.check().stdout)
    return float(figure)


def journals(done: Run) -> list[list[str]]:
    """What each rank did with apex."""
    return [line.split("; ") for line in re.findall(r"^journal: (.*)$", done.check().stdout, re.MULTILINE)]


def resumed(run: Sequence[str], first: str = "initialize") -> list[str]:
    """The journal of a run of two epochs that loads a state first."""
    return [first, "load_state_dict", *run, *run]


def test_accumulation_clipping_and_resuming(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    script = migrated(tmp_path_factory) / "classifier.py"
    for expected in (["initialize", *EPOCH, *EPOCH], resumed(EPOCH)):
        checkpoint = f"--checkpoint={tmp_path / 'new.pt'}"
        done = run_script(JOURNAL, str(script), checkpoint, env=with_apex())
        assert journals(done) == [expected]
        assert result(done) == pytest.approx(original("classifier", tmp_path / "old.pt"), abs=1e-5)


def test_what_is_off_stays_off(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    script = migrated(tmp_path_factory) / "classifier.py"
    for _ in ("begun", "resumed"):
        arguments = ("--no-amp", f"--checkpoint={tmp_path / 'new.pt'}")
        done = run_script(JOURNAL, str(script), *arguments, env=with_apex())
        assert journals(done) == [["initialize, disabled", *["clip master_params"] * 4]]
        assert result(done) == pytest.approx(original("classifier", tmp_path / "old.pt"), abs=1e-5)


def test_two_models_with_a_scaler_each(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    script = migrated(tmp_path_factory) / "gan.py"
    done = run_script(JOURNAL, str(script), f"--checkpoint={tmp_path / 'new.pt'}", env=with_apex())
    step = ["scale loss 1", "scale loss 1", "step", "scale loss 0", "step"]
    assert journals(done) == [["initialize", *step * 3, "state_dict", "load_state_dict"]]
    assert result(done) == pytest.approx(original("gan", tmp_path / "old.pt"), abs=1e-5)


def test_decorators_nested_functions_and_one_loss_of_two_optimizers(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    script = migrated(tmp_path_factory) / "trainer.py"
    done = run_script(JOURNAL, str(script), env=with_apex())
    assert journals(done) == [["initialize", *["scale", "clip master_params", "step", "step"] * 3]]
    assert result(done) == pytest.approx(original("trainer", tmp_path / "none"), abs=1e-5)


def test_in_several_processes_apex_comes_before_the_wrapper(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    script = migrated(tmp_path_factory, distributed=True) / "classifier.py"
    arguments = (str(script), "--batch-size=4", f"--checkpoint={tmp_path / 'new.pt'}")
    done = run_ranks(JOURNAL, *arguments, env=with_apex())
    for journal in journals(done):
        assert journal[:2] == ["initialize", "wrap"]
        assert [item for item in journal[2:] if item != "state_dict"] == [*UPDATE * 4]
    assert result(done) == pytest.approx(original("classifier", tmp_path / "old.pt"), abs=1e-4)
