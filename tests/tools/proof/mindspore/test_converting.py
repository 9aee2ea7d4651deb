"""What becomes of the files of a package, and what a converted file imports that stays PyTorch's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.proof.mindspore import converting
from tools.proof.mindspore.converting import STOPPED, Outcome, _modules, outcomes
from tools.proof.mindspore.packages import Package


def test_a_package_that_migration_refuses_has_its_files_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "p"
    (folder / "p").mkdir(parents=True)
    (folder / "p" / "a.py").write_text("import timm\nfrom torch import nn\n", encoding="utf-8")
    (folder / "p" / "b.py").write_text("import os\n", encoding="utf-8")
    monkeypatch.setattr(converting, "unpacked", lambda _: folder)
    monkeypatch.setattr(converting, "CACHE", tmp_path / "cache")
    (found,) = outcomes(Package("p", "1"))
    assert found == Outcome("p 1", "p/a.py", STOPPED, [], [], [], found.error)
    assert found.error == "timm works on PyTorch tensors and has no counterpart in MindSpore: p/a.py"


def test_files_that_stay_are_found_however_they_are_imported(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    text = "from .a import f\nfrom . import b\nimport p.c\nfrom p import d\nfrom .e import g\nimport os\n"
    (tmp_path / "p" / "x.py").write_text(text, encoding="utf-8")
    left = {f"p/{name}.py" for name in "abcdf"}
    assert set(_modules(tmp_path, "p/x.py", left)) == {"p/a.py", "p/b.py", "p/c.py", "p/d.py"}
