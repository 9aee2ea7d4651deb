"""What is found out about a whole program before its files are migrated costs no more than its limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.project.migrate import codemods
from gpu2ascend.project.migrate.codemods import planned_codemods
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import make_tree

PROGRAM = "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\n" + "model(x)\n" * 100


def test_a_program_that_takes_too_long_is_an_error_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(tmp_path, {"train.py": PROGRAM})
    options = options_from({"version": "2.8.0", "distributed": True, "main_file": "train.py"})
    assert planned_codemods(tmp_path, options)
    monkeypatch.setattr(codemods, "SECONDS_PER_PROGRAM", -1.0)
    with pytest.raises(InputError) as caught:
        planned_codemods(tmp_path, options)
    assert caught.value.message.id == "project.program-time-limit"
