"""The tool that runs a project: only with the user's consent."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from ..budget import clipped
from ..commands import command
from ..roots import InRoots
from ..settings import settings_of
from .parameters import RUNS, Version, chosen
from .results import Failure, Verified

_LOSSES = 10
"""Losses of an answer."""
_REPORT, _TEXT = 700, 120
"""Tokens of what the run showed, and of one text about a failure."""
_SAID = 5
"""Texts about a failure."""
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

    Raises:
        ToolError: the project lies elsewhere, or the client cannot ask.
    """
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
            description="The project before the migration: also run it, on the CPU with the same arguments "
            "(name no device in them), and compare the losses."
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
    with TemporaryDirectory(prefix="gpu2ascend-") as directory:
        document = Path(directory, "verify.json")
        ran = await command(
            ctx,
            *("verify", roots.existing(project), *options, "--json", document, "--", *arguments),
            cwd=roots.first,
            hint=_HINT,
        )
        done = json.loads(document.read_text(encoding="utf-8"))
    return _verified(done, ran.out, passed=ran.code == 0).answer()


def _ending(report: str) -> str:
    """The last line of a report, which says how a run ended: the failure says why, and lines that did not run
    are of no use after it."""
    return clipped(report.strip().rpartition("\n")[2], _TEXT)


def _verified(done: dict[str, Any], report: str, *, passed: bool) -> Verified:
    failure, comparison = done["failure"], done["comparison"]
    losses = done["ranks"][0]["losses"] if done["ranks"] else []
    return Verified(
        passed=passed,
        ending=done["ending"],
        steps_asked=done["steps"]["asked"],
        steps_done=done["steps"]["done"],
        losses=losses[:_LOSSES],
        failure=_failure(failure) if failure is not None else None,
        differs_at=comparison["first_difference"] if comparison is not None else None,
        report=clipped(report.strip(), _REPORT) if failure is None else _ending(report),
    )


def _failure(item: dict[str, Any]) -> Failure:
    place = item["place"]
    rules = (f"{rule['code']}: {rule['message']}" for rule in item["rules"])
    said = (item["cause"], item["remedy"], item["because"], *rules)
    named = ", ".join(item["named_rules"])
    return Failure(
        error=clipped(f"{item['type']}: {item['text']}", _TEXT),
        place=f"{place['path']}:{place['line']}" if place else None,
        fault=item["fault"],
        explanation=[
            *[clipped(text, _TEXT) for text in said if text][:_SAID],
            *([f"rules about this kind of error: {named}"] if named else []),
        ],
    )
