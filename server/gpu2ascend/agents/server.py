"""The server: tools, pages of rules as resources, and prompts."""

from __future__ import annotations

from pathlib import Path

from mcp.server.mcpserver import MCPServer

from .. import __version__
from .commands import command
from .tools import NOWHERE, Tools

_INSTRUCTIONS = (
    "Moves PyTorch CUDA projects to Huawei Ascend NPUs (torch_npu). Loop: migrate (diff, then write), "
    "what_is_left, edit, check, verify. Look names up with facts before you write them; port no CUDA kernel "
    "silently, and delete no test. Paths are relative to the first root."
)
_MIGRATE = (
    "Migrate the project {project} to Ascend NPUs. Call migrate without write and read the diff; then with "
    "write and an output outside of the project. Report what it says is left, errors first."
)
_FINISH = (
    "Finish the migrated project {project}. Repeat: call what_is_left, take the first order, edit its places "
    "as it says, run its check. Look every torch_npu name up with facts. Ask before you replace an operator "
    "or a kernel by other mathematics. At the end call verify, and report what could not be done."
)
_EXPLAIN = (
    "Explain this failure of a training on Ascend NPUs. Call doctor_log with the text, then explain for the "
    "codes that it names, and check for the file of the traceback.\n\n{log}"
)


def build(roots: tuple[Path, ...], *, allows_runs: bool) -> MCPServer:
    """The server, ready to run.

    Args:
        roots: Directories that tools may read and write; without one, the client's count.
        allows_runs: Whether ``verify`` may run a project without asking.
    """
    server: MCPServer = MCPServer(
        "gpu2ascend", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    Tools(roots, allows_runs=allows_runs).register(server)

    @server.resource("gpu2ascend://explain/{name}", title="Page of a rule, API, package or error code")
    async def page(name: str) -> str:
        return (await command("explain", "--", name, cwd=NOWHERE)).out

    @server.prompt(title="Migrate this project")
    def migrate_project(project: str = ".") -> str:
        return _MIGRATE.format(project=project)

    @server.prompt(title="Finish what is left")
    def finish_what_is_left(project: str) -> str:
        return _FINISH.format(project=project)

    @server.prompt(title="Explain this failure")
    def explain_failure(log: str) -> str:
        return _EXPLAIN.format(log=log)

    return server
