"""Neovim, with its own client and the set-up that docs/editors.md gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.editor import make_project, program, run, setup_of

pytestmark = [pytest.mark.slow, pytest.mark.editor]

FIXED = "import torch\nimport torch_npu\n\nmodel = torch.nn.Linear(2, 2).cuda()\ntorch_npu.npu.synchronize()"


def test_a_session_from_opening_a_file_to_the_migrated_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvim = program("nvim")
    script = make_project(tmp_path / "project")
    init, result, output = tmp_path / "init.lua", tmp_path / "seen.json", tmp_path / "out"
    init.write_text(setup_of("Neovim", "lua"), encoding="utf-8")
    monkeypatch.setenv("SCRIPT", str(script))
    monkeypatch.setenv("OUTPUT", str(output))
    monkeypatch.setenv("RESULT", str(result))
    session = Path(__file__).with_name("session.lua")
    seen = run(
        [nvim, "--headless", "-i", "NONE", "-n", "-u", str(init), "-S", str(session)], tmp_path, result
    )

    assert "missing" not in seen, seen
    assert [(item["line"], item["code"]) for item in seen["diagnostics"]] == [(2, "NPU110"), (3, "NPU101")]
    assert "torch.cuda.synchronize" in seen["hover"] and "2.8.0" in seen["hover"]
    assert seen["text"] == FIXED == seen["text_after_migration"]
    assert [(item["line"], item["code"]) for item in seen["left"]] == [(3, "NPU110")]
    assert script.read_text("utf-8") == FIXED + "\n"
    migrated = (output / "project_msft" / "train.py").read_text("utf-8")
    assert migrated == FIXED.replace(".cuda()", ".npu()") + "\n"
