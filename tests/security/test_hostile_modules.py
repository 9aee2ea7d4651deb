"""Code of a project that is looked at never runs, however the program is started and whatever it is to do.

The project has a module for every name that Python, our dependencies or we could import, in every form that
Python loads; files that Python, pytest and virtual environments run by themselves; and enough code that every
kind of process is started. What Python itself runs before the first line of any program is measured with a
program that does nothing, and disarmed (see ``routes.py``).
"""

from __future__ import annotations

import asyncio
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from lsprotocol import types

from gpu2ascend.project.index.survey import available_cores
from tests.security.pythons import CURRENT, TOP, VERSIONS, Installation, Started
from tests.security.routes import MODULE_ROUTE, ROUTES, SCRIPT_ROUTE, SERVER_ROUTES, Hostile, Route, title
from tests.server.lsp.editor import PATIENCE, Editor, capabilities

pytestmark = pytest.mark.slow

OURS = (TOP / "server" / "gpu2ascend", TOP / "vscode-extension" / "bundled" / "libs" / "gpu2ascend")
"""Where the program is: in the checkout, and in the extension once that has been packaged there."""
START = "spawned.py"
WORKER = "gpu2ascend.project.processes.workers._serve"
JEDI = "gpu2ascend.project.inference.worker.serve"
CANCELLABLE = "gpu2ascend.project.processes.cancellable._serve"
ELSEWHERE = "gpu2ascend.lsp.session.elsewhere._serve"
TARGET = ("-v", "2.8.0")
COMMANDS: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "check": (("check", ".", "--jobs", "2", *TARGET), {WORKER}),
    "fix": (("check", ".", "--fix", "--jobs", "2", *TARGET), {WORKER}),
    "analyze": (("analyze", ".", "--jobs", "2", *TARGET), {WORKER, JEDI}),
    "migrate": (("migrate", "-i", ".", "-o", "../out", "--jobs", "2", *TARGET), {WORKER, JEDI}),
    "distributed": (
        ("migrate", "-i", ".", "-o", "../out", "--jobs", "2", *TARGET, "distributed", "-m", "train.py"),
        {WORKER, JEDI},
    ),
}
"""What works on a project, and the kinds of process that it starts."""
SMALL = (
    ("check", "-", "--stdin-filename", "train.py", *TARGET),
    ("explain", "torch.cuda.empty_cache"),
    ("explain", "NPU001"),
    ("options", "--json"),
    ("rank-table", "10.0.0.1"),
    ("doctor", "--project", "."),
    ("record", "--write", "../record.py", "--force"),
    ("--help",),
    ("--version",),
)


def cases() -> list[tuple[str, Route, str]]:
    """On each Python, every way to start the program and every command; on this one both for each other.

    What a route decides about is the first process, and what a command decides about are the others. What
    Python does with either differs between versions: CI runs these tests with each of them.
    """
    own = [(CURRENT, SCRIPT_ROUTE, command) for command in COMMANDS]
    own += [(CURRENT, route, "analyze") for route in ROUTES if route is not SCRIPT_ROUTE]
    others = [version for version in VERSIONS if version != CURRENT]
    return own + [
        (version, route, command)
        for version in others
        for route, command in ((SCRIPT_ROUTE, "distributed"), (MODULE_ROUTE, "analyze"))
    ]


def server_cases() -> list[tuple[str, Route]]:
    """The ways in which editors start the server; on Pythons other than this one, the extension's."""
    others = [version for version in VERSIONS if version != CURRENT]
    bundled = [route for route in SERVER_ROUTES if route.name == "bundled"]
    return [
        *((CURRENT, route) for route in SERVER_ROUTES),
        *((version, route) for version in others for route in bundled),
    ]


def kinds(processes: Sequence[Started]) -> Counter[str]:
    """How many processes of each kind the program has started."""
    spawned = [item.arguments for item in processes if any(START in part for part in item.arguments)]
    return Counter(arguments[-1] for arguments in spawned)


def assert_isolated(processes: Sequence[Started], project: Hostile) -> None:
    """Every process but the one that the test has started is isolated, elsewhere, and without variables."""
    for process in processes[1:]:
        assert process.isolated, process
        assert process.variables == [], process
        assert Path(process.directory) in OURS, process


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("installation", "route", "command"), cases(), ids=title, indirect=["installation"])
def test_no_command_runs_code_of_the_project(
    installation: Installation, hostile: Hostile, route: Route, command: str
) -> None:
    arguments, expected = COMMANDS[command]
    route.prepare(installation, hostile)
    done = run(route, installation, hostile, arguments)
    processes = installation.started()
    assert hostile.ran() == []
    assert done.returncode in (0, 1), done.stderr  # 1: something is left to a person
    assert set(kinds(processes)) == expected, done.stderr
    assert_isolated(processes, hostile)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("route", ROUTES, ids=title)
def test_no_small_command_runs_code_of_the_project(
    installation: Installation, hostile: Hostile, route: Route
) -> None:
    route.prepare(installation, hostile)
    for arguments in SMALL:
        done = run(route, installation, hostile, arguments)
        assert hostile.ran() == []
        assert done.returncode in (0, 1) and done.stdout, done.stderr
        assert len(installation.started()) == 1


@pytest.mark.parametrize("route", [SCRIPT_ROUTE], ids=title)
def test_verify_without_a_command_runs_nothing(
    installation: Installation, hostile: Hostile, route: Route
) -> None:
    """It alone executes a project, and only the command that it is given."""
    for arguments in (("verify", "--help"), ("verify", "."), ("verify", ".", "--")):
        done = run(route, installation, hostile, arguments)
        assert hostile.ran() == []
        assert done.returncode == (0 if "--help" in arguments else 2), done.stderr
        assert len(installation.started()) == 1


def run(
    route: Route, installation: Installation, project: Hostile, arguments: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    """Run a command in the project, with one of its files as the standard input."""
    return subprocess.run(
        [*route.command(installation), *arguments],
        cwd=project.folder,
        env=route.environment(project),
        input=(project.folder / "train.py").read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("installation", "route"), server_cases(), ids=title, indirect=["installation"])
def test_no_server_runs_code_of_the_project(
    installation: Installation, hostile: Hostile, route: Route, tmp_path: Path
) -> None:
    route.prepare(installation, hostile)
    asyncio.run(edited(route, installation, hostile, tmp_path / "out"))
    processes = installation.started()
    assert hostile.ran() == []
    workers = {WORKER} if available_cores() > 1 else set()
    counts = kinds(processes)
    assert set(counts) == {JEDI, CANCELLABLE, ELSEWHERE} | workers
    assert (counts[CANCELLABLE], counts[ELSEWHERE]) == (4, 2)
    assert_isolated(processes, hostile)


async def edited(route: Route, installation: Installation, project: Hostile, output: Path) -> None:
    """Do with a server all that makes it start processes."""
    editor = Editor()
    editor.settings[None] = {"version": "2.8.0"}
    program, *arguments = route.command(installation)
    environment = route.environment(project)
    await editor.start_io(program, *arguments, "lsp", cwd=project.folder, env=environment)
    try:
        pulls = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
        folder = types.WorkspaceFolder(project.folder.as_uri(), "project")
        start = types.InitializeParams(capabilities(text_document=pulls), workspace_folders=[folder])
        await asyncio.wait_for(editor.initialize_async(start), PATIENCE)
        editor.initialized(types.InitializedParams())
        await used(editor, project.folder, output)
        await asyncio.wait_for(editor.shutdown_async(None), PATIENCE)
        editor.exit(None)
    finally:
        await asyncio.wait_for(editor.stop(), PATIENCE)


async def used(editor: Editor, folder: Path, output: Path) -> None:
    """Look at a large file and at the workspace; analyse, preview and migrate the project."""
    large = folder / "shapes" / "large.py"
    text = large.read_text(encoding="utf-8")
    assert len(text) > 200_000
    uri = editor.open(large, text)
    document = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    assert (await editor.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, document)).items
    workspace = await editor.ask(types.WORKSPACE_DIAGNOSTIC, types.WorkspaceDiagnosticParams([]))
    assert any(item.items for item in workspace.items)
    places = {"options": {"inputPath": str(folder), "outputPath": str(output)}}
    for command, values in (("analyzeProject", {}), ("previewMigration", {}), ("migrateProject", places)):
        assert (await editor.run(command, values))["status"] == "completed"
