"""What a migration to each target is called, says and needs."""

from __future__ import annotations

import json
from pathlib import Path

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest, MigrationResult
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import make_tree

SCRIPT = "import torch\n\ndef clean():\n    torch.cuda.empty_cache()\n"
STARTED = "import torch\nif __name__ == '__main__':\n    torch.ones(1).cuda()\n"


def migrated(tmp_path: Path, text: str, **options: object) -> MigrationResult:
    root = make_tree(tmp_path / "proj", {"train.py": text, "tests/test_train.py": text})
    given = options_from(options)
    return migrate(MigrationRequest(input=root, output=tmp_path / "out", options=given, jobs=1))


def notices(result: MigrationResult) -> dict[str, dict[str, object]]:
    return {item.id: dict(item.arguments) for item in result.notices}


def test_the_least_release_that_the_code_needs_is_computed(tmp_path: Path) -> None:
    result = migrated(tmp_path, SCRIPT, target="accelerator")
    assert notices(result)["project.needs-torch"] == {"version": "2.9.0"}
    assert result.output_path is not None and result.output_path.name == "proj_accelerator"
    assert "2.9.0" in (result.output_path / "msFmkTranspltlog.txt").read_text("utf-8")
    assert "2.9.0" in (result.output_path / "report.html").read_text("utf-8")


def test_tests_stay_as_they_are(tmp_path: Path) -> None:
    result = migrated(tmp_path, SCRIPT, target="accelerator")
    assert result.output_path is not None
    assert (result.output_path / "tests/test_train.py").read_text("utf-8") == SCRIPT
    assert (result.output_path / "train.py").read_text("utf-8") != SCRIPT


def test_the_marker_says_what_was_migrated_to(tmp_path: Path) -> None:
    result = migrated(tmp_path, SCRIPT, target="accelerator")
    assert result.output_path is not None
    marker = json.loads((result.output_path / ".gpu2ascend.json").read_text("utf-8"))
    assert marker["target"] == "accelerator"


def test_the_page_compares_the_two_ways_where_there_are_two(tmp_path: Path) -> None:
    result = migrated(tmp_path, STARTED, auto=True, version="2.8.0")
    assert result.output_path is not None and result.output_path.name == "proj_msft"
    page = (result.output_path / "report.html").read_text("utf-8")
    assert "The two ways" in page
    text = (result.output_path / "train.py").read_text("utf-8")
    added = "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
    assert text.replace(added, "") == STARTED != text


def test_a_migration_of_the_code_compares_nothing(tmp_path: Path) -> None:
    result = migrated(tmp_path, STARTED, version="2.8.0")
    assert result.output_path is not None
    assert "The two ways" not in (result.output_path / "report.html").read_text("utf-8")
    assert "project.needs-torch" not in notices(result)
