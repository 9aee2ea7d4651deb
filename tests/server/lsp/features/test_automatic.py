"""Automatic migration from an editor: of one script by the menu, of a project by the dialog's option."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.lsp.editor import editing
from tests.server.project.samples import make_tree

SCRIPT = "import torch\nfrom net import Net\n\nif __name__ == '__main__':\n    Net().cuda()\n"
MODULE = "import torch\n\n\nclass Net(torch.nn.Module):\n    pass\n"
PAIR = "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "project", {"setup.py": "", "train.py": SCRIPT, "net.py": MODULE})


async def offered(root: Path, name: str) -> list[types.CodeAction]:
    """The refactorings of a file, with what they change."""
    async with editing(root) as editor:
        uri = editor.open(root / name, (root / name).read_text("utf-8"))
        context = types.CodeActionContext([], only=[types.CodeActionKind.Refactor])
        place = types.Range(types.Position(0, 0), types.Position(0, 0))
        found = await editor.text_document_code_action_async(
            types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context)
        )
        actions = [action for action in found or () if isinstance(action, types.CodeAction)]
        wanted = [action for action in actions if "transfer_to_npu" in action.title]
        return [await editor.code_action_resolve_async(action) for action in wanted]


@pytest.mark.slow
async def test_a_script_gets_the_two_imports_and_nothing_else(project: Path) -> None:
    (action,) = await offered(project, "train.py")
    assert action.edit is not None
    (change,) = action.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    texts = [(edit.range.start.line, edit.new_text) for edit in change.edits if hasattr(edit, "new_text")]
    assert texts == [(1, PAIR)]


@pytest.mark.slow
async def test_a_module_is_not_offered_it(project: Path) -> None:
    assert await offered(project, "net.py") == []
    assert await offered(project, "train.py") != []


@pytest.mark.slow
async def test_the_option_of_the_dialog_migrates_a_project_so(project: Path, tmp_path: Path) -> None:
    async with editing(project) as editor:
        paths = {"inputPath": str(project), "outputPath": str(tmp_path / "out")}
        options = {**paths, "version": "2.8.0", "auto": True}
        result = await editor.run("migrateProject", {"options": options})
    assert result["status"] == "completed"
    output = Path(result["outputPath"])
    assert (output / "train.py").read_text("utf-8") == SCRIPT.replace("from net", f"{PAIR}from net")
    assert (output / "net.py").read_text("utf-8") == MODULE
