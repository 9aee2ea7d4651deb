"""The schemas of the JSON documents, and what a document has that its schema does not allow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parents[1] / "docs/schemas"
PARTS = frozenset({"finding", "effort"})
"""What is no document of its own, but part of others."""


def schema(name: str) -> dict[str, Any]:
    """The schema of a document."""
    read: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return read


def names() -> list[str]:
    """All of them."""
    return sorted(path.name.partition(".")[0] for path in SCHEMAS.iterdir())


def faults(name: str, document: Any) -> list[str]:
    """What is wrong with a document; nothing where it is as its schema says."""
    registry: Registry[Any] = Registry().with_resources(
        [(f"{part}.schema.json", Resource.from_contents(schema(part))) for part in names()]
    )
    found = jsonschema.Draft202012Validator(schema(name), registry=registry).iter_errors(document)
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in found]


def undescribed(node: Any, path: str = "") -> Iterator[str]:
    """The properties of a schema, at any depth, that say nothing of what they are."""
    if isinstance(node, list):
        for item in node:
            yield from undescribed(item, path)
    elif isinstance(node, dict):
        properties = node.get("properties", {})
        yield from (f"{path}/{name}" for name, part in properties.items() if not part.get("description"))
        inner = [*properties.items(), *((name, part) for name, part in node.items() if name != "properties")]
        for name, part in inner:
            yield from undescribed(part, f"{path}/{name}")
