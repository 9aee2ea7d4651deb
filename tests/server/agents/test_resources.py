"""Resources and prompts: pages of rules, what must change by construct, and what became of a project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from gpu2ascend.agents.knowledge import families, page
from gpu2ascend.agents.server import build
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules import all_rules

from .conftest import LEGACY, Ask, V, settings, with_roots

pytestmark = pytest.mark.slow


def read(uri: str, *roots: Path, **client: Any) -> str:
    """The text of a resource. Raises MCPError: the server has none."""

    async def main() -> str | MCPError:
        async with Client(build(settings(*roots)), **client) as session:
            try:
                return str((await session.read_resource(uri)).contents[0].text)  # type: ignore[union-attr]
            except MCPError as error:
                return error

    found = anyio.run(main)
    if isinstance(found, MCPError):
        raise found
    return found


@pytest.fixture
def migrated(ask: Ask, project: Path) -> Path:
    """The root of a migrated project."""
    ask("migrate", project="proj", output="out", write=True, **V)
    return project.parent


def test_the_page_of_a_rule() -> None:
    assert read("gpu2ascend://explain/NPU110").startswith("NPU110")


def test_every_rule_is_in_the_page_of_its_construct() -> None:
    listed = read("gpu2ascend://constructs")
    for family, rules in families().items():
        assert f"`{family.value}`" in listed
        shown = page(family.value, Texts("en"))
        assert shown is not None and [r.code for r in rules if f"## {r.code} " not in shown] == []
    assert sum(map(len, families().values())) == len(tuple(all_rules()))
    assert "## NPU201 " in read("gpu2ascend://constructs/device")


def test_the_work_orders_and_the_report_of_a_project(migrated: Path) -> None:
    orders = read("gpu2ascend://work-orders/out/proj_msft", migrated)
    assert "NPU101" in orders and "train.py:5" in orders
    report = read("gpu2ascend://report/out/proj_msft", migrated)
    assert "PyTorch 2.8.0" in report and "- NPU110: 2" in report and "`train.py`: 2" in report


def test_the_roots_of_a_client_count_where_it_can_be_asked(migrated: Path) -> None:
    uri = "gpu2ascend://report/out/proj_msft"
    assert "PyTorch 2.8.0" in read(uri, **with_roots(migrated), **LEGACY)
    with pytest.raises(MCPError, match="--root"):
        read(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "gpu2ascend://constructs/nothing",
        "gpu2ascend://explain/no_such_thing",
        "gpu2ascend://report/proj",
        "gpu2ascend://report/..",
        "gpu2ascend://work-orders//etc",
        "gpu2ascend://work-orders/%2e%2e",
        "gpu2ascend://work-orders/link",
        "gpu2ascend://work-orders/missing",
    ],
)
def test_what_is_not_there_or_outside_is_an_error(project: Path, uri: str) -> None:
    (project.parent / "link").symlink_to("/etc")
    with pytest.raises(MCPError):
        read(uri, project.parent)


async def test_prompts_name_tools_that_there_are() -> None:
    async with Client(build(settings())) as session:
        tools = {tool.name for tool in (await session.list_tools()).tools}
        prompts = (await session.list_prompts()).prompts
        texts = []
        for prompt in prompts:
            values = {item.name: "THIS" for item in prompt.arguments or ()}
            found = await session.get_prompt(prompt.name, values)
            texts.append(found.messages[0].content.text)  # type: ignore[union-attr]
            assert prompt.title and prompt.description
            assert all(item.description for item in prompt.arguments or ())
    assert len(texts) == 3
    for text in texts:
        assert "THIS" in text
        named = {word for word in text.split("`")[1::2] if word.replace("_", "").isalpha()}
        assert named - {"write"} and named - {"write"} <= tools
