"""The findings of a whole workspace, as a client asks for them again and again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.lsp.editor import Editor, capabilities, editing
from tests.server.project.samples import CUDA, PLAIN, make_tree

pytestmark = pytest.mark.slow

PULLING = capabilities(
    text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
)
Reports = dict[str, Any]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {"a.py": CUDA, "b/c.py": CUDA * 2, "plain.py": PLAIN, "vendor/d.py": CUDA}
    return make_tree(tmp_path / "proj", files)


async def pull(editor: Editor, before: Reports | None = None, token: str | None = None) -> Reports:
    """The reports by the files' names, each file once."""
    known = [types.PreviousResultId(item.uri, item.result_id or "") for item in (before or {}).values()]
    params = types.WorkspaceDiagnosticParams(known, partial_result_token=token)
    answer = await editor.ask(types.WORKSPACE_DIAGNOSTIC, params)
    reports = {Path(item.uri).name: item for item in answer.items}
    assert len(reports) == len(answer.items)
    return reports


async def test_every_file_is_reported_once_and_then_as_unchanged(project: Path) -> None:
    settings = {None: {"version": "2.8.0", "exclude": ["vendor"]}}
    async with editing(project, settings=settings, can=PULLING) as editor:
        first = await pull(editor)
        second = await pull(editor, first)
    assert set(first) == {"a.py", "c.py", "plain.py"}
    assert {name: bool(item.items) for name, item in first.items()} == {
        "a.py": True,
        "c.py": True,
        "plain.py": False,
    }
    assert {item.kind for item in first.values()} == {"full"}
    assert {item.kind for item in second.values()} == {"unchanged"} and set(second) == set(first)


async def test_only_what_has_changed_is_reported_again(project: Path) -> None:
    async with editing(project, can=PULLING) as editor:
        first = await pull(editor)
        (project / "a.py").write_text(PLAIN * 3)
        (project / "b" / "c.py").unlink()
        second = await pull(editor, first)
    assert (second["a.py"].kind, list(second["a.py"].items)) == ("full", [])
    assert (second["c.py"].kind, list(second["c.py"].items)) == ("full", [])
    assert second["plain.py"].kind == second["d.py"].kind == "unchanged"


async def test_an_open_document_counts_as_the_editor_has_it(project: Path) -> None:
    async with editing(project, can=PULLING) as editor:
        document = types.TextDocumentIdentifier(editor.open(project / "a.py", PLAIN, version=7))
        known = None
        reports = []
        for _ in range(2):
            params = types.DocumentDiagnosticParams(document, previous_result_id=known)
            reports.append(await editor.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params))
            known = reports[-1].result_id
        assert editor.diagnostics == {}, "sent to a client that asks"
        workspace, (first, second) = await pull(editor), reports
    assert (list(workspace["a.py"].items), workspace["a.py"].version) == ([], 7)
    assert (first.kind, second.kind) == ("full", "unchanged") and first.result_id == second.result_id


async def test_a_client_that_takes_parts_is_answered_in_parts(project: Path) -> None:
    async with editing(project, can=PULLING) as editor:
        rest = await pull(editor, token="parts")
    reported = [item for token, value in editor.progress if token == "parts" for item in value["items"]]
    assert rest == {} and len(reported) == 4


async def with_settings(editor: Editor, **settings: object) -> None:
    """Once the server has been given other settings."""
    refreshed = len(editor.refreshed)
    editor.change_settings(version="2.8.0", **settings)
    await editor.until(lambda: len(editor.refreshed) > refreshed)


async def test_files_that_are_not_open_have_none_where_the_user_wants_those_of_open_files(
    project: Path,
) -> None:
    async with editing(project, can=PULLING) as editor:
        editor.open(project / "a.py", CUDA)
        everything = await pull(editor)
        await with_settings(editor, diagnosticMode="openFilesOnly")
        opened = await pull(editor, everything)
    assert {name for name, item in everything.items() if item.items} == {"a.py", "c.py", "d.py"}
    assert opened["a.py"].kind == "unchanged"
    assert {name for name, item in opened.items() if item.kind == "full" and not item.items} >= {
        "c.py",
        "d.py",
    }


async def test_what_is_switched_off_has_none_until_it_is_switched_on(project: Path) -> None:
    async with editing(project, can=PULLING) as editor:
        editor.open(project / "a.py", CUDA)
        before = await pull(editor)
        await with_settings(editor, enable=False)
        off = await pull(editor, before)
        await with_settings(editor, enable=True)
        again = await pull(editor, off)
    found = {name for name, item in before.items() if item.items}
    assert found and all(off[name].kind == "full" and not off[name].items for name in found)
    assert {name for name, item in again.items() if item.kind == "full" and item.items} == found


async def test_a_request_about_a_text_that_has_changed_meanwhile_is_to_be_asked_again(project: Path) -> None:
    async with editing(project, can=PULLING) as editor:
        uri = editor.open(project / "a.py", CUDA * 300)
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        request = asyncio.ensure_future(editor.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params))
        await asyncio.sleep(0)
        editor.change(uri, CUDA, version=2)
        with pytest.raises(JsonRpcException) as caught:
            await request
        error, then = caught.value, await editor.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params)
    assert error.code == types.LSPErrorCodes.ServerCancelled
    data = error.data if isinstance(error.data, dict) else vars(error.data)
    assert data.get("retriggerRequest", data.get("retrigger_request")) is True
    assert then.kind == "full" and then.items
