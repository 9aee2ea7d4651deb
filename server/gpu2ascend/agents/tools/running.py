"""The tool that runs a project: only with the user's consent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from ...project.leftovers import scratch_folder
from ...texts.answers.runs import run_answer
from ..commands import command
from ..roots import InRoots
from ..settings import settings_of
from .parameters import RUNS, Version, chosen
from .results import Verified

_HINT = (
    "`arguments` are a script of the project and its arguments, as they would follow `python`. Where "
    "packages cannot be installed, ask the user to start the server with --python PYTHON, an interpreter "
    "that has them."
)
_ALONE = "`check` and `what_is_left` run nothing."


class Consent(BaseModel):
    """What the user is asked before a project's code runs."""

    run: bool = Field(description="Run the project's code on this machine")


def register(server: MCPServer[Any]) -> None:
    """Add the tool."""
    server.add_tool(verify, title="Run a migrated project on an emulated NPU", annotations=RUNS)


async def _consent(
    ctx: Context, roots: InRoots, project: str, arguments: list[str]
) -> Consent | Elicit[Consent]:
    """The user's answer to whether a project may be run.
    Raises ToolError: the project lies elsewhere, or the client cannot ask."""
    place = roots.existing(project)
    if settings_of(ctx).allows_runs:
        return Consent(run=True)
    capabilities = ctx.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        raise ToolError(
            "verify runs the project's code, and the client cannot ask the user. Ask the user to start the "
            f"server with --allow-run, or to run `gpu2ascend verify` in a terminal. {_ALONE}"
        )
    question = (
        f"Run `{' '.join(arguments)}` in {place} on an emulated NPU? It executes the project's code on this "
        "machine, and the first time installs the packages that it requires."
    )
    return Elicit(question, Consent)


async def verify(
    ctx: Context,
    roots: InRoots,
    consent: Annotated[ElicitationResult[Consent], Resolve(_consent)],
    project: Annotated[str, Field(description="The migrated project.")],
    arguments: Annotated[
        list[str],
        Field(min_length=1, description="What starts the training, in pieces: ['train.py', '--epochs', '1']"),
    ],
    steps: Annotated[int, Field(ge=1, le=100, description="Optimizer steps to see.")] = 3,
    timeout: Annotated[int, Field(ge=1, le=3600, description="Seconds after which to give up.")] = 600,
    ranks: Annotated[int | None, Field(ge=1, le=16, description="Ranks, as torchrun would start.")] = None,
    original: Annotated[
        str | None,
        Field(
            description="The project before the migration: also run it, on the CPU, with CUDA's word where "
            "an argument is the NPU's (`--device npu`), and compare the losses."
        ),
    ] = None,
    fake_data: Annotated[bool, Field(description="Make up samples where data would be downloaded.")] = False,
    version: Version = None,
) -> Annotated[CallToolResult, Verified]:
    """Run a migrated project on an emulated NPU until it has made some steps; say what broke first.

    This runs the project's code, and the first time installs packages. The user is asked first.
    """
    if not isinstance(consent, AcceptedElicitation) or not consent.data.run:
        raise ToolError(f"The user does not want the project to run. Do not ask again. {_ALONE}")
    python = settings_of(ctx).python
    options: list[str | Path] = [
        *("--steps", str(steps), "--timeout", str(timeout), *chosen(version)),
        *(("--nproc", str(ranks)) if ranks is not None else ()),
        *(("--compare", roots.existing(original)) if original is not None else ()),
        *(("--data", "fake") if fake_data else ()),
        *(("--python", python) if python is not None else ()),
    ]
    with scratch_folder() as directory:
        document = Path(directory, "verify.json")
        ran = await command(
            ctx,
            *("verify", roots.existing(project), *options, "--json", document, "--", *arguments),
            cwd=roots.first,
            hint=_HINT,
        )
        done = json.loads(document.read_text(encoding="utf-8"))
    return Verified(**run_answer(done, ran.out, passed=ran.code == 0)).answer()
