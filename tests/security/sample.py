"""A project on which every command has something to do, in every kind of process, and what lies around it."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

CODE = """\
import os
import torch
from torch.nn.parallel import DistributedDataParallel


class Model(torch.nn.Module):
    def forward(self, x):
        return x.cuda()


def train(model, box):
    model.cuda()
    box.inner.is_cuda
    torch.cuda.nvtx.mark("step")
    torch.cuda.comm.broadcast(box.tensor, [0, 1])
"""
FILLER = f'NOTES = """{"Text that makes the file as large as a worker process is worth." * 3_500}"""\n'
FILES = 4

TRAINING = """\
import torch
from torch.utils.data import DataLoader

def main():
    model = torch.nn.Linear(2, 2).cuda()
    loader = DataLoader([1, 2])
    for batch in loader:
        model(batch.cuda())

if __name__ == "__main__":
    main()
"""


class Sample(NamedTuple):
    """The project, and what is not part of it."""

    project: Path
    outside: Path
    """Links of the project lead here. Nothing of it is read or written."""
    output: Path
    """For the result of a migration."""


def make_sample(folder: Path) -> Sample:
    """Make the project and what is around it."""
    project, outside, output = (folder / name for name in ("project", "outside", "output"))
    for directory in (project / "package", outside / "package", output):
        directory.mkdir(parents=True)
    (outside / "secret.py").write_text(CODE, encoding="utf-8")
    (outside / "package" / "secret.py").write_text(CODE, encoding="utf-8")
    (outside / "secret.json").write_text('{"rules": {}}', encoding="utf-8")
    for number in range(FILES):
        (project / "package" / f"part{number}.py").write_text(CODE + FILLER, encoding="utf-8")
    (project / "large.py").write_text(CODE + FILLER * 2, encoding="utf-8")
    (project / "train.py").write_text(TRAINING, encoding="utf-8")
    (project / "data.bin").write_bytes(bytes(range(256)))
    (project / "kernel.cu").write_text("__global__ void scale(float* x) {}\n", encoding="utf-8")
    (project / "requirements.txt").write_text("torch==2.8.0\n", encoding="utf-8")
    cell = {"cell_type": "code", "metadata": {}, "source": [CODE], "outputs": [], "execution_count": None}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "notebook.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    _link(project / "secret.py", outside / "secret.py")
    _link(project / "linked", outside / "package")
    return Sample(project, outside, output)


def _link(place: Path, target: Path) -> None:
    try:
        place.symlink_to(target, target_is_directory=target.is_dir())
    except OSError:  # Windows lets only some users make links
        if os.name != "nt":
            raise


def snapshot(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder: kinds, modes, times and contents."""
    found: dict[str, tuple[object, ...]] = {}
    for top, directories, files in os.walk(folder):
        for name in (*directories, *files):
            path = Path(top, name)
            status = path.lstat()
            if path.is_symlink():
                content = str(path.readlink())
            elif path.is_dir():
                content = ""
            else:
                content = hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, content)
    return found


def commands(sample: Sample) -> dict[str, list[str]]:
    """A command line for each command and for each way that it works in."""
    project = str(sample.project)
    migrate = ["migrate", "-i", project, "-v", "2.8.0", "--jobs", "2"]
    return {
        "check": ["check", project, "-v", "2.8.0", "--jobs", "2"],
        "analyze": ["analyze", project, "-v", "2.8.0", "--jobs", "2", "--json"],
        "migrate": [*migrate, "-o", str(sample.output)],
        "migrate-similar": [*migrate, "-o", str(sample.output), "-sim", "--unsafe"],
        "migrate-diff": [*migrate, "--diff"],
        "distributed": [*migrate, "-o", str(sample.output), "distributed", "-m", "train.py", "-t", "model"],
        "explain": ["explain", "torch.cuda.nvtx", "-v", "2.8.0"],
        "options": ["options", "--json"],
        "rank-table": ["rank-table", "192.0.2.1"],
        "help": ["--help"],
        "verify-help": ["verify", "--help"],
        "version": ["--version"],
    }


COMMANDS = tuple(commands(Sample(Path(), Path(), Path())))
WITH_WORKERS = frozenset({"check", "analyze", "migrate", "migrate-similar", "distributed"})


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    """The project in a folder of its own."""
    return make_sample(tmp_path / "sample")
