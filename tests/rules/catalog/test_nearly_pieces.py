"""What is found in programs that nearly are the pieces of :mod:`.test_variations`, as fingerprints."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import fingerprints
from tests.fingerprints import Outcome, found
from tests.rules.catalog.test_variations import ROOMS, SAMPLES, Piece, pieces
from tests.rules.nearly import nearly, nearly_lines

FINGERPRINTS = SAMPLES / "nearly"


def outcomes(number: int, piece: Piece) -> Iterator[Outcome]:
    near = nearly if piece.is_python else nearly_lines
    for name, text in near(piece.code):
        yield found(f"{number}.{name}", piece.head + text, piece.path, piece.options)


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_found_in_what_nearly_is_a_piece(room: str) -> None:
    made = (outcome for number, piece in enumerate(pieces(room)) for outcome in outcomes(number, piece))
    fingerprints.agree(FINGERPRINTS / f"{room}.txt", made)
