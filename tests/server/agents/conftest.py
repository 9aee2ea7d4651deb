"""A scripted client of the SDK, and a project with one error that no fix can help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp.client.client import Client
from mcp_types import ListRootsResult, Root

from gpu2ascend.agents.server import build
from gpu2ascend.agents.settings import Settings

TRAIN = "import torch\n\nx = torch.ones(2).cuda()\ntorch.cuda.comm.broadcast(x, [0, 1])\n"
V = {"version": "2.8.0"}
LEGACY = {"mode": "legacy"}
"""A client of the protocol before 2026-07, which answers questions during a request."""
PROTOCOLS = ({}, LEGACY)


class Answer(NamedTuple):
    """What a tool answered."""

    failed: bool
    text: str
    data: dict[str, Any]


Ask = Callable[..., Answer]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in the only root."""
    folder = tmp_path / "root" / "proj"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(TRAIN)
    return folder


@pytest.fixture
def ask(project: Path) -> Ask:
    """Call a tool of a server whose only root holds the project."""

    def call(tool: str, /, **arguments: Any) -> Answer:
        return asked(tool, arguments, roots=(project.parent,))

    return call


def settings(*roots: Path, allows_runs: bool = False, python: Path | None = None) -> Settings:
    """Those of a server that shows English texts."""
    return Settings(roots, allows_runs, python, "en")


def asked(
    tool: str,
    arguments: dict[str, Any],
    roots: tuple[Path, ...] = (),
    allows_runs: bool = False,
    python: Path | None = None,
    **client: Any,
) -> Answer:
    """Call one tool of a new server."""

    async def main() -> Answer:
        server = build(settings(*roots, allows_runs=allows_runs, python=python))
        async with Client(server, **client) as session:
            result = await session.call_tool(tool, arguments)
        return Answer(bool(result.is_error), result.content[0].text, result.structured_content or {})

    return anyio.run(main)


def with_roots(*directories: Path) -> dict[str, Any]:
    """What a client has that names roots."""

    async def list_roots(context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=path.as_uri()) for path in directories])

    return {"list_roots_callback": list_roots}
