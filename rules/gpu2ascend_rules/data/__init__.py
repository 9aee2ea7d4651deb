"""Facts of the rules' own that are no support table, as data files, and how they are read."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


@cache
def load_json(name: str) -> Any:
    """The contents of ``<name>.json`` in this folder. Callers must not change what they get."""
    return json.loads((_HERE / f"{name}.json").read_text(encoding="utf-8"))


@cache
def load_tsv(name: str, folder: Path = _HERE) -> tuple[dict[str, str], ...]:
    """The rows of ``<name>.tsv`` in a folder, by column; lines that begin with ``#`` are comments."""
    with (folder / f"{name}.tsv").open(encoding="utf-8", newline="") as stream:
        lines = (line for line in stream if not line.startswith("#"))
        return tuple(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
