"""The pictures of the README."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("pty", reason="pictures are drawn where there are pseudo-terminals")

from tools.pictures import picture, shown


def test_a_terminal_shows_what_is_left_of_a_progress_bar() -> None:
    program = r"print('\r\x1b[Khalf', end=''); print('\r\x1b[K', end=''); print('done')"
    assert shown([sys.executable, "-c", program]) == "done\n"


def test_a_picture_has_the_text_and_asks_nothing_of_the_network() -> None:
    drawn = picture("\x1b[33mMigrated\x1b[0m")
    assert "Migrated" in drawn
    assert "url(" not in drawn.replace("url(#", "")
