"""Short pieces of code, each with what becomes of it below: golden samples in one file with their code.

Empty lines are between the pieces; the lines of what becomes of a piece begin with ``#>``. To add a piece,
write its code and let ``make goldens`` write the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from tests.golden import agrees, unusual

MARK = "#> "


def codes(path: Path) -> list[str]:
    """The code of each piece of a file."""
    pieces = path.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    return ["\n".join(line for line in piece.split("\n") if not line.startswith(MARK)) for piece in pieces]


def agree(path: Path, outcome: Callable[[str], Iterable[str]], *, is_like_first: bool = False) -> None:
    """Fail where a piece of a file does not become what is below it.

    Of pieces that are variations of the first one, the outcomes say what is not as in the outcome of that.

    Raises:
        AssertionError: an outcome differs.
    """
    first, *others = ((code, list(outcome(code))) for code in codes(path))
    if is_like_first:
        others = [(code, list(unusual(lines, first[1]))) for code, lines in others]
    made = ((*code.split("\n"), *(f"{MARK}{line}" for line in lines)) for code, lines in (first, *others))
    agrees(path, "\n".join("".join(f"{line}\n" for line in lines) for lines in made))
