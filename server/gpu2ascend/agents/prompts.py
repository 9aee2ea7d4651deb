"""The prompts that a user of an agent can choose."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from pydantic import Field

_MIGRATE = """\
Migrate the project {project} to Ascend NPUs.
1. Call `migrate` without `write` and read the diff and what is said beside it.
2. Call `migrate` with `write: true` and an output directory outside of the project.
3. Report what it says is left, errors first, and go on with `what_is_left` if the user wants that."""
_FINISH = """\
Finish the migrated project {project}.
Repeat: call `what_is_left`; take the first order; look every torch_npu name up with `facts`; edit the places
of the order as it says; call `check` for these files. Where `fix` is offered, read its diff before you write.
Stop and ask before you replace an operator or a kernel by other mathematics, change hyperparameters, or
leave an order open. Delete no test and no check.
When nothing is left on the way of the training, call `verify` with the command that starts it. Explain its
first error, mend it, and verify again. Report what was done, and what could not be done and why."""
_EXPLAIN = """\
Explain this failure of a training on Ascend NPUs, and propose the smallest change that mends it.
Call `doctor_log` with the text, then `explain` for the codes that it names, and `check` for the file of the
traceback. Say which of it you know from the tools and which you conclude. Change nothing yet.

{log}"""


def register(server: MCPServer[Any]) -> None:
    """Add the prompts."""
    server.prompt(title="Migrate this project")(migrate_project)
    server.prompt(title="Finish what is left")(finish_what_is_left)
    server.prompt(title="Explain this failure")(explain_failure)


def migrate_project(
    project: Annotated[str, Field(description="The project's directory in the roots.")] = ".",
) -> str:
    """Move a CUDA project to Ascend NPUs: diff, output, what is left."""
    return _MIGRATE.format(project=project)


def finish_what_is_left(
    project: Annotated[str, Field(description="The migrated project in the roots.")],
) -> str:
    """Work through the orders that a migration left, until the project passes on the emulated NPU."""
    return _FINISH.format(project=project)


def explain_failure(log: Annotated[str, Field(description="The end of the log, with the traceback.")]) -> str:
    """Explain the end of a training log."""
    return _EXPLAIN.format(log=log)
