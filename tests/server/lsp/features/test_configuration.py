"""Settings that an editor gives and changes, and what shows them: diagnostics, lenses, completion."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import attrs
import pytest
from lsprotocol import types

from gpu2ascend.lsp.features.lifecycle.configuration import _Problems
from gpu2ascend.lsp.server import Server
from gpu2ascend_rules.model.finding import Message
from tests.server.lsp.editor import Editor, capabilities, editing
from tests.server.project.samples import CUDA, PLAIN, make_tree

pytestmark = pytest.mark.slow

LATER = "import torch\nx = torch.ones(2).cuda()\ntorch.cuda.get_stream_limit\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one file."""
    return make_tree(tmp_path / "proj", {"a.py": CUDA})


async def diagnosed(editor: Editor, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of a document, once there are any."""
    await editor.until(lambda: uri in editor.diagnostics)
    return editor.diagnostics[uri]


async def test_a_severity_of_ones_own_is_that_of_the_diagnostic(project: Path) -> None:
    settings = {None: {"version": "2.8.0", "severities": {"NPU1": "hint"}}}

    async with editing(project, settings=settings) as editor:
        result = await diagnosed(editor, editor.open(project / "a.py", CUDA))
    assert {item.severity for item in result} == {types.DiagnosticSeverity.Hint}


async def test_folders_of_one_workspace_have_settings_of_their_own(project: Path, tmp_path: Path) -> None:
    other = make_tree(tmp_path / "other", {"a.py": CUDA})
    settings: dict[str | None, Any] = {
        None: {"version": "2.8.0"},
        other.as_uri(): {"version": "2.8.0", "ignore": ["NPU1"]},
    }

    async with editing(project, other, settings=settings) as editor:
        uris = [editor.open(folder / "a.py", CUDA) for folder in (project, other)]
        first, second = [len(await diagnosed(editor, uri)) for uri in uris]
        gone = types.WorkspaceFoldersChangeEvent(
            added=[], removed=[types.WorkspaceFolder(other.as_uri(), other.name)]
        )
        editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(gone))
        await editor.until(lambda: len(editor.diagnostics[uris[1]]) == 1)
        result = first, second
    assert result == (1, 0)


async def test_settings_that_change_change_what_is_shown(project: Path) -> None:
    async with editing(project) as editor:
        uri = editor.open(project / "a.py", CUDA)
        assert await diagnosed(editor, uri)
        editor.settings[None] = {"version": "2.8.0", "ignore": ["NPU"]}
        editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        await editor.until(lambda: editor.diagnostics[uri] == [])
        assert "lenses" in editor.refreshed


@pytest.mark.parametrize("pulls", [True, False])
async def test_of_what_is_pulled_a_new_look_is_asked_for(project: Path, pulls: bool) -> None:
    diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    of_text = types.TextDocumentClientCapabilities(
        diagnostic=types.DiagnosticClientCapabilities() if pulls else None
    )
    workspace = attrs.evolve(capabilities().workspace, diagnostics=diagnostics)

    async with editing(project, can=capabilities(workspace=workspace, text_document=of_text)) as editor:
        editor.open(project / "a.py", CUDA)
        await editor.until(lambda: "lenses" in editor.refreshed)
        before = len(editor.refreshed)
        editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        await editor.until(lambda: "lenses" in editor.refreshed[before:])
        result = editor.refreshed
    assert ("diagnostics" in result) is pulls


async def test_settings_may_be_sent_by_a_client_that_cannot_be_asked(project: Path) -> None:
    async with editing(project, can=types.ClientCapabilities()) as editor:
        uri = editor.open(project / "a.py", CUDA)
        assert await diagnosed(editor, uri)
        sent = {"gpu2ascend": {"version": "2.8.0", "ignore": ["NPU"]}}
        editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(sent))
        await editor.until(lambda: editor.diagnostics[uri] == [])
        editor.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
        await editor.until(lambda: editor.diagnostics[uri] != [])


async def test_a_file_of_rules_is_watched_once_a_project_names_it(project: Path, tmp_path: Path) -> None:
    other = make_tree(tmp_path / "other", {"pyproject.toml": '[tool.gpu2ascend]\ncustom_rule = "one.json"\n'})

    async with editing(project) as editor:

        def watched() -> str:
            return "".join(str(item.register_options) for item in editor.registered)

        added = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(other.as_uri(), "other")], [])
        editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(added))
        await editor.until(lambda: "one.json" in watched())
        file = other / "pyproject.toml"
        file.write_text('[tool.gpu2ascend]\ncustom_rule = "two.json"\n')
        event = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
        editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        await editor.until(lambda: "two.json" in watched())


async def test_a_changed_pyproject_changes_what_is_shown(project: Path) -> None:
    async with editing(project) as editor:
        uri = editor.open(project / "a.py", CUDA)
        assert await diagnosed(editor, uri)
        methods = {item.method for item in editor.registered}
        assert "workspace/didChangeWatchedFiles" in methods
        file = project / "pyproject.toml"
        file.write_text("[tool.gpu2ascend]\nignore = ['NPU']\n")
        event = types.FileEvent(file.as_uri(), types.FileChangeType.Created)
        editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        await editor.until(lambda: editor.diagnostics[uri] == [])


async def test_bad_settings_are_one_message_and_no_crash(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.gpu2ascend\n")
    settings = {None: {"version": "2.8.0", "hardware": "V100", "select": ["NPU999"], "codeLens": 3}}

    async with editing(project, settings=settings) as editor:
        uri = editor.open(project / "a.py", CUDA)
        assert await diagnosed(editor, uri)
        await diagnosed(editor, editor.open(project / "b.py", CUDA))
        await editor.run("options")
        messages = editor.messages
    assert len(messages) == 1
    assert all(word in messages[0] for word in ("hardware", "NPU999", "codeLens", "pyproject.toml"))


async def test_bad_settings_are_reported_though_the_client_sends_its_own_meanwhile(project: Path) -> None:
    bad = {"initialization_options": {"version": "2.8.0", "hardware": "V100"}}

    async with editing(project, can=types.ClientCapabilities(), **bad) as editor:
        editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        assert await diagnosed(editor, editor.open(project / "a.py", CUDA))
        await editor.until(lambda: editor.messages)
        result = editor.messages
    assert "hardware" in result[0]


async def test_bad_settings_are_reported_to_a_client_that_leaves_questions_open(project: Path) -> None:
    settings = {None: {"version": "2.8.0", "hardware": "V100"}}

    async with editing(project, settings=settings) as editor:
        editor.answers_registrations.clear()
        await editor.until(lambda: editor.messages)
        editor.answers_registrations.set()
        result = editor.messages
    assert "hardware" in result[0]


async def lenses(editor: Editor, uri: str) -> list[types.CodeLens]:
    """The lenses of a document."""
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    return list(await editor.text_document_code_lens_async(params) or ())


async def test_lenses_count_and_offer_the_commands(project: Path) -> None:
    async with editing(project) as editor:
        found = await lenses(editor, editor.open(project / "a.py", CUDA))
        plain = await lenses(editor, editor.open(project / "plain.py", PLAIN))
        command = found[1].command
        assert command is not None and command.arguments
        ran = await editor.run(command.command.removeprefix("gpu2ascend."), *command.arguments)
    commands = [lens.command for lens in found if lens.command is not None]
    assert [command.command for command in commands] == [
        "",
        "gpu2ascend.migrateFile",
        "gpu2ascend.previewMigration",
    ]
    assert commands[0].title == "gpu2ascend: 1 to migrate, 0 left to you"
    assert {lens.range.start.line for lens in found} == {0}
    assert plain == [] and ran["status"] == "completed"


async def test_lenses_are_off_by_a_setting(project: Path) -> None:
    async with editing(project, settings={None: {"version": "2.8.0", "codeLens": False}}) as editor:
        result = await lenses(editor, editor.open(project / "a.py", CUDA))
    assert result == []


async def test_completion_is_in_the_columns_of_the_client(project: Path) -> None:
    text, column = "import torch_npu\ns = '😀'; torch_npu.npu.empty_c", 33

    general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf8])
    async with editing(project, can=capabilities(general=general)) as editor:
        uri = editor.open(project / "a.py", text)
        params = types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(1, column))
        (item,) = await editor.text_document_completion_async(params)
    assert item.label == "empty_cache" and item.detail == "torch_npu.npu.empty_cache"
    edit = item.text_edit
    assert (edit.range.start.character, edit.range.end.character) == (column - 7, column)


async def test_a_folder_that_is_switched_off_is_left_in_peace(project: Path, tmp_path: Path) -> None:
    """Neither reports nor offers, while the other folder keeps its own."""
    other = make_tree(tmp_path / "other", {"a.py": CUDA})
    settings: dict[str | None, Any] = {
        None: {"version": "2.8.0"},
        other.as_uri(): {"version": "2.8.0", "enable": False},
    }
    line = next(number for number, text in enumerate(CUDA.splitlines()) if "cuda" in text)
    place = types.Position(line, CUDA.splitlines()[line].index("cuda") + 1)

    async def offered(editor: Editor, uri: str) -> tuple[bool, ...]:
        document = types.TextDocumentIdentifier(uri)
        wanted = types.CodeActionParams(document, types.Range(place, place), types.CodeActionContext([]))
        asked = (
            (types.TEXT_DOCUMENT_CODE_ACTION, wanted),
            (types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensParams(document)),
            (types.TEXT_DOCUMENT_HOVER, types.HoverParams(document, place)),
        )
        return tuple([bool(await editor.ask(method, params)) for method, params in asked])

    async with editing(project, other, settings=settings) as editor:
        uris = [editor.open(folder / "a.py", CUDA) for folder in (project, other)]
        assert [bool(await diagnosed(editor, uri)) for uri in uris] == [True, False]
        assert [await offered(editor, uri) for uri in uris] == [(True, True, True), (False, False, False)]


class Told:
    """A server that notes what it shows."""

    def __init__(self, *client_problems: Message) -> None:
        self.texts: list[str] = []
        self.settings = SimpleNamespace(language="en", client_problems=client_problems)

    def show(self, kind: types.MessageType, text: str) -> None:
        assert kind is types.MessageType.Warning
        self.texts.append(text)


def problem(place: str) -> Message:
    return Message.of("project.log-finding", place=place, code="c", text="text")


def test_problems_are_shown_at_once_each_once_and_together_after_a_reading() -> None:
    told = Told(problem("client"))
    problems = _Problems(cast("Server", told))
    problems.report([problem("a")])
    problems.report([problem("a")])
    assert told.texts == ["gpu2ascend: a: c text"]
    with problems:
        with problems:
            problems.report([problem("a"), problem("b"), problem("b")])
            assert len(told.texts) == 1
        problems.report([problem("c")])
        assert told.texts[1:] == ["gpu2ascend: a: c text\nb: c text\nclient: c text"]
    assert told.texts[2:] == ["gpu2ascend: c: c text"]
