"""Files of environment variables, which often hold secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import make_tree

VARIABLES = "API_TOKEN=hunter2\nCUDA_VISIBLE_DEVICES=0,1\nPASSWORD=swordfish\n"


@pytest.mark.parametrize(("name", "shows"), [(".env", False), ("prod.env", False), ("vars.sh", True)])
def test_a_report_shows_no_line_beside_the_changed_one(tmp_path: Path, name: str, shows: bool) -> None:
    root = make_tree(
        tmp_path / "project", {"train.py": "import torch\ntorch.ones(2).cuda()\n", name: VARIABLES}
    )
    request = MigrationRequest(
        input=root, output=tmp_path / "out", options=options_from({"version": "2.8.0"}), jobs=1
    )
    output = migrate(request).output_path
    assert output is not None
    page = (output / "report.html").read_text("utf-8")
    assert "ASCEND_RT_VISIBLE_DEVICES" in (output / name).read_text() and "VISIBLE_DEVICES" in page
    assert ("hunter2" in page, "swordfish" in page) == (shows, shows)
