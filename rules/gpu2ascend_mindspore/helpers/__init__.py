"""What MindSpore has in another form: parts that a project gets; new text says ``like_torch.DataLoader``."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend_rules.targets.helpers import Home

MINDSPORE = Home(
    "x2ms_helpers",
    "like_torch",
    Path(__file__).parent,
    "What the project uses of PyTorch's data and files, by MindSpore; see README.md, beside this file.",
    "What MindSpore has in another form, put here by gpu2ascend; see README.md.",
    200,
)
