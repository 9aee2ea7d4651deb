"""Lines that may ask for CUDA are those in which the rules find nothing that fails."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend.verify.running.kept import kept_lines
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions

BRANCH = """\
import torch

if torch.cuda.is_available():
    device = torch.device("cuda")
elif torch.npu.is_available():
    device = torch.device("npu")
"""
FORGOTTEN = """\
import torch

torch.cuda.synchronize()
torch.cuda.synchronize()  # gpu2ascend: ignore
"""


def test_a_branch_for_gpus_and_a_line_with_a_comment_are_kept(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "branch.py").write_text(BRANCH, "utf-8")
    (tmp_path / "forgotten.py").write_text(FORGOTTEN, "utf-8")
    (tmp_path / "neither.py").write_text("import torch\n", "utf-8")
    found = kept_lines(tmp_path, MigrationOptions(version=Version(2, 8, 0)))
    assert found == {"package/branch.py": [3, 4], "forgotten.py": [4]}


def test_of_a_file_that_cannot_be_read_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import torch\nif torch.cuda.is_available(:\n", "utf-8")
    assert kept_lines(tmp_path, MigrationOptions(version=Version(2, 8, 0))) == {}
