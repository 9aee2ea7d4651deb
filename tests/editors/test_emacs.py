"""Emacs with eglot, and the set-up that docs/editors.md gives."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.editors.editor import make_project, program, run, setup_of

pytestmark = [pytest.mark.slow, pytest.mark.editor]

FIXED = (
    "import torch\nimport torch_npu\n\nmodel = torch.nn.Linear(2, 2).cuda()\ntorch_npu.npu.synchronize()\n"
)


def test_a_session_from_opening_a_file_to_the_migrated_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emacs = program("emacs")
    start = [emacs, "--batch", "--eval", "(package-initialize)"]
    if subprocess.run([*start, "--eval", "(require 'eglot)"], capture_output=True, check=False).returncode:
        pytest.skip("Emacs has no eglot")
    script = make_project(tmp_path / "project")
    subprocess.run(["git", "init", "--quiet", str(script.parent)], check=True)  # a project, to project.el
    init, result, output = tmp_path / "init.el", tmp_path / "seen.json", tmp_path / "out"
    init.write_text(setup_of("Emacs", "elisp"), encoding="utf-8")
    monkeypatch.setenv("SCRIPT", str(script))
    monkeypatch.setenv("OUTPUT", str(output))
    monkeypatch.setenv("RESULT", str(result))
    session = Path(__file__).with_name("session.el")
    seen = run([*start, "-l", str(init), "-l", str(session)], tmp_path, result)

    assert "missing" not in seen, seen
    assert [item["line"] for item in seen["diagnostics"]] == [2, 3]
    assert "torch.cuda.synchronize" in seen["hover"] and "2.8.0" in seen["hover"]
    assert seen["text"] == FIXED
    assert [item["line"] for item in seen["left"]] == [3]
    assert script.read_text("utf-8") == FIXED
    migrated = (output / "project_msft" / "train.py").read_text("utf-8")
    assert migrated == FIXED.replace(".cuda()", ".npu()")
