"""CUDA scripts, migrated by the command line, train on the NPU: for real, as far as the simulated one is.

Each script in ``samples/`` covers a part of the catalogue, in the way CUDA users write, and ends by
saying its first and last loss and where the loss and the parameters are.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend_rules.model.versions import NEWEST
from tests.execution.harness import Run, environment, migrate, run_ranks, run_script
from tests.simulator.cann.wheels import ON_WHEEL

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SAMPLES = Path(__file__).parent / "samples"
LOSSES = re.compile(r"first loss ([-\w.]+) last loss ([-\w.]+)")
PLACES = re.compile(r"loss on (\S+) parameters on (\S+)")

NEW = ("2.8.0", str(NEWEST))
OLD = "2.1.0"
UNSAFE = ("--unsafe",)
API_STYLE = ("--api-style", "torch.npu")


class Sample(NamedTuple):
    """How to migrate and run a script."""

    name: str
    torchrun: bool = False
    ranks: int = 1
    options: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    device: int = 0
    memory: int = 1 << 30
    runs_on_old: bool = False

    def __str__(self) -> str:
        return "".join((self.name, *self.options))


RUNS = (
    Sample("aliases", runs_on_old=True),
    Sample("aliases", options=API_STYLE),
    Sample("amp_of_cuda", runs_on_old=True),
    Sample("amp_of_torch"),
    Sample("apex_parts", torchrun=True, ranks=2, options=UNSAFE),
    Sample("backend_lists", options=UNSAFE),
    Sample("checkpoints"),
    Sample("cuda_methods", device=1, runs_on_old=True),
    Sample("data_parallel", options=UNSAFE),
    Sample("ddp_backends", torchrun=True, ranks=2),
    Sample("ddp_spawn", ranks=2),
    Sample("ddp_torchrun", torchrun=True, ranks=2),
    Sample("default_device"),
    Sample("default_type"),
    Sample("device_spellings", runs_on_old=True),
    Sample("environment"),
    Sample("float64_meter", torchrun=True, ranks=2, options=UNSAFE),
    Sample("fused_attention", options=UNSAFE),
    Sample("fused_kernels", options=UNSAFE),
    Sample("gan"),
    Sample("gan", options=("-s",), environment=(("DEVICE_ID", "1"),)),
    Sample("memory", memory=64 << 20),
    Sample("no_cuda_flag"),
    Sample("prefetcher", runs_on_old=True),
    Sample("profiling"),
    Sample("randomness"),
    Sample("tensor_types", runs_on_old=True),
)
CASES = [
    pytest.param(sample, version, id=f"{sample}-{version}")
    for sample in RUNS
    for version in (*NEW, *((OLD,) if sample.runs_on_old else ()))
]

_migrated: dict[tuple[str, tuple[str, ...]], Path] = {}


@pytest.fixture
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All samples, migrated as one project, once for a version and a choice of fixes."""
    sample, version = request.node.callspec.params["sample"], request.node.callspec.params["version"]
    key = (version, sample.options)
    if key not in _migrated:
        output = tmp_path_factory.mktemp("migrated") / "out"
        _migrated[key] = migrate(SAMPLES, output, version, *sample.options)
    return _migrated[key]


def start(sample: Sample, project: Path, version: str, output: Path) -> Run:
    """Runs a sample of a project, migrated or not."""
    extra = {"OUTPUT": str(output), **dict(sample.environment)}
    env = environment(version, memory=sample.memory, extra=extra)
    script = project / f"{sample.name}.py"
    return run_ranks(script, env=env, ranks=sample.ranks) if sample.torchrun else run_script(script, env=env)


def assert_trained(done: Run, devices: set[str]) -> None:
    """Each rank trained on its device: the loss is finite and went down."""
    losses, places = LOSSES.findall(done.stdout), PLACES.findall(done.stdout)
    assert len(losses) == len(places) == len(devices), done.describe()
    for first, last in losses:
        assert math.isfinite(float(last)) and float(last) < float(first), done.describe()
    assert {of_loss for of_loss, _ in places} == devices, done.describe()
    assert all(of_loss == of_parameters for of_loss, of_parameters in places), done.describe()


def test_every_sample_is_run_and_none_knows_the_npu() -> None:
    assert sorted(path.stem for path in SAMPLES.glob("*.py")) == sorted({sample.name for sample in RUNS})
    assert not [
        path.name for path in SAMPLES.glob("*.py") if re.search(r"\bnpu|torch_npu|hccl", path.read_text())
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("sample", "version"), CASES)
def test_a_migrated_script_trains_on_the_npu(
    sample: Sample, version: str, project: Path, tmp_path: Path
) -> None:
    done = start(sample, project, version, tmp_path).check()
    first = sample.device
    assert_trained(done, {f"npu:{index}" for index in range(first, first + sample.ranks)})


@pytest.mark.parametrize("name", ["no_cuda_flag", "cuda_methods"])
def test_what_is_not_migrated_does_not_train_on_the_npu(name: str, tmp_path: Path) -> None:
    """The trial of the trial: one script ends up on the CPU without a word, the other fails."""
    done = start(Sample(name), SAMPLES, NEW[-1], tmp_path)
    with pytest.raises(AssertionError):
        assert_trained(done.check(), {"npu:0"})


def test_device_id_chooses_the_card(tmp_path: Path) -> None:
    """With ``-s`` a script sees the card that DEVICE_ID names, and no other: here, one that is not there."""
    project = migrate(SAMPLES, tmp_path / "out", NEW[0], "-s")
    chosen = Sample("gan", environment=(("DEVICE_ID", "9"),))
    done = start(chosen, project, NEW[0], tmp_path)
    if ON_WHEEL:  # whose optimizers ask for the name of the device
        assert "No NPUs are available" in done.stderr
    else:
        assert_trained(done.check(), {"cpu"})
