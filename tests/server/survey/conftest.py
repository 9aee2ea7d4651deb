"""Projects that a survey looks at."""

from __future__ import annotations

from pathlib import Path

import pytest

READY = "import torch\nx = torch.ones(1).cuda()\n"
OPEN = READY + "torch.backends.cudnn.allow_tf32 = True\n"
BLOCKED = READY + "torch.cuda.nvtx.mark('a')\ntorch.cuda.nvtx.mark('b')\n"
UNTOUCHED = "print(1)\n"
TEXTS = {"blocked": BLOCKED, "open": OPEN, "ready": READY, "untouched": UNTOUCHED}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a project of each state, named after it."""
    for name, text in TEXTS.items():
        project = tmp_path / "projects" / name
        project.mkdir(parents=True)
        (project / "train.py").write_text(text)
    return tmp_path / "projects"
