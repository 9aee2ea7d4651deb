"""Short pieces of code, each with what becomes of it below: golden samples in one file with their code.

Empty lines are between the pieces; the lines of what becomes of a piece begin with ``#>``. To add a piece,
write its code and let ``make goldens`` write the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from tests.golden import agrees

MARK = "#> "


def codes(path: Path) -> list[str]:
    """The code of each piece of a file."""
    pieces = path.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    return ["\n".join(line for line in piece.split("\n") if not line.startswith(MARK)) for piece in pieces]


def agree(path: Path, outcome: Callable[[str], Iterable[str]]) -> None:
    """Fail where a piece of a file does not become what is below it.

    Raises:
        AssertionError: an outcome differs.
    """
    made = (
        "".join(f"{line}\n" for line in (*code.split("\n"), *(f"{MARK}{line}" for line in outcome(code))))
        for code in codes(path)
    )
    agrees(path, "\n".join(made))
