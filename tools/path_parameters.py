"""The positions in the table of calls that are given paths, from the signatures of what is installed.

    python -m tools.path_parameters [--check]

Rewrites the column ``positions`` of ``data/path_parameters.tsv``; what a package has that is not installed,
or that shows no signature, stays as it is. With ``--check`` nothing is written, and a difference is an error.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "rules" / "gpu2ascend_rules" / "data" / "path_parameters.tsv"
_COLUMN = 2


def positions_of(name: str, parameters: Sequence[str]) -> list[str] | None:
    """The positions of parameters as the table has them; None where the signature is not to be had."""
    if "*" in name or name.startswith(".") or parameters[0].startswith("*"):
        return None
    module, _, last = (name if "." in name else f"builtins.{name}").rpartition(".")
    try:
        known = inspect.signature(_object(module, last)).parameters
    except (ImportError, AttributeError, TypeError, ValueError):
        return None
    missing = [item for item in parameters if item not in known]
    if missing:
        return None if any(item.kind is item.VAR_KEYWORD for item in known.values()) else ["missing"]
    kinds = {item: known[item].kind for item in parameters}
    order = list(known)
    return [
        "-" if kinds[item] is inspect.Parameter.KEYWORD_ONLY else str(order.index(item))
        for item in parameters
    ]


def _object(module: str, last: str) -> Any:
    try:
        return getattr(importlib.import_module(module), last)
    except ImportError:
        owner, _, name = module.rpartition(".")
        if not owner:
            raise
        return getattr(_object(owner, name), last)


def main(arguments: Sequence[str]) -> int:
    """Write the table, or with ``--check`` compare it."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    changed = []
    for at, line in enumerate(lines):
        cells = line.split("\t")
        if line.startswith("#") or cells[0] == "callable":
            continue
        found = positions_of(cells[0], cells[1].split(","))
        if found is not None and ",".join(found) != cells[_COLUMN]:
            changed.append(f"{cells[0]}({cells[1]}): {cells[_COLUMN]} is {','.join(found)}")
            cells[_COLUMN] = ",".join(found)
            lines[at] = "\t".join(cells)
    print("\n".join(changed))
    if "--check" in arguments:
        return 1 if changed else 0
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
