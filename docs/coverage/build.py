"""Writes docs/coverage.md from the tables beside this file: ``python docs/coverage/build.py``."""

from __future__ import annotations

import csv
from pathlib import Path

from gpu2ascend_rules.engine.rule import Family

HERE = Path(__file__).parent
TARGET = HERE.parent / "coverage.md"
COLUMNS = ("id", "construct", "versions", "treatment", "rule_or_test", "source")
TITLES = {family.folder: family.title for family in Family}
INTRODUCTION = """# Coverage

Every construct of a PyTorch CUDA project that the product knows, and what it does with it.

*Safe fix*: a migration applies it. *Unsafe fix*: offered as a quick fix, applied with `--unsafe`.
*Diagnosed*: reported with advice, never edited. *Left alone*: right as it is; a test holds it so.

`gpu2ascend explain CODE` describes a rule in full. This page is made from the tables in `docs/coverage/`
by `python docs/coverage/build.py`.
"""


def tables() -> dict[str, list[dict[str, str]]]:
    """The rows of each table, by the table's name, in the order of :data:`TITLES`."""
    return {name: rows(HERE / f"{name}.tsv") for name in TITLES if (HERE / f"{name}.tsv").exists()}


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of one table."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for name, items in tables().items():
        parts.append(f"\n## {TITLES[name]}\n\n| id | construct | versions | treatment | by | source |")
        parts.append("|---|---|---|---|---|---|")
        parts.extend(_line(item) for item in items)
    return "\n".join(parts) + "\n"


def _line(item: dict[str, str]) -> str:
    cells = [_escaped(item[column] or "") for column in COLUMNS]
    cells[4] = " ".join(f"`{word}`" for word in cells[4].replace(",", " ").split())
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "\\<")


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
