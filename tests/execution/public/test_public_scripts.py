"""Scripts of public projects, migrated by the command line, train on the simulated NPU, or fail as they must.

Their own checks decide: gradients, errors of prediction. That they ran on the device is counted beside.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend_rules.model.versions import choose_version
from tests.execution.harness import Run, environment, migrate, run_script
from tests.execution.public.sources import Project, companions, copy_parts
from tests.server.verify.verifying import lines_that_ran, verify_project

pytestmark = [pytest.mark.slow, pytest.mark.execution, pytest.mark.network]

VERSION = "2.13.0"
WATCHED = Path(__file__).parent / "watched.py"
STEPS_VERIFIED = 3
STEPS = re.compile(r"steps on the NPU: (\d+), on the CPU: (\d+)")

PROCESSES = Project("gpytorch", "1.15.2", (("gpytorch", "gpytorch"), ("test/examples", "scripts")))
SPIKES = Project("spikingjelly", "2.0.0", (("spikingjelly", "spikingjelly"), ("ops", "spikingjelly/_ops")))
SPIKING = "spikingjelly/activation_based/examples"
ONLY_CUDA = ("-k", "cuda")
COMMON = ("-device", "npu:0", "-b", "8", "-j", "0", "-data-dir", ".", "-out-dir", "logs")


class Script(NamedTuple):
    """A script and its arguments."""

    project: Project
    path: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.project.name}-{Path(self.path).stem}"


TRAINED = (
    Script(PROCESSES, "scripts/test_fixed_noise_fanatasy_updates.py", ONLY_CUDA),
    Script(PROCESSES, "scripts/test_model_list_gp_regression.py", ONLY_CUDA),
    Script(PROCESSES, "scripts/test_sgpr_regression.py", ONLY_CUDA),
    Script(PROCESSES, "scripts/test_simple_gp_regression.py", ONLY_CUDA),
    Script(PROCESSES, "scripts/test_white_noise_regression.py", ONLY_CUDA),
    Script(
        SPIKES,
        f"{SPIKING}/lif_fc_mnist.py",
        (*COMMON, "-T", "4", "-epochs", "2", "-amp", "-opt", "adam", "-lr", "0.01"),
    ),
    Script(
        SPIKES,
        f"{SPIKING}/rsnn_sequential_fmnist.py",
        (*COMMON, "-model", "plain", "-epochs", "1", "-amp", "-opt", "adam", "-lr", "0.01"),
    ),
    Script(
        SPIKES,
        f"{SPIKING}/conv_fashion_mnist.py",
        (*COMMON, "-T", "2", "-epochs", "1", "-channels", "8", "-opt", "sgd", "-lr", "0.1"),
    ),
)
IN_DOUBLE = (
    Script(PROCESSES, "scripts/test_batch_svgp_gp_regression.py", ONLY_CUDA),
    Script(PROCESSES, "scripts/test_grid_gp_regression.py", ONLY_CUDA),
)
"""Scripts that cast to double precision on the device, where torch_npu makes single precision and says so."""

_migrated: dict[str, Path] = {}


def migrated(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated project; it is migrated once."""
    if project.name not in _migrated:
        folder = tmp_path_factory.mktemp("public")
        copy_parts(project, folder / project.name)
        _migrated[project.name] = migrate(folder / project.name, folder / "out", VERSION, "--unsafe")
    return _migrated[project.name]


def started(script: Script, tmp_path_factory: pytest.TempPathFactory, workplace: Path) -> Run:
    """Runs a script of a migrated project."""
    place = migrated(script.project, tmp_path_factory)
    env = environment(VERSION)
    paths = (env["PYTHONPATH"], str(place), str(companions()))
    env["PYTHONPATH"] = os.pathsep.join(paths)
    return run_script(WATCHED, str(place / script.path), *script.arguments, env=env, cwd=workplace)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("script", TRAINED, ids=str)
def test_a_migrated_script_trains(
    script: Script, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    done = started(script, tmp_path_factory, tmp_path).check()
    (steps,) = STEPS.findall(done.stdout)
    assert int(steps[0]) > 0 and int(steps[1]) == 0, done.describe()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("script", TRAINED, ids=str)
def test_verify_proves_it(
    script: Script, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a user would: the steps are counted, and the lines of the script that ran are known."""
    place = migrated(script.project, tmp_path_factory)
    shutil.copy(WATCHED, place)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(place), str(companions()))))
    command = (WATCHED.name, script.path, *script.arguments)
    version = choose_version(VERSION).version
    result = verify_project(place, command, monkeypatch, version=version, steps=STEPS_VERIFIED)
    assert (result.exit_code, result.steps, result.steps_on_cpu) == (0, STEPS_VERIFIED, 0)
    assert "npu" in lines_that_ran(result, place, script.path)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("script", IN_DOUBLE, ids=lambda script: script.path)
def test_a_script_that_casts_to_double_precision_is_warned_and_trains(
    script: Script, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    done = started(script, tmp_path_factory, tmp_path)
    assert done.returncode == 0, done.describe()
    assert "Device do not support double dtype now, dtype cast replace with float" in done.stderr
    assert "steps on the NPU: 0" not in done.stdout and "on the CPU: 0" in done.stdout
