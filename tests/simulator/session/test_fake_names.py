"""Names of files that are made up are those that the code chooses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulator.session.projects import run, said


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ("split in name", ["00000_train.npy", "00001_train.npy"]),
        ("'mask' in name", ["00000_mask.npy", "00001_mask.npy"]),
        ("'_gt' not in name", ["00000.npy", "00001.npy"]),
    ],
)
def test_names_have_what_the_code_chooses_them_by(tmp_path: Path, wanted: str, names: list[str]) -> None:
    code = f"""\
    import os
    import numpy as np
    def read(path):
        return np.load(path)
    def listed(split):
        assert split in {{"train", "val"}}
        return [name for name in sorted(os.listdir("shards")) if {wanted}]
    print(*listed("train")[:2], sep="\\n")
    """
    assert said(run(tmp_path, code))[1] == names
