"""Projects in other people's styles, made distributed: nothing hangs, and two processes do what one does.

Each is run alone and in two processes with half the batch size. What it reports and every checkpoint must be
equal; a process that waits for another for ever is ended after a while, and its exit code says so.
"""

from __future__ import annotations

import re
import runpy
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend_rules.options.options import options_from
from tests.execution.distributed.processes import Training, train
from tests.execution.distributed.test_converted_scripts import RESULT, assert_same_state, load

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SAMPLES = Path(__file__).parent / "samples"
BATCH_SIZE = 8


class Style(NamedTuple):
    """A project of one file or several, and how its model is named."""

    name: str
    model: str
    tolerance: float = 1e-3

    def __str__(self) -> str:
        return self.name

    @property
    def script(self) -> str:
        """The entry script."""
        return "train.py" if (SAMPLES / self.name).is_dir() else f"{self.name}.py"


STYLES = (
    Style("one_line", "net"),
    Style("resume_if_there", "model"),
    Style("built_elsewhere", "model,self.network"),
    Style("lit_module", "self.model"),
    Style("moved_late", "self.model"),
    Style("phases_again", "model"),
    Style("skips_nan", "model"),
    Style("early_stopping", "model"),
    Style("visible_cards", "net"),
    Style("journals", "model"),
    Style("endless", "self.model"),
    Style("cycle_style", "self.netG,self.netD"),
    Style("samplers", "net"),
    Style("stream", "model"),
    Style("loader_maker", "net"),
    Style("averaged", "model"),
    Style("config_trainer", "self.model"),
    Style("nested_functions", "net"),
    Style("own_samplers", "net,head"),
    Style("searching", "model"),
    Style("lambdas", "net"),
    Style("dictionaries", "model"),
    Style("learner", "model"),
    Style("frozen_parts", "model"),
    Style("growing_data", "net"),
    Style("saved_folders", "model"),
    Style("sharpness_aware", "net"),
    Style("frozen_critic", "netG,netD"),
    Style("parts_by_name", "netG,netD"),
    Style("comprehensions", "self.net"),
    Style("translator", "encoder,decoder"),
    Style("found_by_name", "self.netG_A,self.netG_B,self.netD_A,self.netD_B"),
)
BATCH_NORM = Style("batch_norm", "model")


def trained(style: Style, directory: Path) -> list[tuple[Training, Path]]:
    """The training alone and in two processes, with the directories of their files."""
    project = directory / "project"
    if (SAMPLES / style.name).is_dir():
        shutil.copytree(SAMPLES / style.name, project)
    else:
        project.mkdir()
        shutil.copy(SAMPLES / style.script, project)
    settings = {"version": "2.8.0", "distributed": True, "main_file": style.script}
    options = options_from({**settings, "target_model": style.model})
    done = migrate(MigrationRequest(input=project, output=directory / "out", options=options, jobs=1))
    assert done.output_path is not None and done.summary.errors == 0
    script = done.output_path / style.script
    runs = []
    for ranks in (1, 2):
        output = directory / f"run{ranks}"
        runs.append((train(script, output, ranks, batch_size=BATCH_SIZE // ranks).check(), output))
    return runs


@pytest.mark.one_in(3)
@pytest.mark.parametrize("style", STYLES, ids=str)
def test_two_processes_do_what_one_does(
    style: Style, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (single, alone), (both, together) = trained(style, tmp_path)
    expected = [float(figure) for figure in RESULT.findall(single.output)]
    reported = [float(figure) for figure in RESULT.findall(both.output)]
    assert expected and sorted(reported) == pytest.approx(sorted(expected), rel=1e-3, abs=1e-4)
    assert both.saved == single.saved != (), "a checkpoint was not written, or written more than once"
    _know_the_classes_of(tmp_path / "project" / style.script, monkeypatch)
    for name in set(single.saved):
        one, two = (load(next(place.rglob(name))) for place in (alone, together))
        assert_same_state(one, two, style.tolerance)


def test_batch_normalization_takes_its_statistics_of_a_share_and_that_is_said(tmp_path: Path) -> None:
    (single, alone), (both, together) = trained(BATCH_NORM, tmp_path)
    log = next((tmp_path / "out").rglob("msFmkTranspltlog.txt")).read_text()
    assert "torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)" in log
    expected, reported = ([float(figure) for figure in RESULT.findall(run.output)] for run in (single, both))
    assert len(reported) == len(expected) and reported != pytest.approx(expected, rel=1e-3)
    one, two = (load(next(place.rglob("net.pt"))) for place in (alone, together))
    assert isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys()


def _know_the_classes_of(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whole models be loaded, whose classes are those of the script that was the program."""
    if re.search(r"^class \w+\(nn\.Module\)", script.read_text(), re.MULTILINE):
        monkeypatch.setenv("BATCH_SIZE", str(BATCH_SIZE))
        for name, value in runpy.run_path(str(script), run_name="sample").items():
            if isinstance(value, type):
                monkeypatch.setattr(sys.modules["__main__"], name, value, raising=False)


def test_every_style_is_tried() -> None:
    assert sorted(path.stem for path in SAMPLES.iterdir()) == sorted(
        style.name for style in (*STYLES, BATCH_NORM)
    )
