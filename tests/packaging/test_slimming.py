"""Native modules in a .vsix work without what only debuggers read, and take less room."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zlib
from pathlib import Path

import libcst.native
import pytest

SCRIPT = Path(__file__).parents[2] / "vscode-extension/scripts/slimming.py"
NATIVE = Path(libcst.native.__file__)


def slim(content: bytes) -> bytes:
    spec = importlib.util.spec_from_file_location("slimming", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: bytes = module.without_symbols(content)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep symbols in other files")
def test_a_module_still_works_and_takes_less_room(tmp_path: Path) -> None:
    content = NATIVE.read_bytes()
    emptied = slim(content)
    assert len(emptied) == len(content) and len(zlib.compress(emptied)) < len(zlib.compress(content))
    (tmp_path / NATIVE.name).write_bytes(emptied)
    program = "import native; print(native.parse_expression('1 + 2').operator.__class__.__name__)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("Add\n", 0), done.stderr


@pytest.mark.parametrize("content", [b"", b"MZ\x90", b"import torch\n", b"\x7fELF\x01\x01 of 32 bits"])
def test_another_file_stays_as_it_is(content: bytes) -> None:
    assert slim(content) == content
