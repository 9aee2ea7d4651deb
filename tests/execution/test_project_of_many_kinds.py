"""A project of many kinds of file is migrated as a whole: what one file says still reaches what reads it.

Its makefile sets the devices, the script counts them and starts torchrun, the program's options take what the
script passes, and the device comes from a YAML file.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.execution.harness import environment, migrate, run

pytestmark = [pytest.mark.slow, pytest.mark.execution]

PROJECT = Path(__file__).parent / "many_kinds" / "samples" / "project"
VERSION = "2.8.0"
REPORTED = re.compile(r"(cuda_run rank \d of \d on npu:\d) loss (\d\.\d{4})")
"""What a rank prints; two that print at once may share a line."""
OF_CUDA = re.compile(r"cuda|nccl|nvidia", re.IGNORECASE)


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return migrate(PROJECT, tmp_path_factory.mktemp("out"), VERSION, "--image", "registry/torch-npu:2.8.0")


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_its_own_command_trains_on_two_npus(migrated: Path) -> None:
    programs = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = run(("make", "train"), cwd=migrated, env=environment(VERSION, extra={"PATH": programs})).check()
    lines = REPORTED.findall(done.stdout)
    assert sorted(rank for rank, _ in lines) == [
        "cuda_run rank 0 of 2 on npu:0",
        "cuda_run rank 1 of 2 on npu:1",
    ], done.describe()
    assert len({loss for _, loss in lines}) == 1, "both train the same model"


def test_only_words_for_people_and_what_is_reported_still_name_cuda(migrated: Path) -> None:
    left = {
        f"{path.relative_to(PROJECT).as_posix()}: {line.strip()}"
        for path in PROJECT.rglob("*")
        if path.is_file()
        for line in (migrated / path.relative_to(PROJECT)).read_text(encoding="utf-8").splitlines()
        if OF_CUDA.search(line)
    }
    assert left == {
        'configs/run.yaml: tag: "cuda 12 baseline"',
        'configs/eval.json: {"run": {"device": "npu:0"}, "note": "on cuda"}',
        "requirements.txt: # nvidia-cublas-cu12  # needs CUDA",
        'scripts/train.sh: torchrun --nproc_per_node="$NPROC" train.py --config configs/run.yaml '
        "--dist-backend hccl --name cuda_run",
        "docker-compose.yml: runtime: nvidia",
    }
    log = (migrated / "msFmkTranspltlog.txt").read_text(encoding="utf-8")
    assert "docker-compose.yml:4: NPU1303" in log
