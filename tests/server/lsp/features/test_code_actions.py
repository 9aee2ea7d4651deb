"""What an action changes is worked out when it is asked for: the fix of one place, of a rule, of a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.rules.broken_rules import breaks_texts
from tests.server.lsp.editor import editing
from tests.server.project.samples import make_tree

TEXT = "import torch\ntorch.cuda.synchronize()\ntorch.cuda.empty_cache()\nx = torch.ones(1).cuda()\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "project", {"setup.py": "", "train.py": TEXT})


async def resolved(root: Path, kind: str, line: int = 1) -> list[types.CodeAction]:
    """The actions of a kind on a line, with what they change."""
    async with editing(root, command=None, initialization_options={"version": "2.8.0"}) as editor:
        uri = editor.open(root / "train.py", TEXT)
        place = types.Range(types.Position(line, 12), types.Position(line, 12))
        found = await editor.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(uri), place, types.CodeActionContext([], only=[kind])
            )
        )
        actions = [action for action in found or () if isinstance(action, types.CodeAction)]
        return [await editor.code_action_resolve_async(action) for action in actions]


def new_texts(action: types.CodeAction) -> list[tuple[int, str]]:
    """What an action writes, with the lines."""
    assert action.edit is not None
    edits = [
        edit
        for change in action.edit.document_changes or ()
        if isinstance(change, types.TextDocumentEdit)
        for edit in change.edits
    ]
    return sorted((edit.range.start.line, edit.new_text) for edit in edits if hasattr(edit, "new_text"))


async def test_the_fix_of_a_place_changes_the_place_and_brings_the_import(project: Path) -> None:
    first, *_ = await resolved(project, types.CodeActionKind.QuickFix)
    (import_line, import_text), *rest = new_texts(first)
    assert (import_line, import_text.strip()) == (0, "import torch_npu")
    assert {line for line, _ in rest} == {1}


async def test_everything_in_a_file_changes_each_place(project: Path) -> None:
    (action,) = await resolved(project, "source.fixAll.gpu2ascend")
    assert {line for line, _ in new_texts(action)} == {0, 1, 2, 3}


async def test_a_fix_that_would_break_the_file_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks_texts(monkeypatch, "NPU101")
    first, *_ = await resolved(project, types.CodeActionKind.QuickFix)
    assert first.edit is None


async def test_everything_in_a_file_changes_but_what_would_break_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks_texts(monkeypatch, "NPU101")
    (action,) = await resolved(project, "source.fixAll.gpu2ascend")
    assert {line for line, text in new_texts(action) if "import" not in text} == {3}
