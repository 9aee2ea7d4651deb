"""What a check of a small file imports: what it needs, and little else. Counts, no seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MOST = 438
"""Of our own modules, of which there are more than 1,000."""
PROGRAM = """
import sys
from gpu2ascend.__main__ import main
code = main(["check", *sys.argv[1:]])
print(code, *sys.modules, file=sys.stderr)
"""
COLLECTOR = """
import gc, sys
from gpu2ascend.__main__ import main
sys.argv = ["gpu2ascend", "explain", "NPU110"]
code = main() if sys.argv[1:] and len(sys.orig_argv) < 4 else main(sys.argv[1:])
print(code, gc.isenabled(), gc.get_freeze_count() > 0, file=sys.stderr)
"""
LATER = (
    "libcst",
    "jedi",
    "parso",
    "packaging",
    "pygls",
    "lsprotocol",
    "multiprocessing",
    "logging",
    "tomllib",
)
"""What only other files, several processes, a migration or an editor needs."""


def imported(path: Path, text: str, *flags: str) -> set[str]:
    """The modules that are there after a check of a file which has problems."""
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *flags, path.name],
        cwd=path.parent, capture_output=True, text=True, check=True,
    )  # fmt: skip
    code, *modules = done.stderr.splitlines()[-1].split()
    assert code == "1" and "NPU" in done.stdout
    return set(modules)


@pytest.mark.parametrize("text", ["torch.ones(2).cuda()", "torch.zeros(3, device='cuda')"])
def test_a_check_of_two_lines_imports_little(tmp_path: Path, text: str) -> None:
    modules = imported(tmp_path / "project" / "two.py", f"import torch\nx = {text}\n")
    assert "gpu2ascend_rules.checking" in modules
    assert not modules.intersection(LATER)
    assert not {name for name in modules if name.startswith("gpu2ascend_mindspore")}
    assert not {name for name in modules if name.startswith("gpu2ascend.project.migrate.migrate")}
    assert len([name for name in modules if name.startswith("gpu2ascend")]) <= MOST


def test_a_script_needs_nothing_of_packages(tmp_path: Path) -> None:
    modules = imported(tmp_path / "project" / "run.sh", "export CUDA_VISIBLE_DEVICES=0\n")
    assert "gpu2ascend_rules.kinds.lock" in modules
    assert not modules.intersection(LATER)


@pytest.mark.parametrize(
    ("name", "text", "module"),
    [
        ("requirements.txt", "torch==2.8.0\napex\n", "packaging"),
        ("pyproject.toml", "[project]\nname = 'a'\ndependencies = ['apex']\n", "tomllib"),
    ],
)
def test_what_a_file_needs_is_imported(tmp_path: Path, name: str, text: str, module: str) -> None:
    assert module in imported(tmp_path / "project" / name, text)


@pytest.mark.parametrize("is_called", [False, True])
def test_what_a_process_imports_for_its_command_is_never_searched_for_garbage(is_called: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COLLECTOR, *["called"] * is_called],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr.splitlines()[-1].split() == ["0", "True", str(not is_called)]
