"""What ``--diff`` prints makes of the project what a migration writes, whatever its files are like."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    shutil.which("patch") is None or shutil.which("git") is None, reason="no patch or git command"
)

TEXT = "import torch\nx = torch.zeros(3).cuda()\ns = 'é'\n"
CELL = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [TEXT]}
NOTEBOOK = json.dumps({"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
FILES = {
    "bom.py": b"\xef\xbb\xbf" + TEXT.encode(),
    "latin.py": f"# -*- coding: latin-1 -*-\n{TEXT}".encode("latin-1"),
    "chinese.py": "# coding: gbk\n{}".format(TEXT.replace("é", "中文")).encode("gbk"),
    "windows.py": TEXT.replace("\n", "\r\n").encode(),
    "mac.py": TEXT.replace("\n", "\r").encode(),
    "mixed.py": b"import torch\r\nx = torch.zeros(3).cuda()\ny = x.cuda()\r\n",
    "unended.py": TEXT.rstrip().encode(),
    "odd.py": TEXT.replace("é", "\x0c\u2028\x85").encode(),
    "a dir/a b.py": TEXT.encode(),
    "中文/é.py": TEXT.encode(),
    "-dash.py": TEXT.encode(),
    "run.sh": b"#!/bin/bash\nexport CUDA_VISIBLE_DEVICES=0\npython train.py --device cuda\n",
    "notebook.ipynb": NOTEBOOK.encode(),
    "pads.py": b"import torch\nlayer = torch.nn.ReflectionPad2d(1)\n",
}
NOT_ON_WINDOWS = {'quo"ted.py': TEXT.encode(), "a\ttab.py": TEXT.encode()}
ADDED = frozenset({"env.sh", ".gpu2ascend.json", ".gpu2ascend-files.json"})


def run(*arguments: object, version: str = "1.8.1") -> bytes:
    command = [sys.executable, "-I", "-m", "gpu2ascend", "migrate", "-v", version, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def contents(directory: Path, names: Sequence[str]) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in names}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "proj"
    files = FILES if sys.platform == "win32" else {**FILES, **NOT_ON_WINDOWS}
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


@pytest.mark.parametrize("tool", [["git", "apply"], ["patch", "-p1", "--binary"]], ids=["git-apply", "patch"])
def test_every_file_becomes_what_a_migration_writes(project: Path, tmp_path: Path, tool: list[str]) -> None:
    run("-i", project, "-o", tmp_path / "out", "-sim", "--modelarts")
    diff = run("-i", project, "--diff", "-sim", "--modelarts")
    subprocess.run(tool, cwd=project, input=diff, capture_output=True, check=True)
    migrated = tmp_path / "out" / "proj_msft"
    names = sorted(
        path.relative_to(migrated).as_posix()
        for path in migrated.rglob("*")
        if path.suffix in (".py", ".ipynb", ".sh") and path.name not in ADDED
    )
    assert {"ascend_function/__init__.py", "bom.py", "a dir/a b.py"} <= set(names)
    assert contents(project, names) == contents(migrated, names)


def test_the_scripts_of_the_distributed_rule_come_with_it(tmp_path: Path) -> None:
    project = tmp_path / "proj"
    project.mkdir()
    (project / "train.py").write_text(
        "import torch\nfrom torch.utils.data import DataLoader\nmodel = torch.nn.Linear(2, 2).cuda()\n"
        "for x in DataLoader(data):\n    model(x.cuda()).sum().backward()\n"
    )
    diff = run(
        "-i", project, "--diff", "distributed", "-m", "train.py", "--launcher", "shell", version="2.8.0"
    )
    subprocess.run(["git", "apply"], cwd=project, input=diff, capture_output=True, check=True)
    assert {"run_distributed_npu.sh", "run_shell.sh", "env.sh"} <= {path.name for path in project.iterdir()}
