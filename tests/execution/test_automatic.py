"""Scripts that only import transfer_to_npu train on the simulated NPU, where all that they use is reached."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.execution.harness import environment, migrate, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SAMPLES = Path(__file__).parent / "samples"
VERSION = "2.13.0"
NAMES = ("gan", "aliases", "default_device", "fused_kernels")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("automatic")
    source = folder / "samples"
    source.mkdir()
    for name in NAMES:
        shutil.copy(SAMPLES / f"{name}.py", source)
    migrate(source, folder / "out", VERSION, "--auto")
    return folder / "out" / "samples_msft"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_script_of_which_all_is_reached_trains(project: Path, name: str) -> None:
    given, made = (SAMPLES / f"{name}.py").read_text("utf-8"), (project / f"{name}.py").read_text("utf-8")
    added = "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
    assert made.replace(added, "", 1) == given
    done = run_script(project / f"{name}.py", env=environment(VERSION)).check()
    assert re.search(r"loss on npu:\d parameters on npu:\d", done.stdout), done.describe()
