"""The tools for agents on real projects: each answers shortly, changes only what it was told to, and runs
nothing unasked."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp.client.client import Client

from gpu2ascend.agents.server import build
from gpu2ascend.agents.settings import Settings
from gpu2ascend.texts.answers.budget import BUDGET, tokens
from tests.realworld.packages import PACKAGES, Package, unpacked
from tests.sampling import BEYOND_SAMPLE

pytestmark = [pytest.mark.slow, pytest.mark.network]

SMALL, LARGE = "denoising-diffusion-pytorch", ("yolov5", "timm")
PROJECTS = [
    pytest.param(item, id=item.name, marks=BEYOND_SAMPLE if item.name in LARGE else ())
    for item in PACKAGES
    if item.name in (SMALL, *LARGE)
]


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("package", PROJECTS)
def test_each_tool_on_a_real_project(package: Package, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(unpacked(package), project)
    before = digests(project)

    async def main() -> dict[str, Any]:
        async with Client(build(Settings((tmp_path,), False, None, "en"))) as session:
            schemas = {tool.name: tool.output_schema for tool in (await session.list_tools()).tools}

            async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
                result = await session.call_tool(tool, arguments)
                text = result.content[0].text
                assert not result.is_error, text
                data: dict[str, Any] = result.structured_content
                jsonschema.validate(data, schemas[tool])
                assert tokens(text) <= BUDGET and tokens(json.dumps(data, ensure_ascii=False)) <= BUDGET
                return data

            return await _session(ask, session)

    answers = anyio.run(main)
    assert digests(project) == before
    assert answers["check"]["total"] > 10 and answers["migrate"]["total_files"] > 1
    written = answers["written"]["output"]
    assert written == "out/project_msft" and (tmp_path / written / "MIGRATION.md").is_file()
    assert answers["left"]["total"] > 0
    assert answers["fixed"]["is_written"] is bool(answers["shown"]["total_files"])


async def _session(ask: Any, session: Any) -> dict[str, Any]:
    """One call of each tool, in the order in which an agent makes them."""
    v = {"version": "2.8.0"}
    answers = {
        "check": await ask("check", paths=["project"], **v),
        "migrate": await ask("migrate", project="project", **v),
        "written": await ask("migrate", project="project", output="out", write=True, **v),
        "left": await ask("what_is_left", project="out/project_msft"),
    }
    for order in answers["left"]["orders"]:
        await ask("explain", name=order["code"])
        assert (await ask("what_is_left", project="out/project_msft", order=order["id"]))["orders"]
        if order["api"] is not None:
            await ask("facts", api=order["api"], **v)
    fix = {"paths": ["out/project_msft"], "unsafe": True}
    answers["shown"] = await ask("fix", **fix)
    answers["fixed"] = await ask("fix", **fix, write=True)
    await ask("doctor_log", text="RuntimeError: HcclAllReduce, error code is EI0006")
    refused = await session.call_tool("verify", {"project": "out/project_msft", "arguments": ["train.py"]})
    assert refused.is_error and "--allow-run" in refused.content[0].text
    report = await session.read_resource("gpu2ascend://report/out/project_msft")
    assert "Edits: " in report.contents[0].text
    return answers
