"""Real editors: a project for them to open, and the set-ups that docs/editors.md recommends."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gpu2ascend
import gpu2ascend_rules

DOCUMENT = Path(__file__).parents[2] / "docs" / "editors.md"
TRAIN = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\ntorch.cuda.synchronize()\n"


def program(name: str) -> str:
    """Where an editor is; without it the test is skipped."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def setup_of(editor: str, language: str) -> str:
    """The first block of a language in the section on an editor."""
    section = DOCUMENT.read_text(encoding="utf-8").partition(f"\n## {editor}\n")[2].partition("\n## ")[0]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return found[1]


def make_project(root: Path) -> Path:
    """A project of one script that settles its version; gives the script."""
    root.mkdir()
    (root / "requirements.txt").write_text("torch==2.8.0\n", encoding="utf-8")
    (root / "train.py").write_text(TRAIN, encoding="utf-8")
    return root / "train.py"


def run(command: list[str], home: Path, result: Path) -> Any:
    """Run an editor to its end; what its script wrote down."""
    environment = dict(os.environ)
    roots = {str(Path(package.__file__).parents[1]) for package in (gpu2ascend, gpu2ascend_rules)}
    environment["PYTHONPATH"] = os.pathsep.join(sorted(roots))
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    environment["HOME"] = str(home)
    done = subprocess.run(
        command,
        env=environment,
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert result.exists(), done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
    return json.loads(result.read_text(encoding="utf-8"))
