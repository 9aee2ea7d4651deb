"""All that the server answers to an editor about a few findings: each feature and each command, whole.

Texts are ids of messages, so that they may be worded anew. What another process makes is in English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend import __version__
from tests.golden import agrees, as_json
from tests.server.few import FEW
from tests.server.lsp.editor import Editor, editing
from tests.server.project.samples import make_tree

pytestmark = pytest.mark.slow

GOLDENS = Path(__file__).with_name("goldens")
SERVER = ("tests.server.lsp.telling_server", "lsp")

PAGE = re.compile(r"file://[^\s\"()]*/rules\.md(?:#L\d+)?")
"""The page of the rules, with a line."""
POSITION = r'\{"line": (\d+), "character": (\d+)\}'
RANGE = re.compile(rf'\{{"start": {POSITION}, "end": {POSITION}\}}')
"""Lines and columns from 0, which are shown as ``4:23-4:38``."""
REASON = re.compile(r"\(?file://RULES\)?: (?:(?!\\n\\n---)[^\"])*")
"""Why a rule matters, which is in the documentation of the rule."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "few", FEW)


async def in_session(project: Path, ask: Callable[[Editor], Awaitable[Any]]) -> Any:
    """What an editor gets that has opened a project."""
    async with editing(project, command=SERVER) as editor:
        return plain(editor, await ask(editor))


def plain(editor: Editor, value: Any) -> Any:
    """An answer as plain data."""
    return json.loads(json.dumps(editor.protocol._converter.unstructure(value), default=vars))


def agrees_with(name: str, answer: Any, project: Path) -> None:
    """Compare with the golden file of a name."""
    text = json.dumps(answer, ensure_ascii=False)
    text = PAGE.sub("file://RULES", re.sub(r"file://[^\s\"#?)]*/docs/", "file://DOCS/", text))
    text = REASON.sub("(file://RULES): ...", text)
    text = text.replace(project.parent.as_uri(), "file://HERE").replace(str(project.parent), "HERE")
    text = RANGE.sub(r'"\1:\2-\3:\4"', text.replace(__version__, "VERSION"))
    agrees(GOLDENS / f"{name}.json", f"{as_json(json.loads(text))}\n")


@pytest.mark.parametrize("name", FEW)
async def test_what_is_said_of_a_document(name: str, project: Path) -> None:
    async def ask(editor: Editor) -> Any:
        uri = editor.open(project / name, (project / name).read_text())
        document = types.TextDocumentIdentifier(uri)
        await editor.until(lambda: editor.ended_progress)  # the project is known
        report = await editor.ask("textDocument/diagnostic", types.DocumentDiagnosticParams(document))
        found = list(report.items)
        everything = types.Range(types.Position(0, 0), types.Position(10_000, 0))
        hovers = {}
        for item in found:
            start = item.range.start
            place = f"{start.line}:{start.character}"
            hovers[place] = await editor.ask("textDocument/hover", types.HoverParams(document, start))
        actions = await editor.ask(
            "textDocument/codeAction",
            types.CodeActionParams(document, everything, types.CodeActionContext(found)),
        )
        resolved = [
            await editor.ask("codeAction/resolve", action) if isinstance(action, types.CodeAction) else action
            for action in actions
        ]
        return {
            "diagnostics": found,
            "hovers": hovers,
            "actions": resolved,
            "lenses": await editor.ask("textDocument/codeLens", types.CodeLensParams(document)),
        }

    answer = await in_session(project, ask)
    for action in answer["actions"]:
        if action.get("diagnostics"):
            of = (answer["diagnostics"].index(item) for item in action["diagnostics"])
            action["diagnostics"] = [f"the diagnostic {number}" for number in of]
    agrees_with(f"document-{name}", answer, project)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("options", {}),
        (
            "validateOptions",
            {"options": {"inputPath": "HERE/few", "outputPath": "HERE/out", "version": "7.7", "nnodes": 0}},
        ),
        (
            "validateOptions",
            {"options": {"inputPath": "HERE/few", "outputPath": "HERE/out", "distributed": True}},
        ),
        ("previewMigration", {"apply": False}),
        ("analyzeProject", {}),
        (
            "migrateProject",
            {"options": {"inputPath": "HERE/few", "outputPath": "HERE/out", "version": "2.8.0"}},
        ),
        (
            "migrateProject",
            {"options": {"inputPath": "HERE/nowhere", "outputPath": "HERE/out", "version": "2.8.0"}},
        ),
        ("migrateFile", {"uri": "file://HERE/few/train.py"}),
        ("explain", {"name": "flash-attn"}),
        ("explain", {"name": "torch.cuda.empty_cache"}),
    ],
)
async def test_what_a_command_answers(
    name: str, parameters: dict[str, Any], project: Path, request: pytest.FixtureRequest
) -> None:
    here = json.loads(json.dumps(parameters).replace("HERE", project.parent.as_posix()))

    async def ask(editor: Editor) -> Any:
        answer = await editor.run(name, here)
        return {"answer": answer, "messages": editor.messages, "edits": editor.applied}

    number = request.node.name.partition("-parameters")[2].strip("]")
    agrees_with(f"command-{number}-{name}", await in_session(project, ask), project)
