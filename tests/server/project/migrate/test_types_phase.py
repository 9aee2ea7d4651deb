"""Looking up types is a phase of its own to those who watch, and ends when a migration is cancelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.errors import CancelledError
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest, Phase, Progress
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import make_tree

FILES = {
    "lib.py": "import torch\n\ndef made():\n    return torch.ones(2)\n",
    "train.py": "import torch\nfrom lib import made\nx = torch.ones(1).cuda()\nmade().to_dense()\n",
}


@pytest.fixture
def request_(tmp_path: Path) -> MigrationRequest:
    root = tmp_path / "in"
    make_tree(root, FILES)
    return MigrationRequest(
        input=root, output=tmp_path / "out", options=options_from({"version": "2.8.0"}), jobs=1
    )


@pytest.mark.slow
def test_who_watches_sees_for_which_file(request_: MigrationRequest) -> None:
    seen: list[Progress] = []
    migrate(request_, progress=seen.append)
    assert {item.path for item in seen if item.phase is Phase.TYPES} == {"train.py"}


def test_it_can_be_cancelled(request_: MigrationRequest) -> None:
    seen: list[Progress] = []
    with pytest.raises(CancelledError):
        migrate(
            request_,
            progress=seen.append,
            cancelled=lambda: any(item.path == "lib.py" and item.phase is Phase.MIGRATE for item in seen),
        )
    assert not any(item.phase is Phase.TYPES for item in seen)
    assert not list(request_.output.glob("*"))
