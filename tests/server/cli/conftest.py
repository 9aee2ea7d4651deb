"""The environment that every test of the command line starts from, and a small project to run it on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gpu2ascend.__main__ import main

TRAIN = """\
import torch

x = torch.ones(2).cuda()
torch.cuda.empty_cache()
"""
"""Two findings, both with a safe fix."""
FIXED = """\
import torch
import torch_npu

x = torch.ones(2).npu()
torch_npu.npu.empty_cache()
"""

STUCK = """\
import torch

torch.cuda.comm.broadcast(x, [0, 1])
"""
"""One finding of severity error, without a fix."""


class Ran(NamedTuple):
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output as JSON."""
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def plain_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No locale, no colours, no settings but those of the test."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "FORCE_COLOR", "GPU2ASCEND_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""

    def call(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Ran(code, *capsys.readouterr())

    return call


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one file that can be migrated completely."""
    return make_project(tmp_path / "proj", {"train.py": TRAIN, "data.py": "x = 1\n"})


def make_project(root: Path, files: dict[str, str]) -> Path:
    """Write files below a directory."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root
