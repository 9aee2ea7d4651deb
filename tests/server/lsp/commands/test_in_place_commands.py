"""The commands that change a project where it is: a preview of all of it, the migration of one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.lsp.editor import capabilities, editing
from tests.server.project.samples import CUDA, PLAIN, STUCK, make_tree

pytestmark = pytest.mark.slow

TF32 = "torch.backends.cuda.matmul.allow_tf32 = True\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with something to do, something to decide and nothing."""
    return make_tree(tmp_path / "in" / "proj", {"a.py": CUDA, "stuck.py": STUCK, "plain.py": PLAIN})


def confirmed(edit: types.WorkspaceEdit) -> list[bool]:
    """Of each kind of change in an edit, whether it needs confirmation."""
    return [bool(item.needs_confirmation) for item in (edit.change_annotations or {}).values()]


async def test_a_preview_asks_for_the_unsafe_changes(project: Path) -> None:
    (project / "a.py").write_text(CUDA + TF32)

    async with editing(project) as editor:
        result = await editor.run("previewMigration")
        edit = editor.applied[0]
    assert result["status"] == "completed" and result["files"] == 1
    (document,) = edit.document_changes or ()
    assert isinstance(document, types.TextDocumentEdit) and document.text_document.version is None
    annotations = edit.change_annotations or {}
    assert set(confirmed(edit)) == {False, True}
    named = {item.annotation_id for item in document.edits if isinstance(item, types.AnnotatedTextEdit)}
    assert named == set(annotations)


async def test_a_preview_of_safe_changes_is_shown_before_anything_is_written(project: Path) -> None:
    async with editing(project) as editor:
        await editor.run("previewMigration")
        await editor.run("previewMigration", {"uri": (project / "a.py").as_uri()})
        of_folder, of_file = editor.applied
    assert set(confirmed(of_folder)) == set(confirmed(of_file)) == {True}


async def test_a_preview_of_a_folder_takes_the_options_of_a_migration(project: Path) -> None:
    async with editing(project) as editor:
        asked = {"uri": project.as_uri(), "apply": False}
        plain = await editor.run("previewMigration", asked)
        other = await editor.run("previewMigration", {**asked, "options": {"apiStyle": "torch.npu"}})
        wrong = await editor.run("previewMigration", {**asked, "options": {"hardware": "V100"}})
    assert "torch.npu." not in str(plain["edit"]) and "torch.npu." in str(other["edit"])
    assert wrong["status"] == "failed" and "V100" in wrong["message"]


async def test_a_preview_does_without_what_is_switched_off(project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text(CUDA + "to_gpu(x)\n")
    rules = tmp_path / "rules.json"
    rules.write_text('{"rules": {"FuncNameModifyRule": [{"old_name": "to_gpu", "new_name": "to_npu"}]}}')
    settings = {None: {"version": "2.8.0", "customRule": str(rules)}}

    async with editing(project, settings=settings) as editor:
        asked = {"uri": project.as_uri(), "apply": False}
        with_rules = await editor.run("previewMigration", {**asked, "options": {"hardware": "A3"}})
        without = await editor.run("previewMigration", {**asked, "options": {"customRule": None}})
    assert "to_npu" in str(with_rules["edit"])
    assert without["status"] == "completed" and "to_npu" not in str(without["edit"])


async def test_a_preview_of_an_open_document_is_of_its_version(project: Path) -> None:
    async with editing(project) as editor:
        uri = editor.open(project / "plain.py", CUDA, version=7)
        result = await editor.run("previewMigration", {"uri": uri, "apply": False})
    edit = result["edit"]
    (document,) = edit["documentChanges"]
    assert document["textDocument"]["version"] == 7


@pytest.mark.parametrize("command", ["migrateFile", "previewMigration"])
async def test_a_cell_that_is_not_python_keeps_no_other_cell_from_its_changes(
    project: Path, command: str
) -> None:
    path = project / "open.ipynb"
    path.write_text("{}")
    cells = {
        f"vscode-notebook-cell:{path.as_posix()}#1": "import torch",
        f"vscode-notebook-cell:{path.as_posix()}#2": "x = torch.zeros(1).cuda()",
        f"vscode-notebook-cell:{path.as_posix()}#3": "    y = torch.zeros(1).cuda()\n",
        f"vscode-notebook-cell:{path.as_posix()}#4": "z = torch.zeros(1).cuda(\n",
    }

    async with editing(project) as editor:
        code = types.NotebookCellKind.Code
        parts = [types.NotebookCell(code, cell) for cell in cells]
        notebook = types.NotebookDocument(path.as_uri(), "jupyter-notebook", 1, parts)
        items = [types.TextDocumentItem(cell, "python", 3, text) for cell, text in cells.items()]
        editor.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
        await editor.run(command, {"uri": next(iter(cells))})
        result = editor.applied[0]
    changes = result.document_changes or ()
    changed = {
        part.text_document.uri: [item.new_text for item in part.edits]
        for part in changes
        if isinstance(part, types.TextDocumentEdit)
    }
    uris = list(cells)
    assert changed == {uris[0]: ["\nimport torch_npu"], uris[1]: ["npu"], uris[2]: ["npu"]}


async def test_shell_code_of_a_notebook_is_changed_too(project: Path) -> None:
    path = project / "open.ipynb"
    path.write_text("{}")
    cells = {
        f"vscode-notebook-cell:{path.as_posix()}#1": (
            "python",
            "x = !nvidia-smi\n%env CUDA_VISIBLE_DEVICES=0",
        ),
        f"vscode-notebook-cell:{path.as_posix()}#2": ("shellscript", "%%bash\nnvidia-smi\n"),
        f"vscode-notebook-cell:{path.as_posix()}#3": ("markdown", "!nvidia-smi"),
    }

    async with editing(project) as editor:
        code = types.NotebookCellKind.Code
        parts = [types.NotebookCell(code, cell) for cell in cells]
        notebook = types.NotebookDocument(path.as_uri(), "jupyter-notebook", 1, parts)
        items = [types.TextDocumentItem(uri, kind, 3, text) for uri, (kind, text) in cells.items()]
        editor.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
        await editor.run("migrateFile", {"uri": next(iter(cells))})
        result = editor.applied[0]
    changes = result.document_changes or ()
    changed = {
        part.text_document.uri: [item.new_text for item in part.edits]
        for part in changes
        if isinstance(part, types.TextDocumentEdit)
    }
    first, second, _ = cells
    assert changed == {first: ["npu-smi info", "ASCEND_RT_VISIBLE_DEVICES"], second: ["npu-smi info"]}


async def test_a_preview_changes_the_cells_of_open_notebooks_and_reports_others(project: Path) -> None:
    cell = '{"cell_type": "code", "metadata": {}, "source": ["import torch.cuda"]}'
    for name in ("open.ipynb", "closed.ipynb"):
        (project / name).write_text(f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4}}')
    cells = ["vscode-notebook-cell:/open.ipynb#1", "vscode-notebook-cell:/open.ipynb#2"]
    texts = ["import torch", "x = torch.zeros(1).cuda()"]

    async with editing(project) as editor:
        parts = [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in cells]
        notebook = types.NotebookDocument((project / "open.ipynb").as_uri(), "jupyter-notebook", 1, parts)
        items = [
            types.TextDocumentItem(uri, "python", 3, text) for uri, text in zip(cells, texts, strict=True)
        ]
        editor.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
        result = await editor.run("previewMigration")
        edit = editor.applied[0]
    changed = {
        part.text_document.uri: (part.text_document.version, [item.new_text for item in part.edits])
        for part in edit.document_changes or ()
        if isinstance(part, types.TextDocumentEdit)
    }
    assert changed[cells[0]] == (3, ["\nimport torch_npu"])
    assert changed[cells[1]] == (3, ["npu"])
    assert result["leftOut"] == [str(project / "closed.ipynb")]
    assert len(editor.messages) == 1 and "closed.ipynb" in editor.messages[0]


async def test_a_client_that_cannot_ask_gets_the_safe_changes_only(project: Path) -> None:
    (project / "a.py").write_text(CUDA + TF32)
    workspace = types.WorkspaceClientCapabilities(apply_edit=True)

    can = capabilities(workspace=workspace)
    async with editing(project, can=can, initialization_options={"version": "2.8.0"}) as editor:
        await editor.run("previewMigration")
        edit = editor.applied[0]
    assert edit.document_changes is None and edit.change_annotations is None
    ((_, edits),) = (edit.changes or {}).items()
    assert not any("tf32" in item.new_text for item in edits)


EQUIVALENT = "from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v)\n"
"""What our package has an adapter for."""


async def previewed(root: Path, **can: Any) -> types.WorkspaceEdit | None:
    """The edit of a preview, if there is anything to change."""
    async with editing(root, can=capabilities(**can)) as editor:
        await editor.run("previewMigration")
        return editor.applied[0] if editor.applied else None


async def test_a_preview_brings_the_package_that_its_changes_need(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": EQUIVALENT})
    edit = await previewed(root)
    assert edit is not None
    made = {item.uri for item in edit.document_changes or () if isinstance(item, types.CreateFile)}
    assert (root / "ascend_function" / "similar_api.py").as_uri() in made
    texts = {
        item.text_document.uri: item.edits[0].new_text  # type: ignore[union-attr]
        for item in edit.document_changes or ()
        if isinstance(item, types.TextDocumentEdit)
    }
    assert "def flash_attn_func" in texts[(root / "ascend_function" / "similar_api.py").as_uri()]


async def test_a_client_that_makes_no_files_is_not_offered_what_needs_one(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": EQUIVALENT})
    support = types.ChangeAnnotationsSupportOptions()
    edits = types.WorkspaceEditClientCapabilities(document_changes=True, change_annotation_support=support)
    workspace = types.WorkspaceClientCapabilities(apply_edit=True, configuration=True, workspace_edit=edits)
    assert await previewed(root, workspace=workspace) is None


async def test_one_file_is_migrated_where_it_is(project: Path) -> None:
    async with editing(project) as editor:
        uri = editor.open(project / "a.py", CUDA)
        done = await editor.run("migrateFile", {"uri": uri})
        nothing = await editor.run("migrateFile", {"uri": (project / "plain.py").as_uri()})
        missing = await editor.run("migrateFile", {"uri": (project / "none.py").as_uri()})
        (edit,) = editor.applied
    assert done["status"] == "completed" and done["changes"] > 0
    assert nothing["changes"] == 0 and set(confirmed(edit)) == {False}
    assert missing["status"] == "failed"


async def test_edits_that_the_client_refuses_are_reported(project: Path) -> None:
    async with editing(project) as editor:
        editor.accepts_edits = False
        result = await editor.run("migrateFile", {"uri": (project / "a.py").as_uri()})
    assert result["status"] == "cancelled"


async def test_documents_that_are_in_no_file_can_be_migrated(project: Path) -> None:
    async with editing(project) as editor:
        item = types.TextDocumentItem("untitled:Untitled-1", "python", 1, CUDA)
        editor.text_document_did_open(types.DidOpenTextDocumentParams(item))
        result = await editor.run("migrateFile", {"uri": "untitled:Untitled-1"})
    assert result["status"] == "completed"


async def test_what_the_changes_of_one_file_need_is_made_in_its_folder(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"sub/a.py": EQUIVALENT})

    async with editing(root, can=capabilities()) as editor:
        await editor.run("previewMigration", {"uri": (root / "sub" / "a.py").as_uri()})
        (edit,) = editor.applied
    made = {item.uri for item in edit.document_changes or () if isinstance(item, types.CreateFile)}
    assert (root / "ascend_function" / "similar_api.py").as_uri() in made


async def test_what_a_client_shows_itself_is_not_asked_about_for_being_all(project: Path) -> None:
    async with editing(project) as editor:
        result = await editor.run("previewMigration", {"uri": (project / "a.py").as_uri(), "apply": False})
    annotations = result["edit"]["changeAnnotations"]
    assert [item["needsConfirmation"] for item in annotations.values()] == [False] * len(annotations)


async def test_a_preview_names_the_files_that_were_not_examined(project: Path) -> None:
    (project / "broken.py").write_text("import torch\nx = torch.cuda.(\n" + "(" * 3)

    async with editing(project, settings={None: {"version": "2.8.0", "maxFileSize": 1}}) as editor:
        (project / "large.py").write_text(CUDA + "#" * 2_000_000)
        result = await editor.run("previewMigration", {"uri": project.as_uri(), "apply": False})
    (problem,) = [item for item in result["problems"] if "large" in item["file"]]
    assert problem["message"]


async def finished(project: Path, text: str, *, is_open: bool) -> Any:
    """What completes ``a.py`` after a preview of it, and a selection of which this is the text."""
    async with editing(project) as editor:
        path = project / "a.py"
        uri = editor.open(path, CUDA) if is_open else path.as_uri()
        await editor.run("previewMigration", {"uri": uri, "apply": False})
        if is_open:
            editor.change(uri, text, 2)
        else:
            path.write_text(text)
        return (await editor.ask("gpu2ascend/finishPreview", {"uris": [uri]}))["edit"]


@pytest.mark.parametrize("is_open", [True, False])
async def test_an_import_that_was_left_out_and_is_needed_is_given_afterwards(
    project: Path, is_open: bool
) -> None:
    edit = await finished(project, "import torch\ntorch_npu.npu.empty_cache()\n", is_open=is_open)
    ((change,),) = [item["edits"] for item in edit["documentChanges"]]
    assert change["newText"] == "\nimport torch_npu"


async def test_nothing_is_given_where_the_imports_are_there(project: Path) -> None:
    text = "import torch\nimport torch_npu\ntorch_npu.npu.empty_cache()\n"
    assert await finished(project, text, is_open=True) is None


async def test_the_package_that_a_chosen_change_uses_is_given_afterwards(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": EQUIVALENT})

    async with editing(root) as editor:
        uri = (root / "a.py").as_uri()
        await editor.run("previewMigration", {"uri": uri, "apply": False})
        (root / "a.py").write_text("y = similar_api.flash_attn_func(q, k, v)\n")
        result = await editor.ask("gpu2ascend/finishPreview", {"uris": [uri]})
    edit = result["edit"]
    made = {item["uri"] for item in edit["documentChanges"] if item.get("kind") == "create"}
    assert (root / "ascend_function" / "similar_api.py").as_uri() in made
    assert "from ascend_function import similar_api" in str(edit)
