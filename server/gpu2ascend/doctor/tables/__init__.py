"""Which versions belong together, which drivers they need, and what the texts of failures mean: data."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of ``<name>.tsv`` in this folder, by column; lines that begin with ``#`` are comments."""
    text = (files(__package__) / f"{name}.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return tuple(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
