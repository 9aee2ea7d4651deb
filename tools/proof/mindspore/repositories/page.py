"""The table of docs/mindspore.md and of its Chinese twin."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from .converting import Outcome

FILES = Path(__file__).with_name("outcomes.json")


def read() -> list[Outcome]:
    """The outcomes of the last runs."""
    if not FILES.is_file():
        return []
    return [Outcome(**one) for one in json.loads(FILES.read_text(encoding="utf-8"))]


def write(found: Sequence[Outcome]) -> None:
    """Keep the outcomes, and put the table into both pages."""
    lines = ",\n".join(json.dumps(one._asdict()) for one in found)
    FILES.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
