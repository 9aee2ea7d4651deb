"""What attrs makes at a start is found in what was compiled beforehand, and is the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BUNDLED = Path(__file__).parents[2] / "vscode-extension" / "bundled"
PROGRAM = """
import builtins, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import attrs_code
compiled = []
compile_text = builtins.compile
def watched(text, name, *rest, **named):
    compiled.append(name)
    return compile_text(text, name, *rest, **named)
builtins.compile = watched
getattr(attrs_code, sys.argv[3])(Path(sys.argv[2]))
from lsprotocol import types
place = types.Range(types.Position(1, 2), types.Position(3, 4))
same = types.Range(types.Position(1, 2), types.Position(3, 4))
print(json.dumps([
    len([name for name in compiled if "lsprotocol" in str(name)]),
    repr(place), place == same, types.Position(1, 2) < types.Position(1, 3),
]))
"""
WORKS = ["1:2-3:4", True, True]


def _start(libs: Path, how: str) -> list[object]:
    """The number of texts that a start compiled, and what the classes do then."""
    command = [sys.executable, "-I", "-c", PROGRAM, str(BUNDLED), str(libs), how]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[object] = json.loads(done.stdout)
    return found


def test_a_start_compiles_nothing_that_was_compiled_before(tmp_path: Path) -> None:
    many, *works = _start(tmp_path, "make")
    assert isinstance(many, int) and many > 100 and works == WORKS
    assert _start(tmp_path, "use") == [0, *WORKS]


def test_a_file_of_something_else_is_passed_over(tmp_path: Path) -> None:
    _start(tmp_path, "make")
    (file,) = (tmp_path / "attrs_code").iterdir()
    file.write_bytes(b"no marshal")
    many, *works = _start(tmp_path, "use")
    assert isinstance(many, int) and many > 100 and works == WORKS
