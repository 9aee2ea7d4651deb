"""Tools for agents: what a client gets, inside of the roots, short, and with nothing run unasked."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import ElicitResult, ListRootsResult, Root

from gpu2ascend.agents.server import build

pytestmark = pytest.mark.slow

TRAIN = "import torch\n\nx = torch.ones(2).cuda()\ntorch.cuda.comm.broadcast(x, [0, 1])\n"
V = {"version": "2.8.0"}
LONGEST = 12_000
"""Characters of an answer: some 4,000 tokens at most, of which structured content is half."""


class Answer(NamedTuple):
    """What a tool answered."""

    failed: bool
    text: str
    data: dict[str, Any]


Ask = Callable[..., Answer]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in the only root, with one error that no fix can help."""
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


def asked(tool: str, arguments: dict[str, Any], roots: tuple[Path, ...] = (), **client: Any) -> Answer:
    async def main() -> Answer:
        server = build(roots, allows_runs=False)
        async with Client(server, **client) as session:
            result = await session.call_tool(tool, arguments)
        return Answer(bool(result.is_error), result.content[0].text, result.structured_content or {})

    return anyio.run(main)


def test_every_tool_and_parameter_is_described() -> None:
    async def main() -> list[Any]:
        async with Client(build((), allows_runs=False)) as session:
            return list((await session.list_tools()).tools)

    tools = anyio.run(main)
    assert {tool.name for tool in tools} == {
        *("check", "explain", "facts", "doctor_log", "what_is_left", "migrate", "fix", "verify"),
    }
    for tool in tools:
        assert tool.description and tool.annotations is not None
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (tool.name, name)


def test_check_lists_findings_by_gravity_in_pages(ask: Ask) -> None:
    first = ask("check", paths=["proj"], limit=1, **V).data
    assert first["counts"]["error"] == 1 and first["total"] == 2 and first["next_offset"] == 1
    assert (first["findings"][0]["path"], first["findings"][0]["line"]) == ("proj/train.py", 4)
    last = ask("check", paths=["proj"], limit=1, offset=1, **V).data
    assert last["next_offset"] is None and last["findings"][0]["code"] == "NPU110"


def test_a_migration_is_shown_then_written_then_finished(ask: Ask, project: Path) -> None:
    shown = ask("migrate", project="proj", **V)
    assert "+x = torch.ones(2).npu()" in shown.data["text"]
    assert [path.name for path in project.parent.iterdir()] == ["proj"]
    written = ask("migrate", project="proj", output="out", write=True, **V)
    assert written.data["is_complete"] is False
    train = project.parent / "out/proj_msft/train.py"
    (order,) = ask("what_is_left", project="out/proj_msft").data["orders"]
    assert order["code"] == "NPU101" and order["places"][0]["path"] == "train.py"
    train.write_text(train.read_text().replace("torch.cuda.comm.broadcast(x, [0, 1])", "pass"))
    left = ask("what_is_left", project="out/proj_msft").data
    assert left["orders"] == [] and [item["id"] for item in left["done"]] == [order["id"]]


def test_an_output_in_the_project_is_refused_and_nothing_is_written(ask: Ask, project: Path) -> None:
    assert ask("migrate", project="proj", output="proj/out", write=True, **V).failed
    assert ask("migrate", project="proj", write=True, **V).failed
    assert [path.name for path in project.iterdir()] == ["train.py"]


def test_fixes_are_shown_before_they_are_written(ask: Ask, project: Path) -> None:
    arguments = {"paths": ["proj"], "code": "NPU110", **V}
    assert "+x = torch.ones(2).npu()" in ask("fix", **arguments).data["text"]
    assert (project / "train.py").read_text() == TRAIN
    ask("fix", **arguments, write=True)
    assert "x = torch.ones(2).npu()" in (project / "train.py").read_text()


@pytest.mark.parametrize("path", ["..", "/etc", "proj/link", "--fix", "\0"])
@pytest.mark.parametrize("tool", ["check", "fix"])
def test_a_path_outside_of_the_roots_is_refused(ask: Ask, project: Path, tool: str, path: str) -> None:
    (project / "link").symlink_to("/etc")
    answer = ask(tool, paths=[path], **V)
    assert answer.failed and (project / "train.py").read_text() == TRAIN


@pytest.mark.parametrize("name", ["--python=evil", "--allow-project-sources", "-o"])
def test_a_path_never_reads_as_a_flag(ask: Ask, name: str) -> None:
    for tool in ("migrate", "what_is_left"):
        answer = ask(tool, project=name, **V)
        assert answer.failed and name in answer.text and "does not exist" in answer.text


def test_without_a_root_the_client_is_asked_for_its_own(project: Path) -> None:
    async def list_roots(context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=project.parent.as_uri())])

    arguments = {"paths": ["proj"], **V}
    alone = asked("check", arguments)
    assert alone.failed and "--root" in alone.text
    found = asked("check", arguments, list_roots_callback=list_roots, mode="legacy")
    assert found.data["counts"]["error"] == 1


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_no_project_runs_without_the_consent_of_the_user(project: Path, action: Any) -> None:
    async def refuse(context: Any, question: Any) -> ElicitResult:
        return ElicitResult(action=action)

    arguments = {"project": "proj", "arguments": ["train.py"]}
    for client in ({}, {"elicitation_callback": refuse, "mode": "legacy"}):
        assert asked("verify", arguments, (project.parent,), **client).failed


def test_facts_and_pages_need_no_project(ask: Ask) -> None:
    facts = ask("facts", api="torch.cuda.empty_cache", **V).data
    assert facts["counterpart"]["name"] == "torch_npu.npu.empty_cache"
    assert "HCCL_CONNECT_TIMEOUT" in ask("explain", name="EI0006").data["text"]
    log = "RuntimeError: HcclAllReduce, error code is EI0006"
    assert "EI0006" in ask("doctor_log", text=log).data["text"]


@pytest.mark.parametrize(("name", "exists"), [("empty_cache", True), ("no_such_name", False)])
def test_a_name_of_torch_npu_exists_or_not(ask: Ask, name: str, exists: bool) -> None:
    assert ask("facts", api=f"torch_npu.npu.{name}").data["exists"] is exists


def test_answers_are_short_however_much_is_found(ask: Ask, project: Path) -> None:
    many = "import torch\n" + "".join(f"x{n} = torch.ones(2).cuda()\n" for n in range(5_000))
    (project / "many.py").write_text(many)
    found = ask("check", paths=["proj"], **V)
    assert found.data["total"] == 5_002 and len(found.text) < LONGEST
    shown = ask("fix", paths=["proj"], **V)
    assert len(shown.text) < LONGEST and shown.data["next_offset"]


def test_the_command_serves_a_client_over_its_standard_streams(project: Path) -> None:
    arguments = ["-m", "gpu2ascend", "mcp", "--root", str(project.parent)]

    async def main() -> tuple[str, str, str]:
        transport = stdio_client(StdioServerParameters(command=sys.executable, args=arguments))
        async with Client(transport) as session:
            called = await session.call_tool("check", {"paths": ["proj"], **V})
            page = await session.read_resource("gpu2ascend://explain/NPU110")
            prompt = await session.get_prompt("finish_what_is_left", {"project": "proj"})
        return called.content[0].text, page.contents[0].text, prompt.messages[0].content.text  # type: ignore[union-attr]

    found, page, prompt = anyio.run(main)
    assert json.loads(found)["total"] == 2 and page.startswith("NPU110") and "proj" in prompt
