"""How the name of an option is spelled on the command line, in settings, in JSON and in code."""

from __future__ import annotations


def snake_case(name: str) -> str:
    """``apiStyle`` and ``api-style`` as ``api_style``."""
    spread = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    return spread.replace("-", "_").lstrip("_")


def camel_case(name: str) -> str:
    """``api_style`` as ``apiStyle``: how JSON spells an option."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
