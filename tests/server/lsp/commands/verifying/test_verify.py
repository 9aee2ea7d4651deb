"""The command that runs a project on a simulated NPU: only in trusted workspaces, visible, cancelled at once.

The scripts here need no device: what one does has tests of its own.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.__main__ import main
from gpu2ascend.project.manifest.ledger import differences
from tests.server.lsp.editor import Editor, editing
from tests.server.project.samples import make_tree
from tests.server.verify.alive import ends, is_alive

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed"),
]

TRUSTED = {None: {"version": "2.8.0", "trusted": True}}
FAILING = """\
import os


def main():
\tdevice = "cuda"
\traise ValueError("no data " + device)


main()
"""
ENDLESS = """\
import os, time

open('../began', 'w').write(str(os.getpid()))
print('began', flush=True)
time.sleep(600)
"""


def in_editor(project: Path) -> AbstractAsyncContextManager[Editor]:
    """An editor in which a project is trusted."""
    return editing(project, settings=TRUSTED)


def parameters(project: Path, **changes: Any) -> dict[str, Any]:
    """Of a run of the project's script by this Python."""
    return {
        "projectPath": str(project),
        "command": "train.py",
        "interpreter": sys.executable,
        "workDoneToken": "mine",
        **changes,
    }


async def run(project: Path) -> tuple[Any, Editor]:
    """The answer to the request."""
    async with in_editor(project) as editor:
        return await editor.ask("gpu2ascend/verify", parameters(project)), editor


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of which the script fails."""
    return make_tree(tmp_path / "proj", {"train.py": FAILING})


async def test_nothing_runs_in_a_workspace_of_which_the_client_does_not_say_that_it_is_trusted(
    project: Path,
) -> None:
    (project / "train.py").write_text("open('ran', 'w')\n")
    request = parameters(project)
    async with editing(project, settings={None: {"version": "2.8.0"}}) as editor:
        answers = await editor.ask("gpu2ascend/verify", request), await editor.run("verifyProject", request)
    assert {answer["status"] for answer in answers} == {"failed"}
    assert all("trusted" in answer["message"] for answer in answers)
    assert not (project / "ran").exists()


async def test_it_runs_where_the_client_says_so(project: Path) -> None:
    (project / "train.py").write_text("open('ran', 'w')\n")
    async with in_editor(project) as editor:
        result = await editor.run("verifyProject", parameters(project))
    assert (result["status"], result["passed"], (project / "ran").exists()) == ("completed", False, True)


async def test_the_result_has_what_the_command_line_reports_and_the_first_error_is_a_problem_in_its_line(
    project: Path,
) -> None:
    result, editor = await run(project)
    assert result["coverage"]["files"][0]["path"] == "train.py"
    assert (result["failure"]["type"], result["steps"]) == ("ValueError", {"asked": 3, "done": 0})
    assert result["verdict"].startswith("FAILED: 0 of 3 steps")
    kinds = [value["kind"] for token, value in editor.progress if token == "mine"]
    assert (kinds[0], kinds[-1]) == ("begin", "end") and "report" in kinds
    (problem,) = result["problems"]
    assert (problem["file"], problem["severity"]) == (str(project / "train.py"), "error")
    assert problem["range"] == {"start": {"line": 5, "character": 1}, "end": {"line": 5, "character": 38}}
    assert problem["message"].startswith("ValueError: no data cuda")
    (called,) = problem["related"]
    assert (called["path"], called["range"]["start"]["line"]) == ("train.py", 8)


async def test_the_rule_that_finds_something_in_the_line_is_named_and_its_quick_fix_is_offered_there(
    project: Path,
) -> None:
    script = "import torch\n\nassert not torch.ones(1).cuda()\n"
    (project / "train.py").write_text(script)
    async with in_editor(project) as editor:
        result = await editor.ask("gpu2ascend/verify", parameters(project))
        uri = editor.open(project / "train.py", script)
        (problem,) = result["problems"]
        start, end = (types.Position(**problem["range"][side]) for side in ("start", "end"))
        (problem, actions) = (
            problem,
            await editor.text_document_code_action_async(
                types.CodeActionParams(
                    types.TextDocumentIdentifier(uri),
                    types.Range(start, end),
                    types.CodeActionContext([], only=[types.CodeActionKind.QuickFix]),
                )
            ),
        )
    assert any(problem["code"] in str(action) and action.is_preferred for action in actions)
    assert problem["code"].startswith("NPU") and problem["page"].startswith("file:")
    assert problem["code"] + ":" in problem["message"] and "Quick fix: " in problem["message"]


async def test_what_runs_and_what_it_prints_is_sent_while_it_runs(project: Path) -> None:
    (project / "train.py").write_text("print('hello \\x1b[2J')\n")
    _, editor = await run(project)
    assert {token for token, _ in editor.printed} == {"mine"}
    lines = [line for _, line in editor.printed]
    assert lines[0].startswith("Running in ") and lines[0].endswith("train.py")
    assert "[0] hello \\x1b[2J" in lines and lines[-1].startswith("FAILED")


@pytest.mark.parametrize("how", ["progress", "request"])
async def test_cancelled_nothing_is_left_running(tmp_path: Path, how: str) -> None:
    project = make_tree(tmp_path / "proj", {"train.py": ENDLESS})
    async with in_editor(project) as editor:
        request = asyncio.ensure_future(editor.ask("gpu2ascend/verify", parameters(project)))
        await editor.until(lambda: any(line.endswith("began") for _, line in editor.printed))
        if how == "progress":
            editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams("mine"))
            return await request
        request.cancel()
        answer = None
    assert answer == ({"status": "cancelled"} if how == "progress" else None)
    assert ends(int((tmp_path / "began").read_text()))


async def test_the_end_of_the_session_ends_it(tmp_path: Path) -> None:
    project = make_tree(tmp_path / "proj", {"train.py": ENDLESS})
    async with in_editor(project) as editor:
        request = asyncio.ensure_future(editor.ask("gpu2ascend/verify", parameters(project)))
        await editor.until(lambda: any(line.endswith("began") for _, line in editor.printed))
        assert is_alive(int((tmp_path / "began").read_text()))
        request.add_done_callback(lambda future: future.cancelled() or future.exception())
    assert ends(int((tmp_path / "began").read_text()))


async def test_a_project_runs_once_at_a_time(tmp_path: Path) -> None:
    project = make_tree(tmp_path / "proj", {"train.py": ENDLESS})
    async with in_editor(project) as editor:
        first = asyncio.ensure_future(editor.ask("gpu2ascend/verify", parameters(project)))
        await editor.until(lambda: any(line.endswith("began") for _, line in editor.printed))
        second = await editor.ask("gpu2ascend/verify", parameters(project, workDoneToken="other"))
        editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams("mine"))
        await first
        answer = second
    assert answer["status"] == "failed" and "running" in answer["message"]


async def test_the_page_of_the_migration_is_filled_in(tmp_path: Path) -> None:
    source = make_tree(tmp_path / "proj", {"train.py": FAILING})
    main(["migrate", "-i", str(source), "-o", str(tmp_path / "out"), "-v", "2.7.1", "--jobs", "1"])
    output = tmp_path / "out" / "proj_msft"
    result, _ = await run(output)
    assert (result["page"], result["version"]) == (str(output / "report.html"), "2.7.1")
    assert "ValueError" in (output / "report.html").read_text("utf-8")
    found = differences(output)
    assert found is not None and found.count == 0


async def test_what_cannot_be_run_is_said(project: Path) -> None:
    async with in_editor(project) as editor:
        wrong = ({"command": "absent.py"}, {"command": ""}, {"projectPath": None})
        answers = [await editor.ask("gpu2ascend/verify", parameters(project, **changes)) for changes in wrong]
    assert {answer["status"] for answer in answers} == {"failed"}
    assert [answer["message"].split()[:3] for answer in answers] == [
        ["there", "is", "no"],
        ["name", "the", "command"],
        ["name", "the", "project's"],
    ]
