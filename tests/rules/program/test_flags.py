"""The value of a flag of absl is read as an attribute or by its name, of ``FLAGS`` or what is given it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.program.marked import decided

DECLARED = (
    "import torch\nfrom absl import flags\nflags.DEFINE_string('w', 'cuda!', 'where')\nF = flags.FLAGS\n"
)


@pytest.mark.parametrize("read", ["F.w", "flags.FLAGS.w", "F['w'].value", "flags.FLAGS['w'].value"])
def test_a_flag_moves_with_its_reads(read: str, tmp_path: Path) -> None:
    files = {"train.py": f"{DECLARED}x.to({read})\nif {read} == 'cuda!':\n    pass\n"}
    assert decided(files, tmp_path) == files
