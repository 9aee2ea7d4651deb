"""What a converted file imports that stays PyTorch's."""

from __future__ import annotations

from pathlib import Path

from tools.proof.mindspore.converting import _modules


def test_files_that_stay_are_found_however_they_are_imported(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    text = "from .a import f\nfrom . import b\nimport p.c\nfrom p import d\nfrom .e import g\nimport os\n"
    (tmp_path / "p" / "x.py").write_text(text, encoding="utf-8")
    left = {f"p/{name}.py" for name in "abcdf"}
    assert set(_modules(tmp_path, "p/x.py", left)) == {"p/a.py", "p/b.py", "p/c.py", "p/d.py"}
