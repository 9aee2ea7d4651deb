"""Scripts for one device, made distributed, train: alone as before, and in several processes to the same end.

With the batch size divided by the number of processes and without shuffling, several processes together take
the steps of a single one: what the scripts report, and the checkpoints that they write, must be equal.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend_rules.options.options import options_from
from tests.execution.distributed.processes import Training, train
from tests.server.verify.verifying import lines_that_ran, verify_project

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SAMPLES = Path(__file__).parent / "samples"
RESULT = re.compile(r"result (-?[\d.]+(?:e-?\d+)?)")
BATCH_SIZE = 8


class Sample(NamedTuple):
    """A script, or a project of several files, and how to convert it."""

    name: str
    model: str
    main: str = ""
    tolerance: float = 1e-4

    def __str__(self) -> str:
        return self.name

    @property
    def script(self) -> str:
        """The entry script."""
        return self.main or f"{self.name}.py"


SCRIPTS = (
    Sample("functions", "model"),
    Sample("trainer_class", "self.model", tolerance=1e-3),
    Sample("notebook_script", "model"),
    Sample("several_loaders", "net"),
    Sample("gan_two_models", "netG,netD", tolerance=1e-3),
    Sample("accumulation", "model", tolerance=1e-3),
    Sample("mixed_precision", "model", tolerance=1e-2),
    Sample("evaluation", "net", tolerance=1e-3),
    Sample("resume", "model"),
    Sample("data_parallel", "model"),
    Sample("iterations", "net"),
    Sample("phases", "model"),
    Sample("counted", "model"),
    Sample("multi_file", "model", main="train.py"),
)

_converted: dict[str, Path] = {}


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's entry script, migrated with the distributed rule; once for all tests."""
    sample: Sample = request.node.callspec.params["sample"]
    if sample.name not in _converted:
        directory = tmp_path_factory.mktemp(sample.name)
        project = directory / "project"
        if sample.main:
            shutil.copytree(SAMPLES / sample.name, project)
        else:
            project.mkdir()
            shutil.copy(SAMPLES / sample.script, project)
        _converted[sample.name] = converted(project, directory / "out", sample) / sample.script
    return _converted[sample.name]


def converted(project: Path, output: Path, sample: Sample) -> Path:
    """The directory of a migrated project."""
    options = options_from(
        {"version": "2.8.0", "distributed": True, "main_file": sample.script, "target_model": sample.model}
    )
    done = migrate(MigrationRequest(input=project, output=output, options=options, jobs=1))
    assert done.summary.errors == 0 and done.output_path is not None
    return done.output_path


_alone: dict[str, tuple[Training, Path]] = {}


@pytest.fixture
def alone(
    request: pytest.FixtureRequest, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Training, Path]:
    """The training in a single process, and the directory of its checkpoints; once for all tests."""
    sample: Sample = request.node.callspec.params["sample"]
    if sample.name not in _alone:
        output = tmp_path_factory.mktemp("alone") / "output"
        _alone[sample.name] = train(script, output, batch_size=BATCH_SIZE).check(), output
    return _alone[sample.name]


def test_every_sample_is_converted_and_none_knows_more_than_one_device() -> None:
    assert sorted({path.stem for path in SAMPLES.iterdir()}) == sorted(sample.name for sample in SCRIPTS)
    foreign = re.compile(r"\bnpu|torch_npu|hccl|distributed|DistributedSampler|LOCAL_RANK")
    assert [path.name for path in SAMPLES.rglob("*.py") if foreign.search(path.read_text())] == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sample", SCRIPTS, ids=str)
@pytest.mark.parametrize("ranks", [2, 4])
def test_several_processes_train_as_one_does(
    sample: Sample, ranks: int, script: Path, alone: tuple[Training, Path], tmp_path: Path
) -> None:
    single, directory = alone
    done = train(script, tmp_path / "output", ranks, batch_size=BATCH_SIZE // ranks).check()
    assert_same_results(sample, single, done)
    assert done.saved == single.saved != (), "a checkpoint was not written, or written more than once"
    for name in set(done.saved):
        assert_same_state(load(directory / name), load(tmp_path / "output" / name), sample.tolerance)


@pytest.mark.parametrize("sample", SCRIPTS, ids=str)
def test_a_second_migration_changes_nothing(sample: Sample, script: Path, tmp_path: Path) -> None:
    project = script.parent
    again = converted(project, tmp_path / "again", sample)
    files = {path.relative_to(project): path.read_bytes() for path in project.rglob("*.py")}
    assert {name: (again / name).read_bytes() for name in files} == files


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sample", SCRIPTS, ids=str)
def test_verify_proves_it_in_two_processes(
    sample: Sample, script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a user would: steps of both ranks on their NPUs, through the lines that the conversion wrote."""
    monkeypatch.setenv("BATCH_SIZE", str(BATCH_SIZE // 2))
    monkeypatch.setenv("OUTPUT", str(tmp_path))
    result = verify_project(script.parent, (script.name,), monkeypatch, ranks=2, steps=4)
    assert (result.exit_code, [rank.steps for rank in result.ranks], result.steps_on_cpu) == (0, [4, 4], 0)
    ran = "".join(lines_that_ran(result, script.parent, file.path) for file in result.coverage)
    assert "init_process_group(" in ran and "DistributedDataParallel(" in ran


def test_launchers_of_old_are_understood(tmp_path: Path) -> None:
    """Shell loops that export DEVICE_ID, RANK_ID and RANK_SIZE."""
    project = tmp_path / "project"
    project.mkdir()
    sample = SCRIPTS[0]
    shutil.copy(SAMPLES / sample.script, project)
    migrated = converted(project, tmp_path / "out", sample) / sample.script
    done = train(migrated, tmp_path / "output", 2, batch_size=4, old_names=True).check()
    assert set(done.saved) == {"model.pt"}


def assert_same_results(sample: Sample, single: Training, several: Training) -> None:
    """What is reported, by one process: the same figures."""
    expected = [float(figure) for figure in RESULT.findall(single.output)]
    reported = [float(figure) for figure in RESULT.findall(several.output)]
    assert expected, single.output
    assert reported == pytest.approx(expected, rel=sample.tolerance, abs=1e-4), several.output


def load(path: Path) -> object:
    """A checkpoint, on the CPU; whatever it holds."""
    import torch

    return torch.load(path, map_location="cpu", weights_only=False)


def assert_same_state(one: object, other: object, tolerance: float) -> None:
    """Two checkpoints hold the same names and, nearly, the same numbers."""
    import torch

    if isinstance(one, torch.nn.Module):
        one, other = one.state_dict(), other.state_dict()  # type: ignore[attr-defined]
    assert type(one) is type(other)
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same_state(one[key], other[key], tolerance)
    elif isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        torch.testing.assert_close(one, other, rtol=tolerance * 10, atol=tolerance)
