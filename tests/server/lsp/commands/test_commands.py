"""The commands that work on projects, as an editor sends them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from lsprotocol import types

from tests.server.lsp.editor import TOP, Editor, capabilities, editing
from tests.server.project.samples import CUDA, MIGRATED, PLAIN, STUCK, make_tree, names

pytestmark = pytest.mark.slow

MANY = {f"p{number % 7}/m{number}.py": CUDA * 40 for number in range(300)}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with something to do, something to decide and nothing."""
    return make_tree(tmp_path / "in" / "proj", {"a.py": CUDA, "stuck.py": STUCK, "plain.py": PLAIN})


def parameters(root: Path, **changes: Any) -> dict[str, Any]:
    """Of a migration into ``out`` next to the project's parent."""
    return {"options": {"inputPath": str(root), "outputPath": str(root.parents[1] / "out"), **changes}}


async def test_a_project_is_migrated(project: Path, tmp_path: Path) -> None:
    async with editing(project) as editor:
        result = await editor.run("migrateProject", parameters(project))
    output = tmp_path / "out" / "proj_msft"
    assert (result["status"], result["version"], result["outputPath"]) == ("completed", "2.8.0", str(output))
    assert (output / "a.py").read_text() == MIGRATED and result["isComplete"] is False
    assert result["summary"]["changedFiles"] == 1 and result["summary"]["errors"] == 1
    (file,) = result["files"]
    assert (file["original"], file["migrated"]) == (str(project / "a.py"), str(output / "a.py"))
    (finding,) = result["findings"]
    assert (finding["file"], finding["severity"]) == (str(output / "stuck.py"), "error")
    assert finding["range"]["start"]["line"] == 2
    original = {"file": str(project / "stuck.py"), "startLine": 2, "endLine": 2}
    assert finding["original"] == original
    assert {report["kind"] for report in result["reports"]} >= {"log", "table"}
    assert all(Path(report["path"]).is_file() for report in result["reports"])


@pytest.mark.parametrize(
    ("target", "made_for", "is_simulated"),
    [
        ("torch_npu", "For PyTorch 2.8.0 on Ascend A2", True),
        ("accelerator", "For PyTorch 2.8.0 on any accelerator", True),
        ("mindspore", "For MindSpore 2.10.0 or newer", False),
    ],
)
async def test_a_result_says_what_it_was_made_for(
    project: Path, target: str, made_for: str, is_simulated: bool
) -> None:
    async with editing(project) as editor:
        result = await editor.run("migrateProject", parameters(project, target=target))
    assert (result["madeFor"], result["isSimulated"]) == (made_for, is_simulated)


async def test_the_client_may_own_the_progress(project: Path) -> None:
    async with editing(project) as editor:
        await editor.ask("gpu2ascend/migrate", {**parameters(project), "workDoneToken": "mine"})
    titles = [value["title"] for token, value in editor.progress if "title" in value and token != "mine"]
    assert not any("Migrating" in title for title in titles), "shown on a token of the server's"
    shown = [value for token, value in editor.progress if token == "mine"]
    kinds = [value["kind"] for value in shown]
    assert kinds[0] == "begin" and kinds[-1] == "end" and kinds.count("begin") == 1
    reports = [value for value in shown if value["kind"] == "report"]
    assert reports[-1]["percentage"] == 100
    assert [item["percentage"] for item in reports] == sorted(item["percentage"] for item in reports)


async def test_without_a_token_the_server_asks_for_one(project: Path) -> None:
    async with editing(project) as editor:
        await editor.run("migrateProject", parameters(project))
    assert editor.progress


async def test_a_client_that_shows_no_progress_is_not_bothered(project: Path) -> None:
    plain = types.ClientCapabilities()
    async with editing(project, can=plain, initialization_options={"version": "2.8.0"}) as editor:
        result = await editor.run("migrateProject", parameters(project))
    assert result["status"] == "completed" and editor.progress == []


async def cancelled_by_token(editor: Editor, request: Any) -> Any:
    """Cancel as the button of a progress does."""
    params = types.WorkDoneProgressCancelParams("mine")
    request.add_done_callback(lambda _: editor.notify())
    await editor.until(lambda: request.done() or "report" in kinds(editor, "mine"))
    editor.window_work_done_progress_cancel(params)
    return await request


async def test_cancelled_by_its_progress_nothing_is_left(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "in" / "proj", MANY)
    values = {**parameters(root), "workDoneToken": "mine"}

    async with editing(root) as editor:
        for method in ("gpu2ascend/migrate", "gpu2ascend/analyze", "gpu2ascend/preview"):
            editor.progress.clear()
            request = asyncio.ensure_future(editor.ask(method, values))
            assert await cancelled_by_token(editor, request) == {"status": "cancelled"}
    assert names(tmp_path) == ["in"]


def kinds(editor: Editor, token: str) -> list[str]:
    """What was reported under a token, in order; the index of the workspace has another."""
    return [value["kind"] for own, value in editor.progress if own == token]


@pytest.mark.parametrize("method", ["gpu2ascend/migrate", "gpu2ascend/preview"])
async def test_cancelled_while_its_options_are_checked_nothing_is_left(tmp_path: Path, method: str) -> None:
    root = make_tree(tmp_path / "in" / "proj", {"a.py": CUDA})
    rules = tmp_path / "in" / "rules.json"
    renamed = (f'{{"old_name": "torch.a{number}", "new_name": "b"}}' for number in range(150_000))
    # So many that the check goes on for many times as long as it takes to cancel it.
    rules.write_text(f'{{"rules": {{"FuncNameModifyRule": [{",".join(renamed)}]}}}}', encoding="utf-8")
    values = {**parameters(root, customRule=str(rules)), "uri": root.as_uri(), "workDoneToken": "mine"}

    async with editing(root) as editor:
        request = asyncio.ensure_future(editor.ask(method, values))
        await editor.until(lambda: bool(kinds(editor, "mine")))
        editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams("mine"))
        result = await request
    assert result == {"status": "cancelled"}
    assert kinds(editor, "mine") == ["begin", "end"]
    assert names(tmp_path) == ["in"] and editor.applied == []


@pytest.mark.parametrize("is_command", [True, False])
async def test_a_cancelled_request_leaves_nothing(tmp_path: Path, is_command: bool) -> None:
    root = make_tree(tmp_path / "in" / "proj", MANY)

    async with editing(root) as editor:
        if is_command:
            method = "workspace/executeCommand"
            params: Any = types.ExecuteCommandParams("gpu2ascend.migrateProject", [parameters(root)])
        else:
            method, params = "gpu2ascend/migrate", parameters(root)
        answer = editor.protocol.send_request_async(method, params, msg_id="this")
        await editor.until(lambda: any(value["kind"] == "report" for _, value in editor.progress))
        editor.cancel_request(types.CancelParams("this"))
        with pytest.raises(Exception, match="cancel"):
            await answer
        # Only one migration into a place runs at a time: the next one waits for the end of this.
        small = make_tree(tmp_path / "small" / "proj", {"a.py": CUDA})
        same_place = parameters(small, outputPath=str(tmp_path / "out"))
        assert (await editor.run("migrateProject", same_place))["status"] == "completed"
    assert names(tmp_path / "out") == ["proj_msft"]
    assert not (tmp_path / "out" / "proj_msft" / "p0").exists()


async def test_when_the_client_leaves_nothing_is_left(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "in" / "proj", MANY)

    async with editing(root) as editor:
        request = asyncio.ensure_future(editor.run("migrateProject", parameters(root)))
        await editor.until(lambda: any(value["kind"] == "report" for _, value in editor.progress))
        request.cancel()
    assert names(tmp_path) == ["in"]


async def test_parameters_that_are_wrong_are_reported_by_field(project: Path) -> None:
    async with editing(project, locale="zh-cn") as editor:
        result = await editor.run("migrateProject", {"options": {"hardware": "V100"}})
    assert result["status"] == "invalid"
    assert {error["field"] for error in result["errors"]} == {"inputPath", "outputPath", "hardware"}
    assert any("请选择" in error["message"] for error in result["errors"])


@pytest.mark.parametrize("method", ["gpu2ascend/migrate", "gpu2ascend/preview"])
async def test_a_progress_ends_also_when_parameters_are_wrong(project: Path, method: str) -> None:
    values = {**parameters(project, hardware="V100"), "uri": project.as_uri(), "workDoneToken": "mine"}

    async with editing(project) as editor:
        result = await editor.ask(method, values)
    assert result["status"] in ("invalid", "failed")
    assert kinds(editor, "mine") == ["begin", "end"]


async def test_parameters_of_any_shape_are_no_crash(project: Path) -> None:
    shapes: list[tuple[Any, ...]] = [(), (None,), ("text",), (["x"],), ({"options": 7},), ({}, {})]

    async with editing(project) as editor:
        for arguments in shapes:
            assert (await editor.run("migrateProject", *arguments))["status"] == "invalid"
            assert (await editor.run("validateOptions", *arguments))["errors"]
            assert (await editor.run("explain", *arguments))["kind"] is None
            assert (await editor.run("options", *arguments))["schema"]


async def test_an_earlier_result_is_in_the_way(project: Path) -> None:
    async with editing(project) as editor:
        await editor.run("migrateProject", parameters(project))
        again = await editor.run("migrateProject", parameters(project))
        forced = await editor.run("migrateProject", parameters(project, force=True))
    assert [error["field"] for error in again["errors"]] == ["outputPath"]
    assert forced["status"] == "completed"


async def test_a_refusal_names_the_field_that_allows_what_was_refused(project: Path) -> None:
    async with editing(project) as editor:
        made = await editor.run("migrateProject", parameters(project))
        Path(made["outputPath"], "notes.txt").write_text("mine")
        given: list[dict[str, object]] = [{}, {"force": True}, {"force": True, "discardChanges": True}]
        result = [
            await editor.run("validateOptions", {"options": parameters(project, **options)["options"]})
            for options in given
        ]
    refused = [[error["allowedBy"] for error in answer["errors"]] for answer in result]
    assert refused == [["force"], ["discardChanges"], []]


async def test_two_at_once_into_the_same_place_are_refused(tmp_path: Path) -> None:
    many = {f"{part}/{path}": text for part in range(5) for path, text in MANY.items()}
    root = make_tree(tmp_path / "in" / "proj", many)

    async with editing(root) as editor:
        values = {**parameters(root), "workDoneToken": "mine"}
        request = asyncio.ensure_future(editor.ask("gpu2ascend/migrate", values))
        await editor.until(lambda: "report" in kinds(editor, "mine"))
        second = await editor.run("migrateProject", parameters(root))
        first = await cancelled_by_token(editor, request)
    assert second["status"] == "failed" and "running already" in second["message"]
    assert first == {"status": "cancelled"}


async def test_the_workspace_is_analysed_as_it_is_in_the_editor(project: Path) -> None:
    async with editing(project) as editor:
        editor.open(project / "stuck.py", PLAIN)
        result = await editor.run("analyzeProject")
    assert result["status"] == "completed" and result["summary"]["files"] == 3
    assert result["folders"] == [{"path": str(project), "version": "2.8.0", "problem": None}]
    assert {finding["file"] for finding in result["findings"]} == {str(project / "a.py")}
    assert {"code", "message", "severity", "kind", "family", "api", "applicability", "path", "range"} <= set(
        result["findings"][0]
    )


async def test_a_folder_that_is_gone_is_reported_in_its_place(project: Path, tmp_path: Path) -> None:
    async with editing(project, tmp_path / "gone") as editor:
        result = await editor.run("analyzeProject")
    problems = {folder["path"]: folder["problem"] for folder in result["folders"]}
    assert problems[str(project)] is None and "does not exist" in problems[str(tmp_path / "gone")]


async def test_options_tell_the_schema_and_what_the_settings_leave(project: Path) -> None:
    (project / "requirements.txt").write_text("torch==2.1.0\n")

    async with editing(project, settings={None: {"hardware": "A3"}}) as editor:
        result = await editor.run("options", {"folder": project.as_uri()})
    assert result["values"]["hardware"] == "A3" and result["values"]["version"] == "2.1.0"
    assert result["detected"]["version"] == "2.1.0" and "requirements.txt" in result["detected"]["message"]
    assert result["outputName"] == "proj_msft" and result["problem"] is None
    assert set(result["values"]) <= set(result["schema"]["properties"])


async def test_validation_names_the_directory_that_would_be_made(project: Path, tmp_path: Path) -> None:
    (project / "requirements.txt").write_text("torch==2.1.0\n")

    async with editing(project) as editor:
        result = await editor.run("validateOptions", parameters(project))
    target = str(tmp_path / "out" / "proj_msft")
    assert result.pop("detected")["version"] == result.pop("proposedVersion")["version"] == "2.1.0"
    assert result == {"errors": [], "notices": [], "target": target, "proposals": {"entries": []}}


async def test_a_version_is_proposed_with_its_reason_where_none_is_named(project: Path) -> None:
    (project / "requirements.txt").write_text("torch>=1.7,<2.7\n")

    async with editing(project) as editor:
        shown = await editor.run("options", {"folder": str(project)})
        validation = await editor.run("validateOptions", parameters(project))
    assert shown["proposedVersion"] == validation["proposedVersion"]
    assert shown["proposedVersion"]["version"] == "2.6.0"
    assert "torch>=1.7,<2.7" in shown["proposedVersion"]["message"]


async def test_a_directory_that_is_migrated_is_a_project_of_its_own(project: Path) -> None:
    (project / "requirements.txt").write_text("torch==2.1.0\n")
    part, plain = project / "part", project / "plain"
    make_tree(part, {"b.py": CUDA, "requirements.txt": "torch==2.6.0\n"})
    make_tree(plain, {"c.py": CUDA})

    async with editing(project, settings={None: {"hardware": "A3"}}) as editor:
        shown = await editor.run("options", {"folder": str(part)})
        given = [parameters(root)["options"] for root in (part, plain)]
        asked = [{"options": {**values, "version": None}} for values in given]
        own, inherited = [await editor.run("validateOptions", values) for values in asked]
        result = await editor.run("migrateProject", asked[0])
    assert shown["detected"]["version"] == own["detected"]["version"] == result["version"] == "2.6.0"
    assert inherited["detected"]["version"] == "2.1.0"


async def test_an_explanation_is_markdown(project: Path) -> None:
    async with editing(project) as editor:
        rule = await editor.run("explain", {"name": "NPU101"})
        api = await editor.run("explain", {"name": "torch.cuda.empty_cache", "version": "2.1.0"})
        wrong = await editor.run("explain", {"name": "NPU101", "version": "9.9"})
    assert rule["kind"] == "rule" and rule["markdown"].startswith("### NPU101")
    assert api["kind"] == "api" and "2.1.0" in api["markdown"]
    assert wrong["kind"] is None and "9.9" in wrong["markdown"]


async def test_an_unknown_command_is_an_error_and_no_crash(project: Path) -> None:
    async with editing(project) as editor:
        with pytest.raises(Exception, match="unknown command"):
            await editor.run("nonsense")
        result = await editor.run("options")
    assert result["schema"]


async def test_typing_goes_on_while_a_project_is_migrated(tmp_path: Path) -> None:
    many = {f"{part}/{path}": text for part in range(5) for path, text in MANY.items()}
    root = make_tree(tmp_path / "in" / "proj", many)

    async with editing(root) as editor:
        values = {**parameters(root), "workDoneToken": "mine"}
        request = asyncio.ensure_future(editor.ask("gpu2ascend/migrate", values))
        await editor.until(lambda: "report" in kinds(editor, "mine"))
        uri = editor.open(root / "new.py", CUDA)
        await editor.until(lambda: bool(editor.diagnostics.get(uri)))
        assert not request.done()
        result = await cancelled_by_token(editor, request)
    assert result == {"status": "cancelled"}


def message(**content: Any) -> bytes:
    """A message as it goes over the wire."""
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def test_when_the_client_dies_nothing_is_left(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "in" / "proj", MANY)
    values = {**parameters(root, version="2.8.0"), "workDoneToken": "mine"}
    path = os.pathsep.join(str(TOP / part) for part in ("rules", "server"))
    with subprocess.Popen(
        [sys.executable, "-m", "gpu2ascend", "lsp"],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        begin = {"processId": None, "rootUri": None, "capabilities": {}}
        server.stdin.write(message(id=1, method="initialize", params=begin))
        server.stdin.write(message(method="initialized", params={}))
        server.stdin.write(message(id=2, method="gpu2ascend/migrate", params=values))
        server.stdin.flush()
        while b"p0/m" not in server.stdout.readline():
            pass
        server.stdin.close()
        server.stdout.close()
        assert server.wait(60) is not None
    assert names(tmp_path) == ["in"]


async def test_an_explanation_is_shown_in_a_client_that_does_nothing_with_a_result(project: Path) -> None:
    async with editing(project) as editor:
        await editor.run("explain", {"name": "NPU101"})
        unasked = list(editor.messages)
        await editor.run("explain", {"name": "NPU101", "show": True})
        await editor.until(lambda: editor.messages)
        (shown,) = editor.messages
    assert unasked == []
    assert "NPU101" in shown and "**" not in shown


async def test_a_client_that_opens_documents_opens_the_page_of_the_rule(project: Path) -> None:
    window = types.WindowClientCapabilities(show_document=types.ShowDocumentClientCapabilities(True))
    can = capabilities(window=window)

    shown: list[types.ShowDocumentParams] = []
    async with editing(project, can=can) as editor:

        @editor.feature(types.WINDOW_SHOW_DOCUMENT)
        def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            shown.append(params)
            return types.ShowDocumentResult(True)

        await editor.run("explain", {"name": "NPU101", "show": True})
        assert editor.messages == []
    (opened,) = shown
    assert opened.selection is not None
    page = Path(unquote(urlsplit(opened.uri).path)).read_text(encoding="utf-8").split("\n")
    assert page[opened.selection.start.line].startswith("### NPU101")
