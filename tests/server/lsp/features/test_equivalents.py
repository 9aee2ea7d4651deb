"""A quick fix that writes an equivalent brings its package along, where the editor can make files."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from gpu2ascend_rules.similar.assemble import assemble, parts_of
from tests.server.lsp.editor import capabilities, editing
from tests.server.project.samples import Files, make_tree

pytestmark = pytest.mark.slow

TEXT = "import apex\nmodel = apex.parallel.DistributedDataParallel(model, gradient_average=False)\n"
MODULE = "ascend_function/similar_api.py"


def can(*operations: types.ResourceOperationKind) -> types.ClientCapabilities:
    """An editor that can do these to files."""
    edit = types.WorkspaceEditClientCapabilities(document_changes=True, resource_operations=operations)
    return capabilities(workspace=types.WorkspaceClientCapabilities(workspace_edit=edit))


async def replacement(root: Path, able: types.ClientCapabilities) -> types.CodeAction | None:
    """The action that offers the equivalent."""
    uri = (root / "train.py").as_uri()
    place = types.Range(types.Position(1, 10), types.Position(1, 10))
    async with editing(root, can=able, initialization_options={"version": "2.8.0"}) as editor:
        editor.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, TEXT))
        )
        found = await editor.text_document_code_action_async(
            types.CodeActionParams(types.TextDocumentIdentifier(uri), place, types.CodeActionContext([]))
        )
    actions = [action for action in found or () if isinstance(action, types.CodeAction)]
    return next((action for action in actions if "similar_api" in action.title), None)


def project(tmp_path: Path, files: Files) -> Path:
    return make_tree(tmp_path / "project", {"setup.py": "", "train.py": TEXT, **files})


async def test_the_package_comes_with_the_edit(tmp_path: Path) -> None:
    root = project(tmp_path, {})
    action = await replacement(root, can(types.ResourceOperationKind.Create))
    assert action is not None and action.edit is not None
    changes = action.edit.document_changes or []
    created = {item.uri for item in changes if isinstance(item, types.CreateFile)}
    names = ("__init__.py", "similar_api.py", "README.md")
    assert created == {(root / "ascend_function" / name).as_uri() for name in names}
    texts = {
        item.text_document.uri: "".join(edit.new_text for edit in item.edits if hasattr(edit, "new_text"))
        for item in changes
        if isinstance(item, types.TextDocumentEdit)
    }
    assert parts_of(texts[(root / MODULE).as_uri()]) == {"distributed_data_parallel"}
    assert "similar_api" in texts[(root / "train.py").as_uri()]


async def test_a_package_that_has_it_already_stays(tmp_path: Path) -> None:
    root = project(tmp_path, {MODULE: assemble(["distributed_data_parallel", "padding"])})
    action = await replacement(root, can(types.ResourceOperationKind.Create))
    assert action is not None and action.edit is not None
    assert [type(item) for item in action.edit.document_changes or []] == [types.TextDocumentEdit]


async def test_another_package_of_that_name_is_left_alone(tmp_path: Path) -> None:
    root = project(tmp_path, {MODULE: "x = 1\n"})
    assert await replacement(root, can(types.ResourceOperationKind.Create)) is None


async def test_an_editor_that_makes_no_files_is_not_offered_what_would_not_run(tmp_path: Path) -> None:
    assert await replacement(project(tmp_path, {}), can(types.ResourceOperationKind.Rename)) is None
