"""``python -m tools.chat_tools``: what the tools of the editor's chat take, as JSON.

They are tools of the MCP server with some of its parameters: the others are settings in an editor. The script
``generate-options.mjs`` of the extension writes them into its manifest.
"""

from __future__ import annotations

import json
from typing import Any

import anyio
from mcp.client.client import Client

from gpu2ascend.agents.server import build
from gpu2ascend.agents.settings import Settings

TAKEN = {
    "check": ("paths", "code", "offset", "limit"),
    "explain": ("name", "offset"),
    "what_is_left": ("project", "order", "offset", "limit"),
    "verify": ("project", "arguments"),
}
"""The tools of the chat, and the parameters that they share with those of the MCP server."""
_PREFIX = "gpu2ascend_"
_KEPT = ("type", "items", "minItems", "minimum", "maximum", "default")


def input_schemas() -> dict[str, dict[str, Any]]:
    """The schema of what each tool of the chat takes, by its name there."""

    async def main() -> dict[str, Any]:
        async with Client(build(Settings((), False, None, "en"))) as session:
            return {tool.name: tool.input_schema for tool in (await session.list_tools()).tools}

    served = anyio.run(main)
    return {f"{_PREFIX}{tool}": _schema(served[tool], names) for tool, names in TAKEN.items()}


def _schema(served: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _parameter(served["properties"][name]) for name in names},
        "required": [name for name in names if name in served.get("required", ())],
    }


def _parameter(served: dict[str, Any]) -> dict[str, Any]:
    """A parameter without titles; one that may be null is left out in its place."""
    (form,) = [item for item in served.get("anyOf", [served]) if item.get("type") != "null"]
    kept = {key: form[key] for key in _KEPT if form.get(key) is not None}
    return {**kept, "description": served["description"].replace("the roots", "the workspace")}


if __name__ == "__main__":
    print(json.dumps(input_schemas(), ensure_ascii=False))
