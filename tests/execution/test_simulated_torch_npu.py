"""The simulated torch_npu behaves like the real one where migrated code can notice.

The statements are in ``behaviour/``; each file runs in a separate process, because the simulator
changes torch for good.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.model.versions import NEWEST
from tests.execution.harness import environment, run_ranks, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

BEHAVIOUR = Path(__file__).parent / "behaviour"
PYTEST = Path(pytest.__file__).parent / "__main__.py"
# Where the versions differ: the argument of Module.npu(), the names, the type of an out-of-memory error.
VERSIONS = {"modules.py": ("2.7.1", "2.8.0"), "names.py": ("2.5.1", "2.8.0"), "memory.py": ("2.5.1", "2.8.0")}
DISTRIBUTED = "collectives.py"
MANY_DEVICES = "visible_devices.py"
CASES = [
    pytest.param(path.name, version, id=f"{path.stem}-{version}")
    for path in sorted(BEHAVIOUR.glob("*.py"))
    if path.name != DISTRIBUTED
    for version in (*VERSIONS.get(path.name, ()), str(NEWEST))
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("file", "version"), CASES)
def test_behaves_like_torch_npu(file: str, version: str, tmp_path: Path) -> None:
    options = ("-q", "--tb=short", "-p", "no:cacheprovider", "-c", "/dev/null", "--noconftest")
    env = environment(version, devices=8 if file == MANY_DEVICES else 2, memory=1 << 30)
    run_script(PYTEST, *options, str(BEHAVIOUR / file), cwd=tmp_path, env=env).check()


@pytest.mark.parametrize("backend", ["hccl", "cpu:gloo,npu:hccl"])
def test_hccl_behaves_like_hccl(backend: str) -> None:
    done = run_ranks(BEHAVIOUR / DISTRIBUTED, backend, env=environment(str(NEWEST))).check()
    assert done.stdout.count("all collectives behave") == 2, done.describe()


def test_without_torch_npu_imported_there_is_no_npu(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import torch\nassert not hasattr(torch, 'npu')\ntorch.ones(2, device='npu')\n")
    done = run_script(script, env=environment(str(NEWEST)))
    assert done.returncode != 0
    assert "npu" in done.stderr


def test_version_1_5_has_no_torch_npu(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import torch_npu\n")
    done = run_script(script, env=environment("1.5.0"))
    assert "ModuleNotFoundError: No module named 'torch_npu'" in done.stderr


def test_a_forked_process_cannot_use_the_device_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, torch, torch_npu\n"
        "torch.ones(2, device='npu')\n"
        "if os.fork() == 0:\n"
        "    try:\n"
        "        torch.ones(2, device='npu')\n"
        "    except RuntimeError as error:\n"
        "        print(error, flush=True)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    )
    done = run_script(script, env=environment(str(NEWEST))).check()
    assert "Cannot re-initialize NPU in forked subprocess" in done.stdout


def test_seeding_uses_no_device(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import torch, torch_npu\n"
        "torch.manual_seed(0)\n"
        "torch.npu.manual_seed_all(0)\n"
        "print(torch.npu.is_initialized())\n"
        "torch.ones(2, device='npu')\n"
        "print(torch.npu.is_initialized())\n"
    )
    assert run_script(script, env=environment(str(NEWEST))).check().stdout.split() == ["False", "True"]
