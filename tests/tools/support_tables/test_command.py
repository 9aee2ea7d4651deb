"""The command that a maintainer runs: unpack, collect, pack."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tools.support_tables import __main__ as command

pytestmark = pytest.mark.slow  # each packs all the tables


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the packaged tables unpack to."""
    assert command.main(["unpack", str(tmp_path / "tsv")]) == 0
    return tmp_path / "tsv"


def test_packing_what_was_unpacked_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["pack", "--dry-run", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.endswith(("no change", "bytes in all"))] == []


def test_collected_pages_show_in_the_summary(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    table = "|API名称|是否支持|限制与说明|\n|--|--|--|\n|torch.made_up|是|-|\n"
    (pages / "torch.md").write_text(table, "utf-8")
    assert command.main(["collect", "--documents", "2.13.0", str(pages), "made-up", str(folder)]) == 0
    assert command.main(["pack", "--dry-run", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  2.13.0: 1 added, 0 removed, 0 changed" in lines
    assert "    + torch.made_up  supported" in lines


def test_a_wheel_that_disagrees_is_reported(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "torch_npu-2.13.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("torch_npu/npu/__init__.py", "def brand_new(): pass\n")
    assert command.main(["compare", str(wheel), str(folder)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "torch_npu-names.tsv: only in the wheel: torch_npu.npu.brand_new" in lines
    assert "torch_npu-names.tsv: only in the file: torch_npu.npu.empty_cache" in lines
