"""Files of a converted package are imported; what else they import is a stub where it is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tools.proof.mindspore.importing import imported_by, module_of

SCRIPT = Path(__file__).parents[4] / "tools" / "proof" / "mindspore" / "importing.py"


def package(folder: Path, **files: str) -> Path:
    (folder / "own").mkdir()
    for name, text in {"__init__": "", **files}.items():
        (folder / "own" / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def failures(folder: Path, *files: str) -> dict[str, str]:
    command = [sys.executable, str(SCRIPT), str(folder), *(f"own/{one}.py" for one in files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return answer


def test_what_is_missing_is_a_stub_and_the_package_is_not(tmp_path: Path) -> None:
    good = "import nobody_has_this.inner as n\nfrom nobody_has_this import Base\n\n\n"
    good += "class A(Base, n.B.C):\n    x = n.f(3)\n"
    folder = package(tmp_path, good=good, bad="from . import missing\n", other="raise ValueError('no')\n")
    found = failures(folder, "good", "bad", "other", "__init__")
    assert set(found) == {"own/bad.py", "own/other.py"}
    assert found["own/bad.py"].startswith("ImportError")
    assert found["own/other.py"] == "ValueError: no"


def test_only_what_the_files_import_may_be_a_stub(tmp_path: Path) -> None:
    folder = package(tmp_path, a="import x.y\nfrom z import w\nfrom . import b\nimport own.b\nimport torch\n")
    assert imported_by(folder) == {"x", "z"}


def test_a_file_is_a_module_of_its_package() -> None:
    assert module_of("own/inner/a.py") == "own.inner.a"
    assert module_of("own/inner/__init__.py") == "own.inner"
