"""Code made device-agnostic runs unchanged on the CPU, and on the NPU where torch has loaded torch_npu."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.execution.harness import environment, migrate, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

HERE = Path(__file__).parent
VERSION = "2.13.0"
ON_BOTH = ("fused_kernels", "gan", "no_cuda_flag", "amp_of_torch")
ON_NPU = ("amp_of_cuda", "cuda_methods", "default_device")
"""These ask for an accelerator and end where there is none, as they did without CUDA."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agnostic")
    source = folder / "samples"
    source.mkdir()
    for name in (*ON_BOTH, *ON_NPU):
        shutil.copy(HERE / "samples" / f"{name}.py", source)
    migrate(source, folder / "out", VERSION, "--target", "accelerator")
    return folder / "out" / "samples_accelerator"


@pytest.mark.parametrize("name", ON_BOTH)
def test_it_trains_on_the_cpu(project: Path, name: str) -> None:
    done = run_script(project / f"{name}.py", env=environment(VERSION)).check()
    assert "loss on cpu parameters on cpu" in done.stdout, done.describe()


@pytest.mark.parametrize("name", (*ON_BOTH, *ON_NPU))
def test_the_same_text_trains_on_the_npu(project: Path, name: str) -> None:
    script = project / f"{name}.py"
    assert re.search(r"\b(torch_npu|npu)\b", script.read_text("utf-8")) is None
    done = run_script(
        HERE / "autoloaded.py", str(script), env=environment(VERSION), cwd=script.parent
    ).check()
    assert re.search(r"loss on npu:\d parameters on npu:\d", done.stdout), done.describe()
