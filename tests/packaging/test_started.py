"""The modules whose bytecode a .vsix has are those of a real start, up to the first problems."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "vscode-extension/scripts/started.py"


def test_a_start_imports_what_checks_a_file_and_nothing_of_commands() -> None:
    spec = importlib.util.spec_from_file_location("started", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = {path.relative_to(ROOT / "server").as_posix() for path in module.imported(ROOT / "server")}
    assert {"gpu2ascend/lsp/server.py", "gpu2ascend/project/examine.py"} <= found
    assert not {name for name in found if name.startswith("gpu2ascend/verify/")}
