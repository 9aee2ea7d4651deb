"""Words that must agree over several files change by one edit of all these files, or not at all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.lsp.startup.announcement import FIX_ALL
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex, Position
from tests.server.lsp.editor import Editor, capabilities, editing
from tests.server.project.samples import make_tree

FILES = {
    "options.py": "import argparse\ndef get_args():\n    p = argparse.ArgumentParser()\n"
    "    p.add_argument('--where', default='cuda', choices=['cpu', 'cuda'])\n    return p.parse_args()\n",
    "train.py": "import torch\nfrom options import get_args\nargs = get_args()\n"
    "if args.where == 'cuda':\n    print(1)\nx.to(torch.device(args.where))\n"
    "y = torch.ones(1, device='cuda')\n",
    "run.sh": "python train.py --where cuda\n",
}
MOVED = {
    "options.py": FILES["options.py"].replace("cuda", "npu"),
    "train.py": FILES["train.py"].replace("== 'cuda'", "== 'npu'"),
    "run.sh": "python train.py --where npu\n",
}
WORDS = (
    ("options.py", "'cuda', choices"),
    ("options.py", "'cuda']"),
    ("train.py", "'cuda':"),
    ("run.sh", "cuda"),
)
RESOLVING = types.TextDocumentClientCapabilities(
    code_action=types.CodeActionClientCapabilities(
        code_action_literal_support=types.ClientCodeActionLiteralOptions(
            types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix, FIX_ALL])
        ),
        resolve_support=types.ClientCodeActionResolveOptions(["edit"]),
    )
)
CAN = capabilities(text_document=RESOLVING)
WITHOUT_VERSIONS = capabilities(
    text_document=RESOLVING,
    workspace=types.WorkspaceClientCapabilities(
        configuration=True,
        workspace_folders=True,
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=False),
    ),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "project", FILES)


@asynccontextmanager
async def in_editor(
    root: Path, can: types.ClientCapabilities = CAN, **settings: object
) -> AsyncIterator[Editor]:
    """An editor that has a project open, once the project is known."""
    given: dict[str | None, Any] = {None: {"version": "2.8.0", **settings}}
    async with editing(root, command=None, can=can, settings=given) as editor:
        await editor.until(lambda: editor.ended_progress == 1)
        yield editor


async def actions(editor: Editor, uri: str, word: str, text: str, kind: str) -> list[types.CodeAction]:
    """The actions of a kind at a word of a document."""
    line, column = _place(text, word)
    place = types.Range(types.Position(line, column), types.Position(line, column))
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(uri), place, types.CodeActionContext([], only=[kind])
    )
    found = await editor.text_document_code_action_async(params)
    return [item for item in found or () if isinstance(item, types.CodeAction)]


async def fix(editor: Editor, uri: str, word: str, text: str) -> types.CodeAction | None:
    """The fix at a word, resolved; none where it is not offered."""
    found = await actions(editor, uri, word, text, types.CodeActionKind.QuickFix)
    fixes = [item for item in found if item.is_preferred]
    return await editor.code_action_resolve_async(fixes[0]) if fixes else None


def _place(text: str, word: str) -> tuple[int, int]:
    before = text[: text.index(word)]
    return before.count("\n"), len(before) - before.rfind("\n") - 1


def after(edit: types.WorkspaceEdit | None, root: Path, texts: dict[str, str] = FILES) -> dict[str, str]:
    """The texts that an edit leaves of those that it changes."""
    assert edit is not None
    assert edit.document_changes is not None
    found = {}
    for change in edit.document_changes:
        assert isinstance(change, types.TextDocumentEdit)
        name = Path(change.text_document.uri.removeprefix("file://")).relative_to(root).as_posix()
        data = texts[name].encode()
        edits = [
            Edit(*_span(data, item.range), item.new_text)
            for item in change.edits
            if not isinstance(item, types.SnippetTextEdit)
        ]
        found[name] = apply_edits(data, edits).decode()
    return found


def _span(data: bytes, place: types.Range) -> tuple[int, int]:
    lines = LineIndex(data)
    start, end = (
        lines.offset(Position(side.line, side.character), ColumnUnit.UTF16)
        for side in (place.start, place.end)
    )
    return start, end


async def test_the_fix_of_each_word_changes_all_of_them(root: Path) -> None:
    async with in_editor(root) as editor:
        found = [
            await fix(editor, editor.open(root / name, FILES[name]), word, FILES[name])
            for name, word in WORDS
        ]
    for action in found:
        assert action is not None
        assert after(action.edit, root) == MOVED
        assert "3 files" in action.title


@pytest.mark.slow
@pytest.mark.parametrize("code", ["NPU201", "NPU203"])
async def test_one_selected_rule_brings_those_of_the_other_words(root: Path, code: str) -> None:
    async with in_editor(root, select=[code]) as editor:
        uri = editor.open(root / "options.py", FILES["options.py"])
        word = WORDS[code == "NPU203"][1]
        action = await fix(editor, uri, word, FILES["options.py"])
        previewed = await editor.run("previewMigration", {"uri": root.as_uri(), "apply": False})
    assert action is not None
    assert after(action.edit, root) == MOVED
    changed = {item["textDocument"]["uri"] for item in previewed["edit"]["documentChanges"]}
    assert changed == {(root / name).as_uri() for name in FILES}


async def test_an_open_file_changes_in_the_version_that_was_looked_at(root: Path) -> None:
    async with in_editor(root) as editor:
        editor.open(root / "train.py", FILES["train.py"], version=7)
        uri = editor.open(root / "options.py", FILES["options.py"], version=3)
        action = await fix(editor, uri, "'cuda'", FILES["options.py"])
    assert action is not None and action.edit is not None
    versions = {
        change.text_document.uri.rpartition("/")[2]: change.text_document.version
        for change in action.edit.document_changes
    }
    assert versions == {"options.py": 3, "train.py": 7, "run.sh": None}


async def test_the_text_of_an_open_file_counts_as_soon_as_it_is_typed(root: Path) -> None:
    typed = {**FILES, "train.py": "# a new first line\n" + FILES["train.py"]}
    async with in_editor(root) as editor:
        train = editor.open(root / "train.py", FILES["train.py"])
        uri = editor.open(root / "options.py", FILES["options.py"])
        editor.change(train, typed["train.py"], 2)
        action = await fix(editor, uri, "'cuda'", FILES["options.py"])
    assert action is not None
    assert after(action.edit, root, typed)["train.py"] == "# a new first line\n" + MOVED["train.py"]


async def offered(root: Path, can: types.ClientCapabilities = CAN, **settings: object) -> bool:
    """Whether the fix of a word that other files share is offered."""
    async with in_editor(root, can, **settings) as editor:
        uri = editor.open(root / "options.py", FILES["options.py"])
        return await fix(editor, uri, "'cuda'", FILES["options.py"]) is not None


async def test_it_is_offered(root: Path) -> None:
    assert await offered(root)


async def test_a_client_that_cannot_check_versions_is_offered_none(root: Path) -> None:
    assert not await offered(root, WITHOUT_VERSIONS)


@pytest.mark.parametrize("name", ["train.py", "run.sh"])
async def test_none_is_offered_where_a_part_lies_in_a_file_that_may_not_be_edited(
    root: Path, name: str
) -> None:
    assert not await offered(root, exclude=[name])


async def test_nothing_changes_where_a_part_is_silenced(root: Path) -> None:
    text = FILES["train.py"].replace("== 'cuda':", "== 'cuda':  # gpu2ascend: ignore")
    assert text != FILES["train.py"]
    (root / "train.py").write_text(text)
    async with in_editor(root) as editor:
        uri = editor.open(root / "options.py", FILES["options.py"])
        action = await fix(editor, uri, "'cuda'", FILES["options.py"])
    refused = any("several files" in text for text in editor.messages)
    assert action is None or (action.edit is None and refused)


async def all_fixed(root: Path, name: str, kind: str = FIX_ALL, word: str = "") -> dict[str, str]:
    """What the fixes of a whole file leave of it."""
    async with in_editor(root) as editor:
        found = await actions(editor, editor.open(root / name, FILES[name]), word, FILES[name], kind)
        resolved = [await editor.code_action_resolve_async(item) for item in found]
    changed: dict[str, str] = {}
    for action in resolved:
        if action.kind == FIX_ALL:
            changed.update(after(action.edit, root))
    return changed


async def test_fix_all_of_a_file_leaves_the_words_that_other_files_share(root: Path) -> None:
    text = (await all_fixed(root, "train.py"))["train.py"]
    assert "device='npu'" in text
    assert "== 'cuda'" in text


@pytest.mark.parametrize("name", ["options.py", "run.sh"])
async def test_there_is_no_fix_all_of_a_file_that_has_only_such_words(root: Path, name: str) -> None:
    assert await all_fixed(root, name) == {}


async def test_migrating_one_file_leaves_the_words_that_other_files_share(root: Path) -> None:
    async with in_editor(root) as editor:
        await editor.run("migrateFile", {"uri": (root / "options.py").as_uri()})
        await editor.run("migrateFile", {"uri": (root / "train.py").as_uri()})
        (edit,) = editor.applied
    assert after(edit, root).keys() == {"train.py"}
    assert "== 'cuda'" in after(edit, root)["train.py"]


@pytest.mark.slow
async def test_the_preview_of_the_project_changes_all_of_them(root: Path) -> None:
    async with in_editor(root) as editor:
        await editor.run("previewMigration", {"uri": root.as_uri()})
    found = after(editor.applied[-1], root)
    assert found["options.py"] == MOVED["options.py"]
    assert found["run.sh"] == MOVED["run.sh"]
