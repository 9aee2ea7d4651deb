"""The first line says how much there is to do, with the commands that do some of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.lsp.features.code_lens import code_lenses, register
from gpu2ascend.lsp.features.project_index import refresh
from gpu2ascend.lsp.session.analysis import Analyses, Analysis
from gpu2ascend.lsp.session.documents import DocumentStore
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

URI = "file:///a.py"
OPTIONS = options_from({"version": "2.8.0"})
SAFE = "torch.cuda.synchronize()\n"
UNSAFE = "with torch.backends.cuda.sdp_kernel(enable_math=False):\n    pass\n"
MANUAL = "torch.cuda.comm.broadcast(x, [0, 1])\n"
MIGRATE, PREVIEW = "gpu2ascend.migrateFile", "gpu2ascend.previewMigration"


def lenses(code: str) -> list[types.CodeLens]:
    findings = check(SourceFile("import torch\n" + code), OPTIONS)
    return code_lenses(URI, findings, OPTIONS, "en")


def commands(code: str) -> list[str]:
    return [lens.command.command for lens in lenses(code) if lens.command is not None]


def test_where_there_is_nothing_to_do_there_is_no_lens() -> None:
    assert lenses("x = 1\n") == []


def test_each_command_is_about_the_file_and_stands_on_its_first_line() -> None:
    counts, *others = lenses(SAFE)
    assert counts.command is not None and counts.command.command == ""
    assert [lens.command.arguments for lens in others if lens.command is not None] == [[{"uri": URI}]] * 2
    start = types.Position(0, 0)
    assert [lens.range for lens in (counts, *others)] == [types.Range(start, start)] * 3


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param(SAFE, ["", MIGRATE, PREVIEW], id="safe fixes"),
        pytest.param(UNSAFE, ["", PREVIEW], id="unsafe fixes, which a migration leaves"),
        pytest.param(MANUAL, [""], id="work for a person"),
        pytest.param(MANUAL + SAFE, ["", MIGRATE, PREVIEW], id="safe fixes beside work for a person"),
        pytest.param(MANUAL + UNSAFE, ["", PREVIEW], id="unsafe fixes beside work for a person"),
    ],
)
def test_what_can_be_changed_can_be_previewed_and_what_is_safe_migrated(
    code: str, expected: list[str]
) -> None:
    assert commands(code) == expected


def test_the_counts_are_what_a_migration_changes_and_what_it_leaves() -> None:
    def numbers(code: str) -> list[str]:
        command = lenses(code)[0].command
        assert command is not None
        return re.findall(r"\b\d+\b", command.title.replace("gpu2ascend", ""))

    assert numbers(SAFE * 3 + MANUAL * 2) == ["3", "2"]
    assert numbers(UNSAFE + SAFE) == ["1", "1"]


class Editor:
    """A server with one open file, and the settings of its user."""

    def __init__(self, *, shows: bool) -> None:
        self.documents = DocumentStore()
        self.documents.open(types.TextDocumentItem(URI, "python", 1, f"import torch\n{SAFE}"))
        self.settings = SimpleNamespace(
            of=lambda uri: SimpleNamespace(shows_code_lenses=shows, options=OPTIONS, language="en")
        )
        self.answers: dict[str, Callable[[Any], Awaitable[list[types.CodeLens]]]] = {}
        self.analysed: list[str] = []
        self.analyses = Analyses(self.documents, *[None] * 3)  # type: ignore[arg-type]
        self.refreshed: list[str] = []
        self.pulls_diagnostics = True
        register(self)  # type: ignore[arg-type]

    def feature(self, name: str) -> Callable[[Any], None]:
        return lambda function: self.answers.update({name: function})

    async def ready(self) -> None:
        await asyncio.sleep(0)

    async def analysis_of(self, document: Any) -> Any:
        self.analysed.append(document.uri)
        return Analysis(document, OPTIONS, self.found(document))

    def found(self, document: Any) -> tuple[Finding, ...]:
        """What an analysis finds as the project is known now."""
        return tuple(check(document.source, OPTIONS))

    @property
    def client_capabilities(self) -> types.ClientCapabilities:
        """Of an editor that asks again when it is asked to."""
        diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
        code_lens = types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
        workspace = types.WorkspaceClientCapabilities(diagnostics=diagnostics, code_lens=code_lens)
        return types.ClientCapabilities(workspace=workspace)

    def workspace_diagnostic_refresh(self, params: None) -> None:
        self.refreshed.append("diagnostics")

    def workspace_code_lens_refresh(self, params: None) -> None:
        self.refreshed.append("lenses")

    def lenses(self, uri: str = URI) -> list[types.CodeLens]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))

        async def asked() -> list[types.CodeLens]:
            return await self.answers[types.TEXT_DOCUMENT_CODE_LENS](params)

        return asyncio.run(asked())


def test_a_file_that_is_open_has_lenses_where_the_settings_want_them() -> None:
    editor = Editor(shows=True)
    assert len(editor.lenses()) == 3 and editor.analysed == [URI]


def test_where_the_settings_do_not_nothing_is_even_looked_at() -> None:
    editor = Editor(shows=False)
    assert (editor.lenses(), editor.analysed) == ([], [])


def test_what_is_not_open_has_none() -> None:
    editor = Editor(shows=True)
    assert (editor.lenses("file:///other.py"), editor.analysed) == ([], [])


def test_a_notebook_has_them_above_its_first_code_cell_about_all_cells() -> None:
    editor, notebook = Editor(shows=True), "file:///a.ipynb"
    names = [f"vscode-notebook-cell:/a.ipynb#{number}" for number in range(3)]
    for name in names[1:]:
        editor.documents.open(types.TextDocumentItem(name, "python", 1, f"import torch\n{SAFE}"))
    kinds = (types.NotebookCellKind.Markup, types.NotebookCellKind.Code, types.NotebookCellKind.Code)
    cells = tuple(
        types.NotebookCell(kind=kind, document=name) for kind, name in zip(kinds, names, strict=True)
    )
    editor.documents.arrange(notebook, 1, cells)
    counts, *others = (lens.command for lens in editor.lenses(names[1]))
    assert counts is not None and "2 to migrate" in counts.title
    assert [command.arguments for command in others if command] == [[{"uri": notebook}]] * 2
    assert (editor.lenses(names[0]), editor.lenses(names[2])) == ([], [])


@pytest.mark.parametrize(
    ("project_is_read", "expected"), [(True, ["lenses"]), (False, [])], ids=["other findings", "the same"]
)
def test_a_lens_that_was_asked_for_before_its_project_was_read_is_asked_for_again(
    project_is_read: bool, expected: list[str]
) -> None:
    editor = Editor(shows=True)
    [document] = editor.documents
    of_the_file = editor.found(document)
    of_the_project = of_the_file * 2 if project_is_read else of_the_file
    editor.lenses()
    editor.found = lambda document: of_the_project  # type: ignore[method-assign]
    editor.analyses.show(Analysis(document, OPTIONS, of_the_project))
    asyncio.run(refresh(editor, [document]))  # type: ignore[arg-type]
    assert editor.refreshed == expected


def test_a_lens_that_nobody_has_asked_for_is_not_refreshed() -> None:
    editor = Editor(shows=True)
    asyncio.run(refresh(editor, editor.documents))  # type: ignore[arg-type]
    assert editor.refreshed == []
