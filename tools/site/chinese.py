"""The configuration of the site's Chinese half, made from that of the English one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

_BUILT_BY_MKDOCS = re.compile(r"!!python/\S+")
"""Tags of Python objects, which the inherited file keeps and nothing here needs."""
_LINKS = {"en": "../", "zh": "./"}
"""The way from the top of the Chinese half to that of each."""


def chinese_configuration(english: Path) -> str:
    """A configuration, as JSON, which is YAML, that inherits from the English one.
    Raises KeyError: an entry of the navigation has no Chinese name."""
    read: dict[str, Any] = yaml.safe_load(_BUILT_BY_MKDOCS.sub("", english.read_text(encoding="utf-8")))
    names: dict[str, str] = read["extra"]["chinese"]
    sources, html = Path(read["docs_dir"]), Path(read["site_dir"])
    alternate = [other | {"link": _LINKS[other["lang"]]} for other in read["extra"]["alternate"]]
    return json.dumps(
        {
            "INHERIT": str(english),
            "site_description": names["site_description"],
            "docs_dir": str(english.parent / sources.parent / "zh"),
            "site_dir": str(english.parent / html / "zh"),
            "theme": {"language": "zh"},
            "nav": [_translated(entry, names) for entry in read["nav"]],
            "extra": {"alternate": alternate},
        },
        ensure_ascii=False,
        indent=2,
    )


def _translated(entry: Any, names: dict[str, str]) -> Any:
    """An entry of the navigation: a page, or a section with its pages, by its name."""
    ((name, content),) = entry.items()
    pages = [_translated(inner, names) for inner in content] if isinstance(content, list) else content
    return {names[name]: pages}
