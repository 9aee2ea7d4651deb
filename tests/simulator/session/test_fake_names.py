"""Names of files and of columns that are made up are those that the code asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_simulator.session.fake_data.files.callers import Caller
from gpu2ascend_simulator.session.fake_data.files.written import columns_for
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


def test_a_part_of_a_table_has_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "data.py"
    path.write_text("""\
def run():
    table = pd.read_csv("a.csv").fillna("none")
    train, test = train_test_split(table)
    return train.review, test["kind"], other.name
""")
    assert columns_for(Caller(str(path), 2, "pandas", {})) == ["review", "kind"]
