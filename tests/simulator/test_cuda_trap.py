"""``torch.cuda`` raises in the files of a project, and nowhere else."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from tests.execution.harness import SOURCE_ROOTS, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

BEGIN = "from pathlib import Path\nfrom gpu2ascend_simulator.cuda_trap import set_trap\n"


@pytest.fixture(autouse=True)
def _torch() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")


def error_of(folder: Path, code: str) -> str:
    """What ends a program that loads a module of the project with this code; nothing if it runs."""
    project = folder / "project"
    project.mkdir()
    (project / "part.py").write_text(code)
    script = folder / "script.py"
    script.write_text(
        f"{BEGIN}import torch, torch.cuda.amp, sys\nset_trap(Path({str(project)!r}))\n"
        f"assert torch.cuda.is_available() is False\nsys.path.insert(0, {str(project)!r})\n"
        "torch.manual_seed(0)\nimport part\n"
    )
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, SOURCE_ROOTS)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = run_script(script, env=env)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import torch\nok = torch.cuda.is_available()\n", "torch.cuda.is_available"),
        ("from torch import cuda\nn = cuda.device_count()\n", "torch.cuda.device_count"),
        ("import torch\nfrom torch.cuda.amp import autocast\n", "torch.cuda.amp.autocast"),
        ("import torch\nwith torch.autocast('cuda'):\n    pass\n", 'torch.autocast("cuda")'),
        ("import torch\nscaler = torch.amp.GradScaler()\n", 'torch.amp.GradScaler("cuda")'),
    ],
)
def test_a_use_in_a_file_of_the_project_raises_with_its_line(tmp_path: Path, code: str, name: str) -> None:
    error = error_of(tmp_path, code)
    assert f"{tmp_path / 'project' / 'part.py'}:2: {name} is used" in error


@pytest.mark.parametrize(
    "code",
    [
        "with torch.autocast('cpu', dtype=torch.bfloat16):\n    pass\n",
        "with torch.autocast('cuda', enabled=False):\n    pass\n",
        "with torch.autocast('cuda', None, False):\n    pass\n",
        "scaler = torch.amp.GradScaler('cpu')\n",
        "scaler = torch.amp.GradScaler(enabled=False)\n",
    ],
)
def test_mixed_precision_of_others_and_none_may_be_asked_for(tmp_path: Path, code: str) -> None:
    assert error_of(tmp_path, f"import torch\n{code}") == ""


def test_libraries_may_ask_it(tmp_path: Path) -> None:
    assert error_of(tmp_path, "import torch\nmodel = torch.nn.Linear(2, 2)\ntorch.manual_seed(1)\n") == ""
