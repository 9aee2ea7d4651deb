"""Every tool describes what it takes and what it answers, for programs and for models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp.client.client import Client

from gpu2ascend.agents.server import build
from gpu2ascend.texts.answers.budget import tokens

from ..conftest import V, settings

TOOLS = ("check", "explain", "facts", "doctor_log", "what_is_left", "migrate", "fix", "verify")
OWN = ("ctx", "roots", "consent")
"""Parameters that are not the model's to give."""
CATALOGUE = 5_000
"""Tokens of all tools together: a client sends them with every question."""


def tools() -> list[Any]:
    async def main() -> list[Any]:
        async with Client(build(settings())) as session:
            return list((await session.list_tools()).tools)

    return anyio.run(main)


def test_every_tool_and_parameter_is_described() -> None:
    found = tools()
    assert sorted(tool.name for tool in found) == sorted(TOOLS)
    for tool in found:
        assert tool.title and tool.description and tool.annotations is not None
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (tool.name, name)
            assert name not in OWN


def fields_of(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for part in (schema, *schema.get("$defs", {}).values()):
        yield from part.get("properties", {}).items()


def test_every_answer_has_a_schema_whose_objects_are_closed_at_the_top() -> None:
    for tool in tools():
        schema = tool.output_schema
        assert schema is not None and schema["type"] == "object" and schema["additionalProperties"] is False
        described = [name for name, field in fields_of(schema) if field.get("description")]
        plain = [name for name, field in fields_of(schema) if not field.get("description")]
        assert len(described) > len(plain), (tool.name, plain)


def test_only_tools_that_change_nothing_say_so() -> None:
    hints = {tool.name: tool.annotations for tool in tools()}
    assert {name for name, hint in hints.items() if not hint.read_only_hint} == {"migrate", "fix", "verify"}
    assert {name for name, hint in hints.items() if hint.destructive_hint} == {"verify"}


def test_the_tools_themselves_are_short() -> None:
    inputs = sum(tokens(f"{tool.description}{tool.input_schema}") for tool in tools())
    assert inputs < CATALOGUE


@pytest.mark.slow
async def test_what_is_answered_is_of_the_schema(project: Path) -> None:
    calls = (
        ("check", {"paths": ["proj"], **V}),
        ("explain", {"name": "NPU110"}),
        ("facts", {"api": "torch.cuda.empty_cache"}),
        ("facts", {"api": "flash_attn.flash_attn_func"}),
        ("facts", {"api": "flash-attn"}),
        ("doctor_log", {"text": "EI0006"}),
        ("what_is_left", {"project": "proj", **V}),
        ("migrate", {"project": "proj", **V}),
        ("migrate", {"project": "proj", "output": "out", "write": True, **V}),
        ("fix", {"paths": ["proj"], "code": "NPU110", **V}),
    )

    async with Client(build(settings(project.parent))) as session:
        schemas = {tool.name: tool.output_schema for tool in (await session.list_tools()).tools}
        for name, arguments in calls:
            result = await session.call_tool(name, arguments)
            assert not result.is_error, result.content
            jsonschema.validate(result.structured_content, schemas[name])
        assert (await session.call_tool("check", {"paths": []})).is_error
