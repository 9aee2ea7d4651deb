"""What an editor says of a file that depends on other files of its project."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from gpu2ascend.lsp.startup.announcement import FIX_ALL
from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend_rules.options.options import options_from
from tests.server.lsp.editor import Editor, capabilities, editing
from tests.server.project.samples import make_tree

pytestmark = pytest.mark.slow

BATCH = """\
import torch
class Batch:
    def cuda(self):
        return self
def collate(x):
    return Batch()
"""
HARMLESS = BATCH.replace("def cuda", "def gpu")
TRAIN = "import torch\nfrom batch import collate\ndef f(x):\n    b = collate(x)\n    b = b.cuda()\n"
PASSING = "import torch.nn.functional as F\n"
USE = "from common import F\nF.embedding_bag(x, 1)\n"
PULLING = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """The file that lets the gated server read projects."""
    return tmp_path / "gate"


def gated(gate: Path) -> tuple[str, ...]:
    """The command of the server that waits for a file."""
    return ("tests.lsp.gated_server", str(gate))


def applicabilities(editor: Editor, uri: str) -> list[str] | None:
    """What may be done about the findings in a document, as last published."""
    found = editor.diagnostics.get(uri)
    return [item.data["applicability"] for item in found if item.data] if found is not None else None


async def shows(editor: Editor, uri: str, *expected: str) -> None:
    """Wait until a document's findings are these."""
    await editor.until(lambda: applicabilities(editor, uri) == list(expected))


async def quick_fixes(editor: Editor, uri: str, line: int) -> list[types.CodeAction]:
    """The quick fixes of a line."""
    place = types.Range(types.Position(line, 8), types.Position(line, 8))
    context = types.CodeActionContext(editor.diagnostics[uri], only=[types.CodeActionKind.QuickFix])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context)
    found = await editor.ask(types.TEXT_DOCUMENT_CODE_ACTION, params)
    return [item for item in found if isinstance(item, types.CodeAction)]


async def lens(editor: Editor, uri: str) -> str:
    """What the first lens says."""
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    return (await editor.ask(types.TEXT_DOCUMENT_CODE_LENS, params))[0].command.title


def on_the_command_line(root: Path, name: str) -> list[str]:
    """What ``check`` says of a file of a project."""
    files = check_paths([root], options_from({"version": "2.8.0"}))
    found = next(item for item in files if Path(item.path).name == name).findings
    return [item.fix.applicability.value if item.fix else "manual" for item in found]


async def test_a_fix_that_another_file_makes_unsafe_is_unsafe_as_on_the_command_line(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "p", {"batch.py": BATCH, "train.py": TRAIN, "other.py": HARMLESS})

    async with editing(root) as editor:
        uri = editor.open(root / "train.py", TRAIN)
        await editor.until(lambda: editor.ended_progress == 1)
        await shows(editor, uri, *on_the_command_line(root, "train.py"))
        assert applicabilities(editor, uri) == ["unsafe"]
        fixes = await quick_fixes(editor, uri, 4)
        assert any("npu" in fix.title for fix in fixes), [fix.title for fix in fixes]
        assert not any(fix.is_preferred for fix in fixes)
        assert (await lens(editor, uri)).count("0 to migrate")


async def test_a_file_is_looked_at_before_its_project_is_known(tmp_path: Path, gate: Path) -> None:
    root = make_tree(tmp_path / "p", {"train.py": TRAIN, "batch.py": HARMLESS, "common.py": PASSING})

    async with editing(root, command=gated(gate)) as editor:
        train = editor.open(root / "train.py", TRAIN)
        use = editor.open(root / "use.py", USE)
        await shows(editor, train, "unsafe")
        await shows(editor, use)
        gate.touch()
        await shows(editor, train, "safe")
        await editor.until(lambda: len(editor.diagnostics[use]) == 1)
        assert (await lens(editor, train)).count("1 to migrate")


async def test_fixes_of_a_whole_file_wait_for_the_project(tmp_path: Path, gate: Path) -> None:
    root = make_tree(tmp_path / "p", {"train.py": TRAIN, "batch.py": HARMLESS})

    async with editing(root, command=gated(gate)) as editor:
        uri = editor.open(root / "train.py", TRAIN)
        await shows(editor, uri, "unsafe")
        everywhere = types.Range(types.Position(0, 0), types.Position(5, 0))
        context = types.CodeActionContext([], only=[FIX_ALL])
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), everywhere, context)
        asked = asyncio.ensure_future(editor.ask(types.TEXT_DOCUMENT_CODE_ACTION, params))
        gate.touch()
        (action,) = await asked
        assert action.kind == FIX_ALL


async def test_the_building_of_an_index_is_announced(tmp_path: Path, gate: Path) -> None:
    root = make_tree(tmp_path / "p", {f"m{number}.py": PASSING for number in range(450)})

    async with editing(root, command=gated(gate)) as editor:
        await editor.until(lambda: editor.progress)
        gate.touch()
        await editor.until(lambda: editor.ended_progress == 1)
        begin, *reports, _ = [value for _, value in editor.progress]
        assert begin["kind"] == "begin"
        assert root.name in begin["title"]
        assert not begin["cancellable"]
        assert [item["percentage"] for item in reports] == [0, 44, 88]


async def test_an_edit_of_another_document_counts_before_it_is_saved(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "p", {"train.py": TRAIN, "batch.py": HARMLESS})

    async with editing(root) as editor:
        train = editor.open(root / "train.py", TRAIN)
        await shows(editor, train, "safe")
        batch = editor.open(root / "batch.py", HARMLESS)
        editor.change(batch, BATCH, 2)
        await shows(editor, train, "unsafe")
        editor.change(batch, HARMLESS, 3)
        await shows(editor, train, "safe")
        editor.change(batch, BATCH, 4)
        await shows(editor, train, "unsafe")
        editor.close(batch)
        await shows(editor, train, "safe")


async def test_what_another_document_passes_on_counts_before_it_is_saved(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "p", {"use.py": USE, "common.py": ""})

    async with editing(root) as editor:
        use = editor.open(root / "use.py", USE)
        common = editor.open(root / "common.py", "")
        editor.change(common, PASSING, 2)
        await editor.until(lambda: len(editor.diagnostics.get(use, ())) == 1)
        editor.change(common, PASSING + "F = 1\n", 3)
        await editor.until(lambda: editor.diagnostics[use] == [])


async def test_a_name_that_another_document_gets_for_the_npu_is_missing_no_more(tmp_path: Path) -> None:
    use = "import torch, ops\ndef f(d: torch.device):\n    return getattr(ops, f'run_{d.type}')\n"
    mine = "def run_cuda(): ...\n"
    files = {"use.py": use, "ops/__init__.py": "from .a import *\n", "ops/a.py": mine}
    root = make_tree(tmp_path / "p", files)

    async with editing(root) as editor:
        user = editor.open(root / "use.py", use)
        await editor.until(lambda: [item.code for item in editor.diagnostics.get(user, ())] == ["NPU219"])
        ops = editor.open(root / "ops/a.py", mine)
        editor.change(ops, mine + "run_npu = run_cuda\n", 2)
        await editor.until(lambda: editor.diagnostics[user] == [])


async def test_files_that_change_on_the_disk_count(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "p", {"train.py": TRAIN, "batch.py": HARMLESS})

    async with editing(root) as editor:
        train = editor.open(root / "train.py", TRAIN)
        await shows(editor, train, "safe")
        assert any("ipynb" in str(item.register_options) for item in editor.registered)
        file = root / "sub/new.py"
        make_tree(root, {"sub/new.py": BATCH})
        editor.files_changed(file)
        await shows(editor, train, "unsafe")
        file.unlink()
        editor.files_changed(file)
        await shows(editor, train, "safe")


async def test_files_that_no_survey_reads_do_not_count(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "p", {"train.py": TRAIN, "batch.py": HARMLESS, "env/pyvenv.cfg": ""})

    async with editing(root) as editor:
        train = editor.open(root / "train.py", TRAIN)
        await shows(editor, train, "safe")
        make_tree(root, {"env/lib.py": BATCH, "batch.py": BATCH})
        editor.files_changed(root / "env/lib.py")
        editor.open(root / "env/lib.py", BATCH)
        (root / "batch.py").unlink()
        make_tree(root, {"last.py": "class A:\n    def to(self): pass\n"})
        editor.files_changed(root / "last.py", root / "batch.py")
        other = editor.open(root / "other.py", "import torch\ndef f(x):\n    x.cuda()\n")
        await shows(editor, other, "safe")


async def test_each_folder_is_a_project_and_a_closed_one_is_forgotten(tmp_path: Path) -> None:
    first = make_tree(tmp_path / "first", {"train.py": TRAIN})
    second = make_tree(tmp_path / "second", {"train.py": TRAIN, "batch.py": BATCH})

    async with editing(first) as editor:
        train = editor.open(first / "train.py", TRAIN)
        await shows(editor, train, "safe")
        added = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(second.as_uri(), "second")], [])
        editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(added))
        await editor.until(lambda: editor.ended_progress == 2)
        other = editor.open(second / "train.py", TRAIN)
        await shows(editor, other, "unsafe")
        assert applicabilities(editor, train) == ["safe"]
        editor.close(other)
        gone = types.WorkspaceFoldersChangeEvent([], added.added)
        editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(gone))
        editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(added))
        await editor.until(lambda: editor.ended_progress == 3)


async def test_a_file_outside_of_the_folders_has_its_own_project(tmp_path: Path) -> None:
    folder = make_tree(tmp_path / "folder", {})
    root = make_tree(tmp_path / "p", {"pyproject.toml": "", "sub/train.py": TRAIN, "batch.py": BATCH})

    async with editing(folder) as editor:
        train = editor.open(root / "sub/train.py", TRAIN)
        await shows(editor, train, "unsafe")
        await editor.until(lambda: editor.ended_progress == 2)
        assert applicabilities(editor, train) == ["unsafe"]


async def test_a_text_that_is_no_file_is_on_its_own(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "p", {"batch.py": BATCH})

    async with editing(root) as editor:
        await editor.until(lambda: editor.ended_progress == 1)
        item = types.TextDocumentItem("untitled:Untitled-1", "python", 1, TRAIN)
        editor.text_document_did_open(types.DidOpenTextDocumentParams(item))
        await shows(editor, item.uri, "safe")


async def test_a_client_that_asks_for_diagnostics_is_asked_to_ask_again(tmp_path: Path, gate: Path) -> None:
    root = make_tree(tmp_path / "p", {"train.py": TRAIN, "batch.py": HARMLESS})
    own = capabilities()
    assert own.workspace is not None
    own.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    own.text_document = PULLING

    async with editing(root, command=gated(gate), can=own) as editor:
        uri = editor.open(root / "train.py", TRAIN)
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        before = await editor.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params)
        assert [item.data["applicability"] for item in before.items] == ["unsafe"]
        refreshed = editor.refreshed.count("diagnostics")
        gate.touch()
        await editor.until(lambda: editor.refreshed.count("diagnostics") > refreshed)
        params.previous_result_id = before.result_id
        after = await editor.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params)
        assert [item.data["applicability"] for item in after.items] == ["safe"]


async def test_an_edit_that_no_other_file_can_see_refreshes_nothing(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "p", {"train.py": TRAIN, "batch.py": HARMLESS})
    own = capabilities()
    assert own.workspace is not None
    own.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    own.text_document = PULLING

    async with editing(root, can=own) as editor:
        train = editor.open(root / "train.py", TRAIN)
        await editor.until(lambda: editor.ended_progress == 1)
        batch = editor.open(root / "batch.py", HARMLESS)
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(train))
        report = await editor.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params)
        assert [item.data["applicability"] for item in report.items] == ["safe"]
        refreshed = editor.refreshed.count("diagnostics")
        for version in range(2, 12):
            editor.change(batch, HARMLESS + "    # more\n" * version, version)
        await asyncio.sleep(1)  # for what should not come; the next refresh would show it anyway
        editor.change(batch, BATCH, 12)
        await editor.until(lambda: editor.refreshed.count("diagnostics") > refreshed)
        report = await editor.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params)
        assert [item.data["applicability"] for item in report.items] == ["unsafe"]
        assert editor.refreshed.count("diagnostics") == refreshed + 1


async def test_a_file_that_is_not_saved_yet_is_a_module(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "p", {"use.py": USE})

    async with editing(root) as editor:
        use = editor.open(root / "use.py", USE)
        await editor.until(lambda: editor.ended_progress == 1)
        editor.open(root / "common.py", PASSING)  # not saved yet
        await editor.until(lambda: len(editor.diagnostics.get(use, ())) == 1)


async def test_findings_in_closed_files_of_the_workspace_know_the_project(tmp_path: Path) -> None:
    root = make_tree(
        tmp_path / "p", {"train.py": TRAIN, "batch.py": BATCH, "use.py": USE, "common.py": PASSING}
    )
    own = capabilities(text_document=PULLING)

    async with editing(root, can=own) as editor:
        answer = await editor.ask(types.WORKSPACE_DIAGNOSTIC, types.WorkspaceDiagnosticParams([]))
        found = {Path(report.uri).name: report.items for report in answer.items}
        assert [item.data["applicability"] for item in found["train.py"]] == ["unsafe"]
        assert len(found["use.py"]) == 1


async def test_a_document_of_an_added_folder_counts_there_and_not_in_the_outer_one(tmp_path: Path) -> None:
    outer = make_tree(tmp_path / "p", {"train.py": TRAIN, "inner/batch.py": HARMLESS, "inner/use.py": TRAIN})
    inner = types.WorkspaceFolder((outer / "inner").as_uri(), "inner")

    async with editing(outer) as editor:
        train = editor.open(outer / "train.py", TRAIN)
        use = editor.open(outer / "inner/use.py", TRAIN)
        editor.open(outer / "inner/batch.py", BATCH)
        await shows(editor, train, "unsafe")
        await shows(editor, use, "unsafe")
        added = types.WorkspaceFoldersChangeEvent([inner], [])
        editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(added))
        await shows(editor, train, "safe")
        await shows(editor, use, "unsafe")  # until the open text is looked at, that of the file counts


async def test_a_library_that_is_open_as_the_project_is_none_of_others(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"dgl/__init__.py": "", "dgl/nn.py": "", "dgl/core/__init__.py": ""}) / "dgl"
    text = "import dgl\nfrom dgl.core import f\ndgl.g(f)\n"

    async with editing(root) as editor:
        own = editor.open(root / "new.py", text)
        other = editor.open(root / "other.py", "import cupy\ncupy.ones(2)\n")
        await editor.until(lambda: editor.ended_progress == 1)
        await editor.until(lambda: [item.code for item in editor.diagnostics.get(other, [])] == ["NPU701"])
        assert not editor.diagnostics[own]
