"""What short pieces of code become for MindSpore, or why they stay: each changed line, beside each reason.

The pieces are in ``samples/pieces``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden import difference
from tests.mindspore.conversion.converting import converted
from tests.pieces import agree

HERE = Path(__file__).parent
HEAD = """\
import os
from collections import OrderedDict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

"""
VARIATIONS = ("cells", "steps")
"""The files in which each piece is one program in another way."""
PIECES = sorted((HERE / "samples" / "pieces").glob("*.txt"))


def outcome(piece: str) -> Iterator[str]:
    """The changed lines of a piece of code, or the reasons why it stays as it is."""
    made = converted(f"{HEAD}{piece}\n")
    if made.blockers:
        yield from sorted(f"{reason}: {' '.join(text.split())}" for text, reason in made.blockers.items())
        return
    changed = difference(f"{HEAD}{piece}\n", made.text, "")
    yield from (line for line in changed if line[0] != "@" and line[1:] not in USUAL)
    yield from (f"needs: {part}" for part in sorted(made.parts))


USUAL = {"", *HEAD.splitlines()}
"""Lines that are those of every piece, and go with torch."""


@pytest.mark.parametrize("path", PIECES, ids=lambda path: path.stem)
def test_what_becomes_of_each_piece(path: Path) -> None:
    agree(path, outcome, is_like_first=path.stem in VARIATIONS)
